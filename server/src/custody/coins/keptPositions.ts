/**
 * The amount that every wallet's owner is owed is stored next to its coins (`holdings.ledger`), so that an index finds
 * surpluses (`holdings.surplus`). Payments between people do not write it. This file updates it from the ledger's
 * movements, once per wallet, however many payments the wallet had. The stored amount may be behind:
 * docs/decisions/0014-kept-positions.md.
 */
import type { Db, Queryable } from '../../db/database.ts';
import { rebase } from '../../ledger/accounts.ts';

/** Movements per step. */
const MOVEMENTS = 300_000;
/** Wallets per commit. Anyone who needs one of them waits only as long as these lookups take. */
const CHUNK = 2_000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

interface Touched {
  readonly to_seq: bigint;
  readonly is_all: boolean;
  readonly asset_id: number | null;
  readonly wallets: readonly string[];
  readonly paid_seq: bigint;
}

/** Follows the ledger. Returns the `seq` below which every movement is included now. */
export async function followLedger(db: Db): Promise<bigint> {
  for (;;) {
    const [kept] = await db.query<{ seq: bigint }>('SELECT seq FROM kept_positions');
    if (!kept) return lookUpAll(db);
    const touched = await db.query<Touched>('SELECT * FROM touched_wallets($1, $2)', [kept.seq, MOVEMENTS]);
    const { to_seq: to, is_all: isAll, asset_id: first } = touched[0]!;
    // The database was restored logically while this worker was running: movements are numbered from a lower value
    // again, and the feed waits for them.
    if (to < kept.seq) {
      await rebase(db);
      return lookUpAll(db);
    }
    // Nothing has moved, so nothing is written.
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
    // Another worker may have advanced it in the meantime.
    await db.query('UPDATE kept_positions SET seq = $2, kept_at = clock_timestamp() WHERE seq = $1', [kept.seq, to]);
    // A long write transaction holds `ledger_settled_seq()` back. The movements after it are included when it has
    // ended.
    if (isAll || to === kept.seq) return to;
  }
}

/** The same, unless it ran within this time. Returns whether it ran now. */
export async function followLedgerNow(db: Db, unlessWithinMs: number): Promise<boolean> {
  const recent = await db.query(
    `SELECT FROM kept_positions WHERE kept_at > clock_timestamp() - $1 * interval '1 millisecond'`,
    [unlessWithinMs],
  );
  if (recent.length > 0) return false;
  await followLedger(db);
  return true;
}

/** Looks up every wallet: once after the upgrade, and when other wallets hold a network's coins. */
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
    // It is unknown whether there were any payments, so assume that there were some.
    [now!.seq - 1n],
  );
  await db.query(
    `INSERT INTO kept_positions (seq) VALUES ($1)
     ON CONFLICT (only_one) DO UPDATE SET seq = excluded.seq, kept_at = clock_timestamp()`,
    [now!.seq],
  );
  return now!.seq;
}

/** Looks up and stores the amounts that these wallets' owners are owed. */
export const keepPositions = (db: Queryable, assetId: number, walletIds: readonly string[]): Promise<unknown> =>
  db.query('SELECT keep_positions($1, $2)', [assetId, walletIds]);
