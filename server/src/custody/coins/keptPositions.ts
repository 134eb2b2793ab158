/**
 * What every wallet's owner is owed is kept beside its coins (`holdings.ledger`), so that surpluses are found by an index
 * (`holdings.surplus`). Payments between people write none of it: here it follows the ledger's movements, for each wallet
 * once, however often it was paid. It may be behind: docs/decisions/0014-kept-positions.md.
 */
import type { Db, Queryable } from '../../db/database.ts';
import { rebase } from '../../ledger/accounts.ts';

/** Movements that are followed at once. */
const MOVEMENTS = 300_000;
/** Wallets per commit: whoever needs one of them waits no longer than it takes to look these up. */
const CHUNK = 2_000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

interface Touched {
  readonly to_seq: bigint;
  readonly is_all: boolean;
  readonly asset_id: number | null;
  readonly wallets: readonly string[];
  readonly paid_seq: bigint;
}

/** Follows the ledger; answers the `seq` below which every movement is followed now. */
export async function followLedger(db: Db): Promise<bigint> {
  for (;;) {
    const [kept] = await db.query<{ seq: bigint }>('SELECT seq FROM kept_positions');
    if (!kept) return lookUpAll(db);
    const touched = await db.query<Touched>('SELECT * FROM touched_wallets($1, $2)', [kept.seq, MOVEMENTS]);
    const { to_seq: to, is_all: isAll, asset_id: first } = touched[0]!;
    // A logical restore, while this worker was running: movements are numbered from below, and the feed waits for them.
    if (to < kept.seq) {
      await rebase(db);
      return lookUpAll(db);
    }
    // Nothing has moved, and nothing is written.
    if (isAll && first === null) return to;
    for (const { asset_id: assetId, wallets, paid_seq: paidSeq } of touched) {
      if (assetId === null) continue;
      for (let i = 0; i < wallets.length; i += CHUNK) await keepPositions(db, assetId, wallets.slice(i, i + CHUNK));
      await db.query(
        `INSERT INTO asset_positions AS a (asset_id, paid_seq) VALUES ($1, $2)
         ON CONFLICT (asset_id) DO UPDATE SET paid_seq = excluded.paid_seq WHERE a.paid_seq < excluded.paid_seq`,
        [assetId, paidSeq],
      );
    }
    // Another worker may have come further meanwhile.
    await db.query('UPDATE kept_positions SET seq = $2, kept_at = clock_timestamp() WHERE seq = $1', [kept.seq, to]);
    // A long write transaction holds `ledger_settled_seq()` back: the movements after it are followed when it has ended.
    if (isAll || to === kept.seq) return to;
  }
}

/** The same, unless that was done a moment ago. Answers whether it was done now. */
export async function followLedgerNow(db: Db, unlessWithinMs: number): Promise<boolean> {
  const recent = await db.query(
    `SELECT FROM kept_positions WHERE kept_at > clock_timestamp() - $1 * interval '1 millisecond'`,
    [unlessWithinMs],
  );
  if (recent.length > 0) return false;
  await followLedger(db);
  return true;
}

/** Once after the upgrade, and when other wallets hold a network's coins: every wallet is looked up. */
async function lookUpAll(db: Db): Promise<bigint> {
  await db.query('SELECT recount_settlements()');
  const [now] = await db.query<{ seq: bigint }>('SELECT ledger_settled_seq() AS seq');
  const assets = await db.query<{ asset_id: number }>('SELECT asset_id FROM assets');
  for (let after = BEFORE_ALL; ; ) {
    const rows = await db.query<{ wallet_id: string }>(
      'SELECT wallet_id FROM wallets WHERE wallet_id > $1 ORDER BY wallet_id LIMIT $2',
      [after, CHUNK],
    );
    const ids = rows.map((row) => row.wallet_id);
    for (const { asset_id: assetId } of assets) await keepPositions(db, assetId, ids);
    if (ids.length < CHUNK) break;
    after = ids.at(-1)!;
  }
  await db.query(
    `INSERT INTO asset_positions (asset_id, paid_seq)
     SELECT asset_id, $1 FROM assets ON CONFLICT (asset_id) DO UPDATE SET paid_seq = $1`,
    // Whether there was any is not known.
    [now!.seq - 1n],
  );
  await db.query(
    `INSERT INTO kept_positions (seq) VALUES ($1)
     ON CONFLICT (only_one) DO UPDATE SET seq = excluded.seq, kept_at = clock_timestamp()`,
    [now!.seq],
  );
  return now!.seq;
}

/** Looks up what these wallets' owners are owed. */
export const keepPositions = (db: Queryable, assetId: number, walletIds: readonly string[]): Promise<unknown> =>
  db.query('SELECT keep_positions($1, $2)', [assetId, walletIds]);
