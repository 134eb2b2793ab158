/**
 * `bin` is where processes start: configuration, wiring, listening. It owns no tables, and no module calls it. Only
 * this file reads the environment, once at start, by the table in `variables.ts`. All faults are reported in one
 * message, and no message shows a secret.
 */
import type { BlockList } from 'node:net';
import type { IssuerRule } from '../../adapters/identity/issuerRule.ts';
import type { SumsubOptions } from '../../adapters/kyc/askSumsub.ts';
import type { SessionRules } from '../../customers/sessions/sessions.ts';
import { findDatabaseTlsFaults } from '../../db/findDatabaseTlsFaults.ts';
import { listHosts } from '../../db/hosts.ts';
import type { RateQuotas } from '../../http/calls/createCallLimits.ts';
import type { ConnectionLimits } from '../../http/connections/limitConnections.ts';
import type { BrowserRules } from '../../http/contract/createGuard.ts';
import type { Retention } from '../../operators/forgetOld.ts';
import type { SendRules } from '../../payments/sends/sendCommand.ts';
import { findChainFaults, type NetworkConfig, toNetworkConfig } from './chains.ts';
import { ConfigError } from './configError.ts';
import { type ConsoleConfig, readConsoleConfig } from './console/consoleConfig.ts';
import { findSandboxEnv, readEnvFile } from './envFile.ts';
import { isGuessed } from './faults/isWeak.ts';
import { findProductionFaults, findSandboxFaults, SUMSUB } from './faults/modeFaults.ts';
import { findSeedFileFaults } from './faults/seedFileFaults.ts';
import { toIssuers } from './issuers/toIssuers.ts';
import { findCommonProviderFaults, toUnwatchedChains, type UnwatchedChainConfig } from './providerSettings.ts';
import { findCallerFaults, readSeedConfig, readSignerConfig, type SignerConfig } from './signerConfig.ts';
import { findTlsFiles, readTls, type TlsFiles } from './tlsFiles.ts';
import { type Tracing, toTracing } from './tracing.ts';
import { type Env, isLoopback, readValues, renderIssue } from './values.ts';
import { type Values, variables } from './variables.ts';
import { findWalletFaults, toWallet, type WalletConfig } from './wallet/walletConfig.ts';

export interface Config {
  readonly mode: 'production' | 'sandbox';
  readonly host: string;
  readonly web3Port: number;
  readonly backendPort: number;
  /** Without it, both APIs use plain HTTP, on this machine or behind a proxy that terminates TLS. */
  readonly tls: TlsFiles | undefined;
  readonly opsHost: string;
  readonly opsHosts: readonly string[];
  readonly opsPort: number;
  readonly workerOpsPort: number;
  readonly lookEveryMs: number;
  /** Without it, there are no traces. */
  readonly otlp: ({ readonly url: string; readonly headers: Readonly<Record<string, string>> } & Tracing) | undefined;
  readonly databaseUrl: string;
  /** The URL of the standbys. Without it, all reads use the primary. */
  readonly databaseReadUrl: string | undefined;
  readonly databaseConnections: number;
  readonly issuers: readonly IssuerRule[];
  /** The signer's URLs, and this process's token for it. */
  readonly signer: { readonly urls: readonly string[]; readonly token: string };
  /** Without it, no identity check can be started. */
  readonly sumsub: SumsubOptions | undefined;
  readonly homeBlockchain: string;
  readonly chains: readonly NetworkConfig[];
  /** Blockchains on which a provider sends and that our nodes do not read. */
  readonly elsewhere: readonly UnwatchedChainConfig[];
  readonly prices: Values['FLORIN_PRICES'];
  readonly custody: {
    readonly relayers: number;
    /** Undefined: the default of each blockchain. */
    readonly maxFeeWei: bigint | undefined;
    readonly settleEveryMs: number;
    readonly reconcileEveryMs: number;
  };
  readonly sendRules: SendRules;
  readonly sessions: SessionRules;
  readonly usernameCooldownDays: number;
  readonly browsers: BrowserRules;
  readonly proxies: BlockList;
  readonly connections: ConnectionLimits;
  readonly rates: RateQuotas;
  readonly retention: Retention;
  readonly requiresIdempotencyKeys: boolean;
  /** The public URLs of the APIs, shown in their reference. */
  readonly publicUrls: { readonly web3?: string; readonly backend?: string };
  /** Written by the sandbox. */
  readonly examplesFile: string | undefined;
  /** Where the sandbox keeps calls with their bodies. */
  readonly callsFile: string | undefined;
  /** Without it, the wallet is not served. */
  readonly wallet: WalletConfig | undefined;
  readonly logLevel: Values['FLORIN_LOG_LEVEL'];
}

