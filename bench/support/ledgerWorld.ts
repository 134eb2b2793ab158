/** A durable PostgreSQL for a benchmark, with pgbench's tables, Florin's tables, and people with money. */
import type { Db } from '../../server/src/db/database.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { sized } from './short.ts';
import { type BenchPostgres, startBenchPostgres } from './startBenchPostgres.ts';
import { type Pgbench, preparePgbench, printDurability } from './yardsticks/pgbench.ts';

export const HOME = 'ETH-SEPOLIA';
/** Can be shorter during development; published figures need the full time. */
export const SECONDS = Number(process.env.FLORIN_BENCH_SECONDS ?? sized(30, 1));

export interface Person {
  readonly userId: string;
  readonly username: string;
}

export interface World extends Omit<BenchPostgres, 'url'> {
  /** Runs pgbench on the same server. */
  readonly pgbench: Pgbench;
}

export async function openWorld(): Promise<World> {
  const { url, ...postgres } = await startBenchPostgres();
  await printDurability(url);
  return { pgbench: await preparePgbench(await postgres.createEmpty('yardstick')), ...postgres };
}

/** Recomputes every balance: no payment was lost or made twice during the benchmark. */
export async function proveBooks(db: Db): Promise<void> {
  const { transfers, faults } = await checkBooks(db);
  if (faults.length > 0) throw new Error(`the books do not balance: ${faults.slice(0, 3).join('; ')}`);
  console.log(`The books balance: ${transfers} transfers recomputed.`);
}

/** People with names, 1,000,000 USDC each, in a tier whose limits count every payment. */
export async function createPeople(db: Db, count: number, issuer = 'bench'): Promise<Person[]> {
  const assetId = await openAsset(db, HOME, 'USDC');
  const chain = await openHouseAccount(db, assetId, 'chain');
  // Letters only: names with digits could look alike, which is refused.
  const name = `'p' || translate(lpad(i::text, 6, '0'), '0123456789', 'abcdefghjk')`;
  await db.query(`INSERT INTO tiers (tier, name, payment_limit, day_limit, month_limit, currency)
    VALUES (1, 'bench', 1000000000000, 100000000000000, 1000000000000000, 'USDC')`);
  await db.query(
    `INSERT INTO users (user_id, issuer, subject)
     SELECT gen_random_uuid(), $2, ${name} FROM generate_series(1, $1::int) i`,
    [count, issuer],
  );
  await db.query(`INSERT INTO username_skeletons SELECT username_skeleton(subject), user_id FROM users`);
  await db.query('INSERT INTO usernames (username, user_id, claimed_at) SELECT subject, user_id, now() FROM users');
  await db.query(`INSERT INTO accounts (asset_id, kind, user_id, tier) SELECT $1, 'user', user_id, 1 FROM users`, [
    assetId,
  ]);
  // In steps: every deposit updates the same `chain` row, and one transaction would keep all its versions.
  const fund = (above: bigint) =>
    db.query<{ account_id: bigint }>(
      `SELECT account_id, ledger_apply(gen_random_uuid(), 'deposit', $1, account_id, 1000000000000, NULL, NULL)
         FROM (SELECT account_id FROM accounts WHERE kind = 'user' AND account_id > $2 ORDER BY account_id LIMIT 200) poor`,
      [chain, above],
    );
  for (let above: bigint | undefined = 0n; above !== undefined; ) above = (await fund(above)).at(-1)?.account_id;
  await db.query('VACUUM ANALYZE');
  return db.query<Person>('SELECT user_id AS "userId", username FROM usernames ORDER BY username');
}

export const round = (value: number, digits = 2): number => Math.round(value * 10 ** digits) / 10 ** digits;

export const median = (values: readonly number[]): number =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
