import type { Queryable } from '../db/database.ts';

export type PauseCause = 'drift' | 'strange' | 'reorg' | 'gas' | 'operator';

interface SendPause {
  readonly blockchain: string;
  readonly cause: PauseCause;
  readonly reason: string;
  readonly pausedAt: Date;
}

/** The first reason of a cause stays: it says what began it. */
export async function pauseSends(db: Queryable, assetId: number, cause: PauseCause, reason: string): Promise<void> {
  await db.query(
    `INSERT INTO send_pauses (asset_id, cause, reason) VALUES ($1, $2, $3) ON CONFLICT (asset_id, cause) DO NOTHING`,
    [assetId, cause, reason],
  );
}

export async function liftPause(db: Queryable, assetId: number, cause: PauseCause): Promise<void> {
  await db.query('DELETE FROM send_pauses WHERE asset_id = $1 AND cause = $2', [assetId, cause]);
}

/** Running dry, and a reorg, stop new sends, not the promised ones; every other cause stops both. */
export async function isSigningPaused(db: Queryable, assetId: number): Promise<boolean> {
  const rows = await db.query(`SELECT FROM send_pauses WHERE asset_id = $1 AND cause NOT IN ('gas', 'reorg') LIMIT 1`, [
    assetId,
  ]);
  return rows.length > 0;
}

export async function listPauses(db: Queryable): Promise<SendPause[]> {
  return db.query<SendPause>(
    `SELECT s.blockchain, p.cause, p.reason, p.paused_at AS "pausedAt"
       FROM send_pauses p JOIN assets s USING (asset_id) ORDER BY p.paused_at`,
  );
}