/** The configuration of a server or a worker. */
export const loadConfig = (): Config => readConfig(process.env);

/** The blockchains, for an operator's command, which needs nothing else of a server's configuration. */
export function loadChains(env: Env = process.env): readonly NetworkConfig[] {
  const { values, faults } = readValues(env, ['FLORIN_MODE', 'FLORIN_HOME_BLOCKCHAIN', 'FLORIN_CHAINS']);
  faults.push(...findChainFaults(values));
  if (faults.length > 0) throw new ConfigError(faults);
  return (values.FLORIN_CHAINS ?? []).map(toNetworkConfig);
}

/**
 * Reads variables from a file for those that the environment does not set. Without a file and without a DATABASE_URL,
 * it uses the sandbox that runs here. Returns the file.
 */
export function loadEnvFile(file: string | undefined, { orSandbox = false } = {}): string | undefined {
  const { env } = process;
  const found = file ?? (orSandbox && !env.DATABASE_URL ? findSandboxEnv(env.FLORIN_DATA_DIR) : undefined);
  if (found === undefined) return undefined;
  for (const [name, value] of Object.entries(readEnvFile(found))) if (!env[name]) env[name] = value;
  return found;
}

/** The configuration of the signer. Faults of its seed file are reported in the same list. */
export async function loadSignerConfig(): Promise<SignerConfig> {
  const { FLORIN_WALLET_SEED_FILE: file, FLORIN_WALLET_SECRET: secret } = process.env;
  const found = file && secret ? await findSeedFileFaults(file, secret) : [];
  const faults = found.filter(({ isWarning }) => !isWarning).map(({ says, fix }) => `${says}: ${fix}`);
  try {
    const config = readSigner(process.env);
    if (faults.length === 0) return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.unshift(...error.faults);
  }
  throw new ConfigError(faults);
}

export const readSigner = (env: Env): SignerConfig => readSignerConfig(env, findDatabaseFaults);

/** The configuration of the operator console. */
export const loadConsoleConfig = (): ConsoleConfig => readConsole(process.env);

export const readConsole = (env: Env): ConsoleConfig => readConsoleConfig(env, findDatabaseFaults);

/** For `florin doctor`, which reports its faults. */
export const loadEnvironment = (): Env => process.env;

/** The configuration of `florin seed`. */
export const loadSeedConfig = (needsNext: boolean): ReturnType<typeof readSeedConfig> =>
  readSeedConfig(process.env, needsNext);

/** The only setting of commands that work on the database alone. */
export function readDatabaseUrl(env: Env = process.env): string {
  if (!env.DATABASE_URL)
    throw new ConfigError([
      'DATABASE_URL is missing, and no sandbox runs here: set it, give an --env-file, or run npm start',
    ]);
  return readUrl(env, 'DATABASE_URL');
}

/** Where the sandbox of this command keeps calls; undefined in production. */
export const findCallsFile = (env: Env = process.env): string | undefined => env.FLORIN_CALLS_FILE || undefined;

/** The only setting of the migration. */
export const readOwnerDatabaseUrl = (env: Env = process.env): string =>
  readUrl(env, env.FLORIN_OWNER_DATABASE_URL ? 'FLORIN_OWNER_DATABASE_URL' : 'DATABASE_URL');

/** Node reads its own environment, even if our configuration was read from elsewhere. */
const verifiesNothing = (): boolean => process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0';

