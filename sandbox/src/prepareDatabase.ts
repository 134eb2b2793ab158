import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../server/src/db/migrate.ts';
import { createLogin } from './createLogin.ts';
import { StartFault } from './fault.ts';
import { createOperators, type OperatorLogins } from './postgres/createOperators.ts';

const PATIENCE_MS = 30_000;

async function query<Row>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as Row[];
  } finally {
    await client.end().catch(() => {});
  }
}

/** Creates a database in the built-in server. `name` is a constant of ours, never user input. */
export async function createDatabase(adminUrl: string, name: string): Promise<void> {
  const [found] = await query(adminUrl, 'SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (!found) await query(adminUrl, `CREATE DATABASE ${name}`);
}

/** A server given by DATABASE_URL may still be starting: waits for it, then throws the reason. */
export async function waitForDatabase(
  url: string,
  { note, stopping }: { note: (line: string) => void; stopping: AbortSignal },
): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const where = `${hostname}:${port || 5432}${pathname}`;
  const deadline = Date.now() + PATIENCE_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      await query(url, 'SELECT 1');
      return;
    } catch (cause) {
      const { code, message } = cause as { code?: string; message: string };
      const reason = message || code || 'no answer';
      // Wrong password, no such user, no such database: waiting does not help.
      const hopeless = code?.startsWith('28') || code === '3D000' || code === 'ENOTFOUND';
      if (hopeless || Date.now() > deadline) {
        throw new StartFault(`The database of DATABASE_URL (${where}) cannot be used: ${reason}`, { cause });
      }
      if (attempt === 1) note(`The database of DATABASE_URL (${where}) does not answer yet (${reason}); waiting …`);
      await sleep(500, undefined, { signal: stopping });
    }
  }
}

/** The database URLs of the processes and of the operators. */
export interface Logins {
  readonly server: string;
  readonly worker: string;
  readonly signer: string;
  readonly console: string;
  readonly operators: OperatorLogins;
}

/** Tables, functions, roles, logins and limits as in production, but any number of payments. */
export async function prepareDatabase(url: string, log: (line: string) => void): Promise<Logins> {
  try {
    await migrate(url, { log });
  } catch (cause) {
    throw new StartFault(`The database cannot be migrated: ${(cause as Error).message}`, { cause });
  }
  const operators = await createOperators(url);
  await chooseTiers(operators.admin);
  return {
    operators,
    server: await createLogin(url, { name: 'api', roles: ['server'] }),
    worker: await createLogin(url, { name: 'carrier', roles: ['worker'] }),
    signer: await createLogin(url, { name: 'signing', roles: ['signer'] }),
    console: await createLogin(url, { name: 'desk', roles: ['console'] }),
  };
}

/** The reason of the limits that earlier sandboxes had: a million per payment, whether verified or not. */
const EARLIER = 'play money';

/**
 * The amounts are those of production, so that a passed identity check makes a difference. The number of payments is not
 * limited, because tests repeat them. Done once, so that limits which a developer sets later are kept.
 */
async function chooseTiers(adminUrl: string): Promise<void> {
  const usdc = (amount: number) => String(amount * 1_000_000);
  const limits = {
    unverified: { payment: usdc(100), day: usdc(250), month: usdc(1_000), count: null },
    verified: { payment: usdc(10_000), day: usdc(25_000), month: usdc(100_000), count: null },
  };
  await query(
    adminUrl,
    `SELECT ledger_set_tier(name, $1::jsonb -> name, session_user::text, 'sandbox') FROM tiers
      WHERE name IN ('unverified', 'verified') AND NOT EXISTS (SELECT FROM tier_changes WHERE reason IS DISTINCT FROM $2)`,
    [limits, EARLIER],
  );
}

export interface Treasury {
  readonly wallet_id: string;
  readonly address: string;
}

/** The treasury wallet, which the signer creates at its first start. */
export async function getTreasury(url: string): Promise<Treasury> {
  const [treasury] = await query<Treasury>(
    url,
    // The wallet on the local chains: on Solana and Aptos it has others.
    `SELECT DISTINCT w.wallet_id, w.address FROM owner_wallets w JOIN assets USING (asset_id)
       JOIN networks n USING (network_id) WHERE w.kind = 'treasury' AND n.family = 'evm'`,
  );
  if (!treasury) throw new Error('the signer created no treasury wallet');
  return treasury;
}
