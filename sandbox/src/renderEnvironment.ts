import { SANDBOX_IDENTITY } from '../../server/src/bin/config/config.ts';
import type { RunningChains } from './chain/startChains.ts';
import { CLIENT_ID } from './issuer/createProvider.ts';
import type { Options } from './readOptions.ts';
import type { filesOf, KycKeys } from './rememberState.ts';

export const HOME_BLOCKCHAIN = 'ETH-SEPOLIA';
export const KYC_LEVEL = 'basic-kyc-level';

/** The environment of the API and the worker beside their DATABASE_URL: the same variables as in production. */
export function renderEnvironment(sandbox: {
  readonly options: Options;
  readonly files: ReturnType<typeof filesOf>;
  readonly issuerUrl: string;
  readonly kycUrl: string;
  readonly kycKeys: KycKeys;
  readonly chains: RunningChains['chains'];
  readonly opsPort: number;
  readonly walletSecret: string;
}): Record<string, string> {
  const { options, files, kycKeys } = sandbox;
  return {
    FLORIN_MODE: 'sandbox',
    FLORIN_HOST: '127.0.0.1',
    FLORIN_WEB3_PORT: String(options.web3Port),
    FLORIN_BACKEND_PORT: String(options.backendPort),
    FLORIN_OPS_HOST: '127.0.0.1',
    FLORIN_OPS_PORT: String(sandbox.opsPort),
    FLORIN_HOME_BLOCKCHAIN: HOME_BLOCKCHAIN,
    FLORIN_CHAINS: JSON.stringify(
      sandbox.chains.map(({ blockchain, chain_id, rpc_url }) => ({ blockchain, chain_id, rpc_urls: [rpc_url] })),
    ),
    FLORIN_OIDC_ISSUERS: JSON.stringify([
      { issuer: sandbox.issuerUrl, audience: CLIENT_ID, identity: SANDBOX_IDENTITY },
    ]),
    FLORIN_WALLET_SEED_FILE: files.walletSeed,
    FLORIN_WALLET_SECRET: sandbox.walletSecret,
    // Short, so that you can watch a settlement.
    FLORIN_SETTLE_SECONDS: process.env.FLORIN_SETTLE_SECONDS || '20',
    FLORIN_RECONCILE_SECONDS: '5',
    FLORIN_SUMSUB_URL: sandbox.kycUrl,
    FLORIN_SUMSUB_LEVEL: KYC_LEVEL,
    FLORIN_SUMSUB_APP_TOKEN: kycKeys.appToken,
    FLORIN_SUMSUB_SECRET_KEY: kycKeys.secretKey,
    FLORIN_SUMSUB_WEBHOOK_SECRET: kycKeys.webhookSecret,
    // The access tokens in sandbox.json should stay valid for a day of trying things out.
    FLORIN_ACCESS_TOKEN_SECONDS: process.env.FLORIN_ACCESS_TOKEN_SECONDS || '86400',
  };
}