function readUrl(env: Env, name: 'DATABASE_URL' | 'FLORIN_OWNER_DATABASE_URL'): string {
  const result = variables.DATABASE_URL.schema.safeParse(env[name] || undefined);
  if (!result.success) throw new ConfigError([`${name} ${renderIssue(result.error.issues[0]!, env[name])}`]);
  const faults = env.FLORIN_MODE === 'sandbox' ? [] : findDatabaseTlsFaults(result.data, isLoopback, verifiesNothing());
  if (faults.length > 0) throw new ConfigError(faults.map((fault) => `${name} ${fault}`));
  return result.data;
}

export function readConfig(env: Env): Config {
  const { values, faults } = readValues(env);
  faults.push(
    ...(values.FLORIN_MODE === 'sandbox'
      ? findSandboxFaults(values, env)
      : findProductionFaults(values, env, findDatabaseFaults)),
  );
  faults.push(...findChainFaults(values), ...findTlsFaults(values), ...findCallerFaults(values, env));
  faults.push(...findWalletFaults(values), ...findCommonProviderFaults(values));
  if (faults.length > 0) throw new ConfigError(faults);
  const config = toConfig(values as Values);
  const doubles = findDoubles(config.issuers);
  if (doubles.length > 0) throw new ConfigError(doubles);
  return config;
}

/** With two rules for one issuer, the later would silently win; two issuers with one identity would share people. */
function findDoubles(rules: readonly IssuerRule[]): string[] {
  const twice = (names: readonly string[]) => new Set(names.filter((name, i) => names.indexOf(name) !== i));
  return [
    ...[...twice(rules.flatMap(({ issuers }) => issuers))].map((name) => `the issuer ${name} is configured twice`),
    ...[...twice(rules.map(({ identity }) => identity))].map((name) => `two issuers share the identity ${name}`),
  ];
}

function findTlsFaults(values: Partial<Values>): readonly string[] {
  const { files, faults } = findTlsFiles(values);
  return files ? readTls(files).faults : faults;
}

function findDatabaseFaults(text: string, name: string): string[] {
  const url = new URL(listHosts(text)[0]!);
  const faults = findDatabaseTlsFaults(text, isLoopback, verifiesNothing()).map((fault) => `${name} ${fault}`);
  const password = decodeURIComponent(url.password) || (url.searchParams.get('password') ?? '');
  if (password !== '' && isGuessed(password)) faults.push(`${name} has a password that is easy to guess`);
  return faults;
}

function toSumsub(values: Values): SumsubOptions | undefined {
  const [appToken, secretKey, webhookSecret] = SUMSUB.map((name) => values[name]);
  if (!appToken || !secretKey || !webhookSecret) return undefined;
  return {
    appToken,
    secretKey,
    webhookSecret,
    webhookAlgorithm: values.FLORIN_SUMSUB_WEBHOOK_ALGORITHM,
    level: values.FLORIN_SUMSUB_LEVEL,
    url: values.FLORIN_SUMSUB_URL,
  };
}

