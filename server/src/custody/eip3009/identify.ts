import type { TokenLog } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';
import type { KnownMove } from '../coins/moves.ts';
import type { Identified } from '../rail.ts';
import { isNonceLog, nonceKey, pairUses, readKnown } from './nonceLogs.ts';

/** The token itself says which authorization a transfer belongs to. So there is no doubt, and no maybe. */
export async function identify(db: Queryable, logs: readonly TokenLog[]): Promise<Identified> {
  const nonceLogs = logs.filter(isNonceLog);
  const known = await readKnown(db, nonceLogs);
  const yes = new Map<string, KnownMove>();
  for (const [place, { used }] of pairUses(logs)) {
    const move = known.get(nonceKey(used.authorizer, used.nonce));
    if (move) yes.set(place, move);
  }
  const canceled = nonceLogs.flatMap(({ kind, authorizer, nonce, txHash }) => {
    const move = known.get(nonceKey(authorizer, nonce));
    return kind === 'canceled' && move ? [{ move, txHash }] : [];
  });
  return { yes, maybe: new Set(), canceled };
}
