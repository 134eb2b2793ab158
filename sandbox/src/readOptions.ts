import { basename, resolve } from 'node:path';
import { StartFault } from './fault.ts';

const WALLET_KEYS = ['local', 'circle', 'circle_send'] as const;
export type WalletKeys = (typeof WALLET_KEYS)[number];

export interface Options {
  readonly root: string;
  readonly dataDir: string;
  readonly web3Port: number;
  readonly backendPort: number;
  readonly walletPort: number;
  readonly consolePort: number;
  /** The user's own PostgreSQL, instead of the built-in one. */
  readonly databaseUrl?: string;
  readonly fresh: boolean;
  /** The holder of the wallets' keys. Undefined: the same as at the last start. */
  readonly wallets?: WalletKeys;
}

export const HELP = `Starts a Florin sandbox: PostgreSQL, an OpenID issuer, both APIs and a few people to try things out with.

  npm start                 start it; data of earlier starts is kept
  npm start -- --fresh      empty it first
  npm start -- --wallets circle
                            with keys held by (a double of) Circle, from the first start on;
                            circle_send: Circle also sends
  npm start -- --help       this text

  FLORIN_WEB3_PORT=8000     port of the Web3 API
  FLORIN_BACKEND_PORT=8001  port of the Backend API
  FLORIN_WALLET_PORT=8080   port of the wallet app
  FLORIN_CONSOLE_PORT=8003  port of the operator console
  FLORIN_DATA_DIR=.florin   where everything is kept
  DATABASE_URL=postgres://… your own PostgreSQL instead of the built-in one
`;

const ROOT = resolve(import.meta.dirname, '../..');

/** Returns 'help' for `--help`. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options | 'help' {
  if (args.some((arg) => arg === '--help' || arg === '-h')) return 'help';
  const { values, unknown } = readArguments(args);
  if (unknown !== undefined) {
    throw new StartFault(`There is no option ${unknown}. See npm start -- --help`);
  }
  if (env.FLORIN_MODE === 'production' || env.NODE_ENV === 'production') {
    throw new StartFault(
      'This is the sandbox: it does not start in production (FLORIN_MODE or NODE_ENV is set to production).',
    );
  }
  const ports = {
    web3Port: readPort(env, 'FLORIN_WEB3_PORT', 8000),
    backendPort: readPort(env, 'FLORIN_BACKEND_PORT', 8001),
    walletPort: readPort(env, 'FLORIN_WALLET_PORT', 8080),
    consolePort: readPort(env, 'FLORIN_CONSOLE_PORT', 8003),
  };
  if (new Set(Object.values(ports)).size < 4) {
    throw new StartFault(
      'FLORIN_WEB3_PORT, FLORIN_BACKEND_PORT, FLORIN_WALLET_PORT and FLORIN_CONSOLE_PORT must be four different ports.',
    );
  }
  const { fresh, wallets } = values;
  const databaseUrl = readDatabaseUrl(env.DATABASE_URL, fresh);
  const dataDir = resolve(ROOT, env.FLORIN_DATA_DIR || '.florin');
  return { root: ROOT, dataDir, fresh, ...ports, ...(wallets && { wallets }), ...(databaseUrl && { databaseUrl }) };
}

function readArguments(args: readonly string[]): {
  values: { fresh: boolean; wallets: WalletKeys | undefined };
  unknown: string | undefined;
} {
  let fresh = false;
  let wallets: WalletKeys | undefined;
  const rest = args.flatMap((arg) => (arg.startsWith('--wallets=') ? ['--wallets', arg.slice(10)] : [arg]));
  for (let i = 0; i < rest.length; i++) {
    if (rest[i] === '--fresh') fresh = true;
    else if (rest[i] === '--wallets') {
      const given = rest[++i];
      const known = WALLET_KEYS.find((name) => name === given);
      if (!known) {
        throw new StartFault(
          `--wallets must be local, circle or circle_send${given === undefined ? '' : `, not "${given}"`}.`,
        );
      }
      wallets = known;
    } else return { values: { fresh, wallets }, unknown: rest[i] };
  }
  return { values: { fresh, wallets }, unknown: undefined };
}

function readPort(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const text = env[name] || String(fallback);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535)
    throw new StartFault(`${name} must be a port, a number from 1 to 65535, not "${text}".`);
  return port;
}

/** The URL contains a password, so no message shows it. */
function readDatabaseUrl(text: string | undefined, fresh: boolean): string | undefined {
  if (!text) return undefined;
  if (!URL.canParse(text) || !/^postgres(ql)?:$/.test(new URL(text).protocol)) {
    throw new StartFault('DATABASE_URL is not a URL of the form postgres://user:password@host:5432/database.');
  }
  if (fresh) {
    const name = basename(new URL(text).pathname);
    throw new StartFault(
      `--fresh empties the built-in PostgreSQL only. DATABASE_URL names a database of yours (${name}): empty it yourself.`,
    );
  }
  return text;
}