function toConfig(values: Values): Config {
  const issuers = toIssuers(values);
  return {
    mode: values.FLORIN_MODE,
    host: values.FLORIN_HOST,
    web3Port: values.FLORIN_WEB3_PORT,
    backendPort: values.FLORIN_BACKEND_PORT,
    tls: findTlsFiles(values).files,
    opsHost: values.FLORIN_OPS_HOST,
    opsHosts: values.FLORIN_OPS_ALLOWED_HOSTS,
    opsPort: values.FLORIN_OPS_PORT,
    workerOpsPort: values.FLORIN_WORKER_OPS_PORT,
    lookEveryMs: values.FLORIN_LOOK_SECONDS * 1_000,
    otlp: toOtlp(values),
    databaseUrl: values.DATABASE_URL,
    databaseReadUrl: values.FLORIN_DATABASE_READ_URL,
    databaseConnections: values.FLORIN_DATABASE_CONNECTIONS,
    issuers,
    signer: { urls: values.FLORIN_SIGNER_URL, token: values.FLORIN_SIGNER_TOKEN ?? '' },
    sumsub: toSumsub(values),
    homeBlockchain: values.FLORIN_HOME_BLOCKCHAIN,
    chains: values.FLORIN_CHAINS.map(toNetworkConfig),
    elsewhere: toUnwatchedChains(values),
    prices: values.FLORIN_PRICES,
    custody: {
      relayers: values.FLORIN_RELAYERS,
      maxFeeWei:
        values.FLORIN_MAX_FEE_GWEI === undefined ? undefined : BigInt(values.FLORIN_MAX_FEE_GWEI) * 1_000_000_000n,
      settleEveryMs: values.FLORIN_SETTLE_SECONDS * 1000,
      reconcileEveryMs: values.FLORIN_RECONCILE_SECONDS * 1000,
    },
    sendRules: {
      approvalThreshold: values.FLORIN_APPROVAL_THRESHOLD,
      newRecipientDelaySeconds: values.FLORIN_NEW_RECIPIENT_DELAY_SECONDS,
      // In the sandbox, a change of the token's state takes effect immediately.
      blacklistSeconds: values.FLORIN_BLACKLIST_SECONDS ?? (values.FLORIN_MODE === 'sandbox' ? 0 : 60),
    },
    sessions: {
      accessTokenSeconds: values.FLORIN_ACCESS_TOKEN_SECONDS,
      refreshTokenSeconds: values.FLORIN_REFRESH_TOKEN_SECONDS,
      sessionSeconds: values.FLORIN_SESSION_SECONDS,
    },
    usernameCooldownDays: values.FLORIN_USERNAME_COOLDOWN_DAYS,
    browsers: {
      hosts: values.FLORIN_ALLOWED_HOSTS,
      origins: values.FLORIN_ALLOWED_ORIGINS,
      loopback: values.FLORIN_MODE === 'sandbox',
    },
    proxies: values.FLORIN_TRUSTED_PROXIES,
    connections: { ...CONNECTIONS, ...values.FLORIN_CONNECTIONS },
    rates: { ...RATES[values.FLORIN_MODE], ...values.FLORIN_RATE_LIMITS },
    retention: { ...RETENTION, ...values.FLORIN_RETENTION_DAYS },
    requiresIdempotencyKeys: values.FLORIN_REQUIRE_IDEMPOTENCY_KEY ?? values.FLORIN_MODE === 'production',
    publicUrls: {
      ...(values.FLORIN_PUBLIC_WEB3_URL && { web3: values.FLORIN_PUBLIC_WEB3_URL }),
      ...(values.FLORIN_PUBLIC_BACKEND_URL && { backend: values.FLORIN_PUBLIC_BACKEND_URL }),
    },
    examplesFile: values.FLORIN_EXAMPLES_FILE,
    callsFile: values.FLORIN_CALLS_FILE,
    wallet: getWallet(values, issuers),
    logLevel: values.FLORIN_LOG_LEVEL,
  };
}

function getWallet(values: Values, issuers: readonly IssuerRule[]): WalletConfig | undefined {
  const wallet = toWallet(values, issuers);
  if (typeof wallet === 'string') throw new ConfigError([wallet]);
  return wallet;
}

function toOtlp(values: Values): Config['otlp'] {
  const url = values.FLORIN_OTLP_URL ?? values.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (url === undefined) return undefined;
  return { url, headers: values.OTEL_EXPORTER_OTLP_HEADERS, ...toTracing(values) };
}

const CONNECTIONS: ConnectionLimits = { all: 8_000, address: 500 };

const RETENTION: Retention = {
  answers: 90,
  carriers: 90,
  deliveries: 30,
  events: 0,
  notes: 0,
  refusals: 90,
  sessions: 90,
  spendings: 60,
};

/** The sandbox needs no rate limits, and benchmarks would reach them. */
const PLENTY = 10_000_000;
const RATES: Record<Config['mode'], RateQuotas> = {
  production: { address: 600, login: 30, user: 300, key: 6_000, kyc: 10, name: 30, preview: 60, ask: 20, export: 3 },
  sandbox: {
    address: PLENTY,
    login: PLENTY,
    user: PLENTY,
    key: PLENTY,
    kyc: PLENTY,
    name: PLENTY,
    preview: PLENTY,
    ask: PLENTY,
    export: PLENTY,
  },
};
