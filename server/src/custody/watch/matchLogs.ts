import type { Hex, TokenLog } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';
import { toBytes, toHex } from '../eip3009/authorizations.ts';

interface KnownAuthorization {
  readonly authorizationId: string;
  readonly purpose: 'send' | 'settlement';
  readonly walletId: string;
  readonly toWallet: string | null;
  readonly funds: string | null;
  readonly settlementId: string | null;
  readonly value: bigint;
  readonly state: 'open' | 'used' | 'dead';
}

type TransferLog = Extract<TokenLog, { kind: 'transfer' }>;

/** One transfer of coins from or to a wallet of ours, with what we know about it. */
export interface Move {
  readonly log: TransferLog;
  readonly fromWallet: string | undefined;
  readonly toWallet: string | undefined;
  /** Of the authorization that was used for it, when one was. */
  readonly nonce: Hex | undefined;
  readonly authorization: KnownAuthorization | undefined;
  /** Counts the transfers to the same wallet in the same chain transaction. */
  readonly ordinal: number;
}

export interface Canceled {
  readonly authorization: KnownAuthorization;
  readonly txHash: Hex;
}

/** What the token said about an authorization. */
export type NonceLog = Extract<TokenLog, { kind: 'used' | 'canceled' }>;

export interface Matched {
  readonly moves: readonly Move[];
  readonly canceled: readonly Canceled[];
  /** Cancelled, and this database does not know what. */
  readonly forgotten: readonly NonceLog[];
}

/**
 * Joins what the token said with what we have signed. A transfer belongs to an authorization when it is the next log
 * after its `AuthorizationUsed`: that is the order in which the token speaks, and nothing can come between.
 */
export async function matchLogs(
  db: Queryable,
  logs: readonly TokenLog[],
  wallets: ReadonlyMap<string, string>,
): Promise<Matched> {
  const known = await readKnown(
    db,
    logs.flatMap((log) => (log.kind === 'transfer' ? [] : [log.nonce])),
  );
  const used = new Map<string, NonceLog>();
  const ordinals = new Map<string, number>();
  const moves: Move[] = [];
  const canceled: Canceled[] = [];
  const forgotten: NonceLog[] = [];
  for (const log of logs) {
    if (log.kind !== 'transfer') {
      const authorization = known.get(log.nonce);
      if (log.kind === 'used') used.set(`${log.blockHash}:${log.logIndex + 1}`, log);
      else if (authorization) canceled.push({ authorization, txHash: log.txHash });
      else forgotten.push(log);
      continue;
    }
    const claim = used.get(`${log.blockHash}:${log.logIndex}`);
    const isItsOwn = claim?.txHash === log.txHash && claim.authorizer.toLowerCase() === log.from.toLowerCase();
    const nonce = isItsOwn ? claim.nonce : undefined;
    const toWallet = wallets.get(log.to.toLowerCase());
    const place = `${log.txHash}:${toWallet}`;
    const ordinal = ordinals.get(place) ?? 0;
    ordinals.set(place, ordinal + 1);
    const fromWallet = wallets.get(log.from.toLowerCase());
    moves.push({ log, fromWallet, toWallet, nonce, authorization: nonce && known.get(nonce), ordinal });
  }
  return { moves, canceled, forgotten };
}

async function readKnown(db: Queryable, nonces: readonly Hex[]): Promise<Map<string, KnownAuthorization>> {
  if (nonces.length === 0) return new Map();
  const rows = await db.query<KnownAuthorization & { nonce: Buffer }>(
    `SELECT nonce, authorization_id AS "authorizationId", purpose, wallet_id AS "walletId", to_wallet AS "toWallet",
            funds, settlement_id AS "settlementId", value, state
       FROM authorizations WHERE nonce = ANY ($1)`,
    [nonces.map(toBytes)],
  );
  return new Map(rows.map(({ nonce, ...known }) => [toHex(nonce), known]));
}

/** Coins that came in and are nobody's settlement: they belong to the wallet's owner. */
export const isDeposit = (move: Move): boolean =>
  move.toWallet !== undefined && move.authorization?.purpose !== 'settlement' && move.log.amount > 0n;

/** Coins of ours that went away without anything we know to have signed. */
export const isStrange = (move: Move): boolean =>
  move.fromWallet !== undefined && move.authorization === undefined && move.log.amount > 0n;
