import type { BlockList } from 'node:net';
import type { IssuerRule } from '../../../adapters/identity/issuerRule.ts';
import type { OpsEndpoint } from '../../../http/ops/openOps.ts';
import { ConfigError } from '../configError.ts';
import { findProductionFaults, findSandboxFaults } from '../faults/modeFaults.ts';
import { toIssuers } from '../issuers/toIssuers.ts';
import { SIGNER_SECRETS } from '../signerConfig.ts';
import { findTlsFiles, readTls, type TlsFiles } from '../tlsFiles.ts';
import { type Env, readValues } from '../values.ts';
import type { Values } from '../variables.ts';

export interface ConsoleConfig {
  readonly mode: 'production' | 'sandbox';
  readonly host: string;
  readonly port: number;
  /** Undefined in the sandbox, which accepts the names of this machine. */
  readonly url: string | undefined;
  readonly tls: TlsFiles | undefined;
  readonly proxies: BlockList;
  /** The console's own login. Operators use the same database with their logins. */
  readonly databaseUrl: string;
  readonly issuers: readonly IssuerRule[];
  readonly login: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string | undefined };
  readonly idleSeconds: number;
  readonly sessionSeconds: number;
  readonly homeBlockchain: string;
  readonly brand: NonNullable<Values['FLORIN_WALLET_BRAND']>;
  readonly walletUrl: string | undefined;
  readonly sandbox: Values['FLORIN_CONSOLE_SANDBOX'];
  readonly ops: OpsEndpoint;
  readonly logLevel: Values['FLORIN_LOG_LEVEL'];
}

type FindDatabaseFaults = (url: string, name: string) => string[];

export function readConsoleConfig(env: Env, findDatabaseFaults: FindDatabaseFaults): ConsoleConfig {
  const { values, faults } = readValues(env);
  const isSandbox = values.FLORIN_MODE === 'sandbox';
  faults.push(
    ...(isSandbox ? findSandboxFaults(values, env) : findProductionFaults(values, env, findDatabaseFaults)),
    ...findConsoleFaults(values, env),
  );
  const { files: tls, faults: tlsFaults } = findTlsFiles(values);
  faults.push(...(tls ? readTls(tls).faults : tlsFaults));
  if (faults.length > 0) throw new ConfigError(faults);
  return toConsoleConfig(values as Values);
}

/** It logs in as operators, so a process that has it must have nothing else. */
const OTHERS_SECRETS = [...SIGNER_SECRETS, 'FLORIN_SIGNER_TOKEN', 'FLORIN_OWNER_DATABASE_URL'];

function findConsoleFaults(values: Partial<Values>, env: Env): string[] {
  const isSandbox = values.FLORIN_MODE === 'sandbox';
  const faults = OTHERS_SECRETS.filter((name) => env[name]).map(
    (name) => `${name} is set: the console must not have it (docs/operating/console.md)`,
  );
  if (isSandbox) return faults;
  const { FLORIN_CONSOLE_URL: url, FLORIN_CONSOLE_SANDBOX: sandbox } = values;
  if (sandbox) faults.push('FLORIN_CONSOLE_SANDBOX is only for the sandbox: it has passwords of operators');
  if (!url) faults.push('FLORIN_CONSOLE_URL is missing: operators open the console there');
  else if (!url.startsWith('https://')) faults.push('FLORIN_CONSOLE_URL must use https');
  else if (url === values.FLORIN_WALLET_URL) faults.push('FLORIN_CONSOLE_URL must not be the URL of the wallet');
  return faults;
}

function toConsoleConfig(values: Values): ConsoleConfig {
  const issuers = toIssuers(values);
  const wanted = values.FLORIN_CONSOLE_ISSUER?.replace(/\/$/, '');
  const used = issuers.find(
    ({ issuers: names }) => wanted === undefined || names.some((name) => name.replace(/\/$/, '') === wanted),
  );
  if (!used) throw new ConfigError(['FLORIN_CONSOLE_ISSUER is not one of the issuers whose ID tokens are accepted']);
  return {
    mode: values.FLORIN_MODE,
    host: values.FLORIN_HOST,
    port: values.FLORIN_CONSOLE_PORT,
    url: values.FLORIN_CONSOLE_URL,
    tls: findTlsFiles(values).files,
    proxies: values.FLORIN_TRUSTED_PROXIES,
    databaseUrl: values.DATABASE_URL,
    issuers: [used],
    login: {
      issuer: used.issuers[0],
      clientId: used.audiences[0]!,
      clientSecret: values.FLORIN_CONSOLE_CLIENT_SECRET,
    },
    idleSeconds: values.FLORIN_CONSOLE_IDLE_SECONDS,
    sessionSeconds: values.FLORIN_CONSOLE_SESSION_SECONDS,
    homeBlockchain: values.FLORIN_HOME_BLOCKCHAIN,
    brand: values.FLORIN_WALLET_BRAND ?? {},
    walletUrl: values.FLORIN_WALLET_URL,
    sandbox: values.FLORIN_CONSOLE_SANDBOX,
    ops: {
      host: values.FLORIN_OPS_HOST,
      hosts: values.FLORIN_OPS_ALLOWED_HOSTS,
      port: values.FLORIN_CONSOLE_OPS_PORT,
    },
    logLevel: values.FLORIN_LOG_LEVEL,
  };
}
