import type { TokenLog } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';
import { type KnownMove, MOVE_COLUMNS } from '../coins/moves.ts';
import { placeOf } from '../rail.ts';
import { toBytes, toHex } from './authorizations.ts';

/** A log of the token about an authorization. */
export type NonceLog = Extract<TokenLog, { kind: 'used' | 'canceled' }>;
type TransferLog = Extract<TokenLog, { kind: 'transfer' }>;

export const isNonceLog = (log: TokenLog): log is NonceLog => log.kind !== 'transfer';

export interface UsedNonce {
  readonly used: NonceLog;
  /** The transfer that used it. */
  readonly transfer: TransferLog;
}

/**
 * Pairs every `AuthorizationUsed` log with its transfer, keyed by the transfer's position. The token emits both one
 * after the other, so the transfer is the token's next log in the same chain transaction. Its index is not always the
 * next one: Arc puts a log of its own between them.
 */
export function pairUses(logs: readonly TokenLog[]): ReadonlyMap<string, UsedNonce> {
  const pairs = new Map<string, UsedNonce>();
  const open = new Map<string, NonceLog>();
  for (const log of [...logs].sort((a, b) => a.logIndex - b.logIndex)) {
    const chainTx = `${log.blockHash}:${log.txHash}:${log.token}`;
    const used = open.get(chainTx);
    open.delete(chainTx);
    if (log.kind === 'used') open.set(chainTx, log);
    else if (log.kind === 'transfer' && used && isSameAddress(used.authorizer, log.from))
      pairs.set(placeOf(log), { used, transfer: log });
  }
  return pairs;
}

const isSameAddress = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The nonce together with its authorizer: another wallet's authorization may have the same nonce. */
export const nonceKey = (authorizer: string, nonce: string): string =>
  `${authorizer.toLowerCase()}:${nonce.toLowerCase()}`;

/** A move with an authorization, and the destination that the authorization allows. */
interface AuthorizedMove extends KnownMove {
  readonly to: string;
}

/** Returns the moves of this token that these logs are about, by `nonceKey`. */
export async function readKnown(
  db: Queryable,
  assetId: number,
  logs: readonly NonceLog[],
): Promise<Map<string, AuthorizedMove>> {
  if (logs.length === 0) return new Map();
  const rows = await db.query<AuthorizedMove & { nonce: Buffer; authorizer: string }>(
    `SELECT a.nonce, m.from_address AS authorizer, m.to_address AS to, ${MOVE_COLUMNS}
       FROM authorizations a JOIN coin_moves m USING (move_id) WHERE a.nonce = ANY ($1) AND m.asset_id = $2`,
    [logs.map(({ nonce }) => toBytes(nonce)), assetId],
  );
  return new Map(rows.map(({ nonce, authorizer, ...known }) => [nonceKey(authorizer, toHex(nonce)), known]));
}

/**
 * A nonce is derived from the payment's id, which is derived from the client's key. A restored database may have
 * accepted another payment under a key that it does not know: the same nonce, with another amount or destination.
 */
export const isTransferOf = (
  { to, amount }: { readonly to: string; readonly amount: bigint },
  { transfer }: UsedNonce,
): boolean => amount === transfer.amount && isSameAddress(to, transfer.to);
