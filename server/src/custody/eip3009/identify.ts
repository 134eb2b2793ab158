import type { TokenLog } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';
import type { KnownMove } from '../coins/moves.ts';
import type { NetworkAsset } from '../network.ts';
import type { Identified } from '../rail.ts';
import { isNonceLog, isTransferOf, nonceKey, pairUses, readKnown } from './nonceLogs.ts';

/**
 * Identifies the move of each transfer. The token itself logs which authorization a transfer belongs to, so the result
 * is certain. A transfer with another amount or destination than its move is not that move, whatever its nonce.
 */
export async function identify(
  db: Queryable,
  { assetId }: NetworkAsset,
  logs: readonly TokenLog[],
): Promise<Identified> {
  const nonceLogs = logs.filter(isNonceLog);
  const known = await readKnown(db, assetId, nonceLogs);
  const yes = new Map<string, KnownMove>();
  for (const [place, use] of pairUses(logs)) {
    const move = known.get(nonceKey(use.used.authorizer, use.used.nonce));
    if (move && isTransferOf(move, use)) yes.set(place, move);
  }
  const canceled = nonceLogs.flatMap(({ kind, authorizer, nonce, txHash }) => {
    const move = known.get(nonceKey(authorizer, nonce));
    return kind === 'canceled' && move ? [{ move, txHash }] : [];
  });
  return { yes, maybe: new Set(), canceled };
}
