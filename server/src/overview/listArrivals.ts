import type { Block, TokenLog } from '../core/ports.ts';
import type { Queryable } from '../db/database.ts';

export type ArrivingTransfer = Extract<TokenLog, { kind: 'transfer' }>;

/**
 * The transfers of one token that are not final and will be credited to the wallet's owner: deposits from outside, and
 * sends. Settlements and unexplained moves between our own wallets credit no one (`custody/watch/matchLogs`): in a
 * settlement the receiver already has the money.
 */
export async function listArrivals(
  db: Queryable,
  assetId: number,
  logs: readonly TokenLog[],
  wallets: ReadonlySet<string>,
  final: Block,
): Promise<ArrivingTransfer[]> {
  const open = logs.filter(
    (log): log is ArrivingTransfer => log.kind === 'transfer' && log.blockNumber > final.number && wallets.has(log.to),
  );
  const isOurs = ({ from }: ArrivingTransfer) => wallets.has(from);
  if (!open.some(isOurs)) return open;
  const sends = await countSends(db, assetId, open.filter(isOurs), final);
  return open.filter((log) => {
    if (!isOurs(log)) return true;
    const left = sends.get(keyOf(log)) ?? 0;
    sends.set(keyOf(log), left - 1);
    return left > 0;
  });
}

const keyOf = ({ from, to, amount }: ArrivingTransfer): string => `${from} ${to} ${amount}`.toLowerCase();

/** The number of sends that can be transfers with the same wallets and amount. */
async function countSends(
  db: Queryable,
  assetId: number,
  logs: readonly ArrivingTransfer[],
  final: Block,
): Promise<Map<string, number>> {
  const rows = await db.query<{ key: string; sends: number }>(
    `SELECT key, count(*)::integer AS sends
       FROM coin_moves m, lower(concat_ws(' ', m.from_address, m.to_address, m.amount)) AS key
      WHERE m.asset_id = $1 AND m.purpose = 'send' AND key = ANY ($2)
        AND (m.state = 'open' AND m.started_at IS NOT NULL OR m.state = 'done' AND m.block_number > $3)
      GROUP BY key`,
    [assetId, logs.map(keyOf), final.number],
  );
  return new Map(rows.map(({ key, sends }) => [key, sends]));
}
