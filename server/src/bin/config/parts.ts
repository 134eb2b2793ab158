import type { NetworkConfig } from './chains.ts';
import { loadChains, readConfig, readConsole, readDatabaseUrl, readSigner } from './config.ts';
import { ConfigError } from './configError.ts';
import { toProviders } from './providerSettings.ts';
import { findTlsFiles, type TlsFiles } from './tlsFiles.ts';
import { type Env, readValues } from './values.ts';

/** The kind of process that a configuration belongs to. */
export const ROLES = ['server', 'worker', 'signer', 'console', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** The usable parts of a configuration, even if other parts have faults. */
interface Parts {
  readonly role: Role;
  /** The role was not given: a server and a worker have the same variables. */
  readonly isGuessed: boolean;
  readonly mode: 'production' | 'sandbox';
  readonly faults: readonly string[];
  readonly databaseUrl: string | undefined;
  /** Only servers read from standbys. */
  readonly databaseReadUrl: string | undefined;
  readonly tlsFiles: TlsFiles | undefined;
  /** Undefined: FLORIN_CHAINS cannot be read, or this process calls no node. */
  readonly chains: readonly NetworkConfig[] | undefined;
  readonly signer: { readonly urls: readonly string[]; readonly token: string } | undefined;
  readonly seed: { readonly file: string; readonly secret: string } | undefined;
  /** By adapter; empty unless this is the signer. */
  readonly providers: Readonly<Record<string, unknown>>;
}

export function readParts(env: Env, asked: Role | undefined): Parts {
  const { values } = readValues(env);
  const role = asked ?? guessRole(env);
  const { FLORIN_SIGNER_URL: urls = [], FLORIN_SIGNER_TOKEN: token } = values;
  const { FLORIN_WALLET_SEED_FILE: file, FLORIN_WALLET_SECRET: secret } = values;
  return {
    role,
    isGuessed: asked === undefined,
    mode: values.FLORIN_MODE ?? 'production',
    faults: findFaults(env, role),
    databaseUrl: values.DATABASE_URL,
    databaseReadUrl: role === 'server' ? values.FLORIN_DATABASE_READ_URL : undefined,
    tlsFiles: findTlsFiles(values).files,
    // The console calls no node.
    chains: role === 'console' ? undefined : values.FLORIN_CHAINS && attempt(() => loadChains(env)),
    signer: role !== 'signer' && urls.length > 0 && token ? { urls, token } : undefined,
    seed: role === 'signer' && file && secret ? { file, secret } : undefined,
    providers: role === 'signer' ? toProviders(values) : {},
  };
}

/** Derives the role from variables that only one kind of process has. */
function guessRole(env: Env): Role {
  if (env.FLORIN_WALLET_SEED_FILE || env.FLORIN_SIGNER_TOKENS) return 'signer';
  if (env.FLORIN_CONSOLE_URL || env.FLORIN_CONSOLE_SANDBOX) return 'console';
  return env.FLORIN_SIGNER_TOKEN && env.FLORIN_MODE !== 'sandbox' ? 'server' : 'operator';
}

function findFaults(env: Env, role: Role): readonly string[] {
  const readers = {
    server: [readConfig],
    worker: [readConfig],
    signer: [readSigner],
    console: [readConsole],
    operator: [readDatabaseUrl, loadChains],
  } as const;
  return readers[role].flatMap((read) => {
    try {
      read(env);
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.faults;
      throw error;
    }
  });
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
