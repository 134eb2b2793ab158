import type { Hex, TokenLog } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';
import { type KnownMove, MOVE_COLUMNS } from '../coins/moves.ts';
import { type Identified, placeOf } from '../rail.ts';
import { toBytes, toHex } from './authorizations.ts';
import type { NonceLog } from './forgottenNonces.ts';

export const isNonceLog = (log: TokenLog): log is NonceLog => log.kind !== 'transfer';

/**
 * A transfer belongs to an authorization when it is the next log after its `AuthorizationUsed`: that is the order in which
 * the token speaks, and nothing can come between. So there is no doubt, and no maybe.
 */
export async function identify(db: Queryable, logs: readonly TokenLog[]): Promise<Identified> {
  const nonceLogs = logs.filter(isNonceLog);
  const known = await readKnown(
    db,
    nonceLogs.map(({ nonce }) => nonce),
  );
  const used = new Map<string, NonceLog>();
  for (const log of nonceLogs) if (log.kind === 'used') used.set(placeOf({ ...log, logIndex: log.logIndex + 1 }), log);
  const yes = new Map<string, KnownMove>();
  for (const log of logs) {
    if (log.kind !== 'transfer') continue;
    const claim = used.get(placeOf(log));
    const isItsOwn = claim?.txHash === log.txHash && claim.authorizer.toLowerCase() === log.from.toLowerCase();
    const move = isItsOwn && known.get(claim.nonce);
    if (move) yes.set(placeOf(log), move);
  }
  const canceled = nonceLogs.flatMap(({ kind, nonce, txHash }) => {
    const move = known.get(nonce);
    return kind === 'canceled' && move ? [{ move, txHash }] : [];
  });
  return { yes, maybe: new Set(), canceled };
}

async function readKnown(db: Queryable, nonces: readonly Hex[]): Promise<Map<string, KnownMove>> {
  if (nonces.length === 0) return new Map();
  const rows = await db.query<KnownMove & { nonce: Buffer }>(
    `SELECT a.nonce, ${MOVE_COLUMNS} FROM authorizations a JOIN coin_moves m USING (move_id) WHERE a.nonce = ANY ($1)`,
    [nonces.map(toBytes)],
  );
  return new Map(rows.map(({ nonce, ...known }) => [toHex(nonce), known]));
}
