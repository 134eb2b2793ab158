import { SANDBOX_IDENTITY } from '../../server/src/bin/config/faults/modeFaults.ts';
import type { Role } from '../../server/src/operators/operators.ts';
import type { RunningChains } from './chain/startChains.ts';
import type { RunningCircleDouble } from './circle/startCircleDouble.ts';
import { CLIENT_ID, CONSOLE_CLIENT_ID } from './issuer/createProvider.ts';
import { emailOf, nameOf, type OperatorLogins } from './postgres/createOperators.ts';
import type { Options, WalletKeys } from './readOptions.ts';
import { filesOf, type KycKeys, type SignerTokens } from './rememberState.ts';

export const HOME_BLOCKCHAIN = 'ETH-SEPOLIA';
export const KYC_LEVEL = 'basic-kyc-level';

/** The variables that the API and the worker share: the same as in production. */
export function renderEnvironment(sandbox: {
  readonly options: Options;
  readonly wallets: WalletKeys;
  readonly issuerUrl: string;
  readonly kycUrl: string;
  readonly kycKeys: KycKeys;
  readonly chains: RunningChains['chains'];
  readonly opsPort: number;
  readonly signerPort: number;
  readonly faucetUrl: string;
  readonly people: readonly { readonly name: string; readonly email: string }[];
}): Record<string, string> {
  const { options, kycKeys } = sandbox;
  return {
    FLORIN_MODE: 'sandbox',
    FLORIN_HOST: '127.0.0.1',
    FLORIN_WEB3_PORT: String(options.web3Port),
    FLORIN_BACKEND_PORT: String(options.backendPort),
    FLORIN_WALLET_PORT: String(options.walletPort),
    FLORIN_WALLET_SANDBOX: JSON.stringify({
      people: sandbox.people.map(({ name, email }) => ({ name, email })),
      faucet_url: sandbox.faucetUrl,
      kyc_url: sandbox.kycUrl,
    }),
    FLORIN_OPS_HOST: '127.0.0.1',
    FLORIN_OPS_PORT: String(sandbox.opsPort),
    FLORIN_PUBLIC_WEB3_URL: `http://127.0.0.1:${options.web3Port}`,
    FLORIN_PUBLIC_BACKEND_URL: `http://127.0.0.1:${options.backendPort}`,
    FLORIN_EXAMPLES_FILE: filesOf(options.dataDir).examples,
    // Empty: none, for benchmarks.
    FLORIN_CALLS_FILE: process.env.FLORIN_CALLS_FILE ?? filesOf(options.dataDir).calls,
    // Free ports; the logs of worker and signer name them.
    FLORIN_WORKER_OPS_PORT: '0',
    FLORIN_HOME_BLOCKCHAIN: HOME_BLOCKCHAIN,
    FLORIN_CHAINS: JSON.stringify(
      sandbox.chains.map(({ blockchain, chain_id, rpc_url }) => ({ blockchain, chain_id, rpc_urls: [rpc_url] })),
    ),
    // These chains do not run here: the double keeps their coins.
    ...(sandbox.wallets === 'circle_send' && { FLORIN_CIRCLE_BLOCKCHAINS: 'SOL-DEVNET, APTOS-TESTNET' }),
    FLORIN_OIDC_ISSUERS: JSON.stringify([
      { issuer: sandbox.issuerUrl, audience: CLIENT_ID, identity: SANDBOX_IDENTITY },
    ]),
    // A port instead of a unix socket: the path of a data folder may be too long for one.
    FLORIN_SIGNER_URL: `http://127.0.0.1:${sandbox.signerPort}`,
    // Short, so that you can watch a settlement.
    FLORIN_SETTLE_SECONDS: process.env.FLORIN_SETTLE_SECONDS || '20',
    FLORIN_RECONCILE_SECONDS: '5',
    // Unset: no send waits for operators.
    ...(process.env.FLORIN_APPROVAL_THRESHOLD && {
      FLORIN_APPROVAL_THRESHOLD: process.env.FLORIN_APPROVAL_THRESHOLD,
    }),
    FLORIN_SUMSUB_URL: sandbox.kycUrl,
    FLORIN_SUMSUB_LEVEL: KYC_LEVEL,
    FLORIN_SUMSUB_APP_TOKEN: kycKeys.appToken,
    FLORIN_SUMSUB_SECRET_KEY: kycKeys.secretKey,
    FLORIN_SUMSUB_WEBHOOK_SECRET: kycKeys.webhookSecret,
    // The access tokens in sandbox.json should stay valid for a day of experiments.
    FLORIN_ACCESS_TOKEN_SECONDS: process.env.FLORIN_ACCESS_TOKEN_SECONDS || '86400',
  };
}

