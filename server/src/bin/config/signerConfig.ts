import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NO_CHAIN_ID } from '../../core/families.ts';
import type { SigningLimits, SigningNetwork } from '../../custody/signing/signingApp.ts';
import type { OpsEndpoint } from '../../http/ops/openOps.ts';
import type { SignerToken } from '../../http/signer/serveSigner.ts';
import { findChainFaults, toNetworkConfig } from './chains.ts';
import { ConfigError } from './configError.ts';
import { isWeak } from './faults/isWeak.ts';
import { findProviderFaults, PROVIDER_SECRETS, toProviders, toUnwatchedChains } from './providerSettings.ts';
import { findTlsFiles, readTls, type TlsFiles } from './tlsFiles.ts';
import { findUsualGas } from './usualGas.ts';
import { type Env, isLoopback, readValues } from './values.ts';
import type { Values } from './variables.ts';

export interface SignerConfig {
  readonly mode: 'production' | 'sandbox';
  readonly databaseUrl: string;
  readonly url: string;
  readonly tokens: readonly SignerToken[];
  readonly tls: TlsFiles | undefined;
  readonly walletSeedFile: string;
  readonly walletSecret: string;
  /**
   * The providers that hold the keys of people's wallets: on the home blockchain, by default, and on the blockchains
   * with their own setting.
   */
  readonly wallets: {
    readonly home: string;
    readonly provider: string;
    readonly networks: Readonly<Record<string, string>>;
  };
  /** The previous provider, while wallets move. */
  readonly walletsFrom: string | undefined;
  /** The configuration of each wallet provider, by adapter. */
  readonly providers: Readonly<Record<string, unknown>>;
  readonly networks: readonly SigningNetwork[];
  readonly limits: SigningLimits;
  readonly ops: OpsEndpoint;
  readonly logLevel: Values['FLORIN_LOG_LEVEL'];
}

/** The default if nothing is configured; a worker's bids have the same limit. */
const MAX_FEE_WEI = 500_000_000_000n;
export const SIGNER_SECRETS = [
  'FLORIN_WALLET_SEED_FILE',
  'FLORIN_WALLET_SECRET',
  'FLORIN_WALLET_SECRET_NEXT',
  'FLORIN_SIGNER_TOKENS',
  ...PROVIDER_SECRETS,
];

/** Servers and workers call the signer, and their environment must not contain the signer's secrets. */
export function findCallerFaults(values: Partial<Values>, env: Env): string[] {
  const held = SIGNER_SECRETS.filter((name) => env[name]);
  const faults = held.map((name) => `${name} is set: only the signer may have it (docs/operating/signer.md)`);
  if (values.FLORIN_SIGNER_URL?.length === 0) faults.push('FLORIN_SIGNER_URL is missing: the address of the signer');
  if (!values.FLORIN_SIGNER_TOKEN) faults.push('FLORIN_SIGNER_TOKEN is missing: the signer refuses calls without one');
  else if (values.FLORIN_MODE === 'production' && isWeak(values.FLORIN_SIGNER_TOKEN))
    faults.push('FLORIN_SIGNER_TOKEN is too weak: use at least 32 random characters');
  return [...faults, ...findUrlFaults(values)];
}