const SHARED = [
  'FLORIN_MODE',
  'FLORIN_HOME_BLOCKCHAIN',
  'FLORIN_CHAINS',
  'FLORIN_CIRCLE_BLOCKCHAINS',
  'FLORIN_SIGNER_URL',
];

const pickShared = (env: Record<string, string>): Record<string, string> =>
  Object.fromEntries(SHARED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));

/** The variables of a signer with wallets at Circle. */
type CircleAccount = Pick<RunningCircleDouble, 'url' | 'apiKey' | 'entitySecret' | 'walletSetId'>;

/** The environment of the signer. Only the signer has the seed, the wallet secret and Circle's keys. */
export const renderSignerEnvironment = (sandbox: {
  readonly env: Record<string, string>;
  readonly files: ReturnType<typeof filesOf>;
  readonly walletSecret: string;
  readonly signerTokens: SignerTokens;
  readonly circle: CircleAccount | undefined;
  readonly wallets: WalletKeys;
}): Record<string, string> => ({
  ...pickShared(sandbox.env),
  FLORIN_WALLET_SEED_FILE: sandbox.files.walletSeed,
  FLORIN_WALLET_SECRET: sandbox.walletSecret,
  FLORIN_SIGNER_OPS_PORT: '0',
  FLORIN_SIGNER_TOKENS: `server=${sandbox.signerTokens.server}, worker=${sandbox.signerTokens.worker}`,
  ...(sandbox.circle && {
    FLORIN_WALLETS: sandbox.wallets,
    FLORIN_CIRCLE_URL: sandbox.circle.url,
    FLORIN_CIRCLE_API_KEY: sandbox.circle.apiKey,
    FLORIN_CIRCLE_ENTITY_SECRET: sandbox.circle.entitySecret,
    FLORIN_CIRCLE_WALLET_SET: sandbox.circle.walletSetId,
  }),
});

/** The environment of the operator console. It logs its operators in with one click, so it knows their passwords. */
export const renderConsoleEnvironment = (sandbox: {
  readonly options: Options;
  readonly issuerUrl: string;
  readonly operators: OperatorLogins;
}): Record<string, string> => ({
  FLORIN_MODE: 'sandbox',
  FLORIN_HOST: '127.0.0.1',
  FLORIN_HOME_BLOCKCHAIN: HOME_BLOCKCHAIN,
  FLORIN_CONSOLE_PORT: String(sandbox.options.consolePort),
  FLORIN_CONSOLE_OPS_PORT: '0',
  FLORIN_WALLET_URL: `http://127.0.0.1:${sandbox.options.walletPort}`,
  FLORIN_OIDC_ISSUERS: JSON.stringify([
    { issuer: sandbox.issuerUrl, audience: CONSOLE_CLIENT_ID, identity: SANDBOX_IDENTITY },
  ]),
  FLORIN_CONSOLE_SANDBOX: JSON.stringify({
    operators: (['support', 'risk', 'admin'] as const satisfies readonly Role[]).map((role) => ({
      name: nameOf(sandbox.operators[role]),
      role,
      email: emailOf(role),
      password: decodeURIComponent(new URL(sandbox.operators[role]).password),
    })),
  }),
});

/** The environment of operators' commands, as a file of variables. */
export const renderOperatorEnv = (sandbox: {
  readonly env: Record<string, string>;
  readonly databaseUrl: string;
  readonly signerToken: string;
}): string => {
  const variables = {
    ...pickShared(sandbox.env),
    FLORIN_CALLS_FILE: sandbox.env.FLORIN_CALLS_FILE ?? '',
    DATABASE_URL: sandbox.databaseUrl,
    FLORIN_SIGNER_TOKEN: sandbox.signerToken,
  };
  // In single quotes only a single quote needs escaping, and neither our JSON nor our URLs contain one.
  return Object.entries(variables)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('');
};