const findUrlFaults = ({ FLORIN_SIGNER_URL: urls = [] }: Partial<Values>, name = 'FLORIN_SIGNER_URL'): string[] =>
  urls
    .filter((url) => url.startsWith('http://') && !isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')))
    .map((url) => `${name} must use https beyond this machine: ${url}`);

/** Where the signer listens. */
const findListenUrl = ({ FLORIN_SIGNER_LISTEN: own, FLORIN_SIGNER_URL: urls }: Partial<Values>): string | undefined =>
  own ?? urls?.[0];

/** The configuration of `florin seed`, with the rules of a production signer. */
export function readSeedConfig(env: Env, needsNext: boolean) {
  const { FLORIN_WALLET_SEED_FILE: walletSeedFile, FLORIN_WALLET_SECRET: walletSecret } = env;
  const { FLORIN_WALLET_SECRET_NEXT: nextSecret } = env;
  const faults = findSeedFaults(walletSeedFile, walletSecret, 'production');
  if (needsNext && !nextSecret) faults.push('FLORIN_WALLET_SECRET_NEXT is missing');
  if (nextSecret && isWeak(nextSecret))
    faults.push('FLORIN_WALLET_SECRET_NEXT is too weak: use at least 32 random characters');
  if (!walletSeedFile || !walletSecret || faults.length > 0) throw new ConfigError(faults);
  return { walletSeedFile, walletSecret, nextSecret };
}

function findSeedFaults(file: string | undefined, secret: string | undefined, mode: string | undefined): string[] {
  const faults: string[] = [];
  if (!file) faults.push('FLORIN_WALLET_SEED_FILE is missing');
  if (!secret) faults.push('FLORIN_WALLET_SECRET is missing');
  else if (mode === 'production' && isWeak(secret))
    faults.push('FLORIN_WALLET_SECRET is too weak: use at least 32 random characters');
  return faults;
}

export function readSignerConfig(env: Env, findDatabaseFaults: (url: string, name: string) => string[]): SignerConfig {
  const { values, faults } = readValues(env);
  const { FLORIN_MODE: mode, FLORIN_WALLET_SEED_FILE: seedFile, FLORIN_WALLET_SECRET: secret } = values;
  const url = findListenUrl(values);
  const tokens = values.FLORIN_SIGNER_TOKENS ?? [];
  faults.push(...findSeedFaults(seedFile, secret, mode), ...findUrlFaults(values), ...findChainFaults(values));
  faults.push(...findProviderFaults(values, env));
  if (values.FLORIN_SIGNER_LISTEN)
    faults.push(...findUrlFaults({ FLORIN_SIGNER_URL: [values.FLORIN_SIGNER_LISTEN] }, 'FLORIN_SIGNER_LISTEN'));
  if (!url) faults.push('FLORIN_SIGNER_URL is missing: the signer listens there');
  for (const caller of ['server', 'worker'] as const)
    if (!tokens.some((one) => one.caller === caller))
      faults.push(`FLORIN_SIGNER_TOKENS has no token for the ${caller}`);
  const { files: tls, faults: tlsFaults } = findTlsFiles(values);
  faults.push(...(tls ? readTls(tls).faults : tlsFaults));
  if (url?.startsWith('https:') && !tls)
    faults.push('FLORIN_TLS_CERT_FILE and FLORIN_TLS_KEY_FILE are missing: an https signer needs them');
  if (mode === 'production') {
    if (values.DATABASE_URL) faults.push(...findDatabaseFaults(values.DATABASE_URL, 'DATABASE_URL'));
    if (tokens.some(({ token }) => isWeak(token)))
      faults.push('FLORIN_SIGNER_TOKENS has a token that is too weak: use at least 32 random characters');
    if (!env.FLORIN_SIGNER_LIMITS)
      faults.push(
        'FLORIN_SIGNER_LIMITS is missing: the most that the signer signs, such as payment=10000, day=250000, or none',
      );
    if (seedFile && existsSync(join(dirname(seedFile), 'issuer-key.json')))
      faults.push('FLORIN_WALLET_SEED_FILE is the seed of a sandbox');
  }
  if (new Set(tokens.map(({ token }) => token)).size < tokens.length)
    faults.push('FLORIN_SIGNER_TOKENS has the same token twice: server and worker need different ones');
  if (faults.length > 0) throw new ConfigError(faults);
  return toSignerConfig(values as Values);
}

function toWallets(values: Values) {
  const { FLORIN_WALLETS: provider, FLORIN_CHAINS: chains, FLORIN_HOME_BLOCKCHAIN: homeName } = values;
  const others = chains.filter(({ wallets }) => wallets !== undefined && wallets !== provider);
  const networks: Record<string, string> = Object.fromEntries([
    ...others.map(({ blockchain, wallets }) => [blockchain, wallets!]),
    ...toUnwatchedChains(values).map(({ blockchain, provider: sender }) => [blockchain, sender]),
  ]);
  return { home: networks[homeName] ?? provider, provider, networks };
}

function toSignerConfig(values: Values): SignerConfig {
  const everywhere = values.FLORIN_MAX_FEE_GWEI && BigInt(values.FLORIN_MAX_FEE_GWEI) * 1_000_000_000n;
  return {
    mode: values.FLORIN_MODE,
    databaseUrl: values.DATABASE_URL,
    url: findListenUrl(values)!,
    tokens: values.FLORIN_SIGNER_TOKENS,
    tls: findTlsFiles(values).files,
    walletSeedFile: values.FLORIN_WALLET_SEED_FILE!,
    walletSecret: values.FLORIN_WALLET_SECRET!,
    wallets: toWallets(values),
    walletsFrom: values.FLORIN_WALLETS_FROM,
    providers: toProviders(values),
    networks: values.FLORIN_CHAINS.map(toNetworkConfig)
      .map(({ blockchain, chainId, tokens, maxFeeWei }) => ({
        blockchain,
        chainId,
        tokens,
        maxFeePerGasWei: maxFeeWei ?? (everywhere || (findUsualGas(blockchain, chainId)?.maxFeeWei ?? MAX_FEE_WEI)),
      }))
      .concat(
        toUnwatchedChains(values).map(({ blockchain, token, provider }) => ({
          blockchain,
          provider,
          chainId: NO_CHAIN_ID,
          tokens: [token],
          maxFeePerGasWei: 0n,
        })),
      ),
    limits: { payment: values.FLORIN_SIGNER_LIMITS?.payment, day: values.FLORIN_SIGNER_LIMITS?.day },
    ops: {
      host: values.FLORIN_OPS_HOST,
      hosts: values.FLORIN_OPS_ALLOWED_HOSTS,
      port: values.FLORIN_SIGNER_OPS_PORT,
    },
    logLevel: values.FLORIN_LOG_LEVEL,
  };
}
