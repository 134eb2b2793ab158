import type { Hex } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';

/** A committed move, and everything that decides whether it may be signed. */
export interface SigningMove {
  readonly moveId: string;
  readonly purpose: 'send' | 'settlement';
  /** For a settlement: a send waits for its coins. */
  readonly isFunding: boolean;
  readonly rail: string;
  readonly isOpen: boolean;
  /** Its cancellation is requested. */
  readonly isUnwanted: boolean;
  readonly from: Hex;
  readonly to: Hex;
  readonly amount: bigint;
  /** Its coins are reserved, or moves of the same rail that are relayed together with it bring them. */
  readonly isBacked: boolean;
  /** The state of its provider's transfer, if it was handed over. */
  readonly attempts: number | null;
  readonly firstAskedAt: Date | null;
  /** The earliest time at which it can have been requested: for a send, when its payment was accepted. */
  readonly wantedSince: Date;
  /**
   * Restores that were recorded before that time, or on the day after: clients may repeat calls before a restore is
   * recorded.
   */
  readonly restoredAt: readonly Date[];
  readonly providerId: string | null;
  /** The provider did not know it, and people must decide. */
  readonly isHeld: boolean;
  /** How often the provider has refused to stop it. */
  readonly cancelRefusals: number | null;
  /** How often a higher fee was requested. */
  readonly accelerations: number | null;
  /** Whether it was signed before; and the amount of its asset that the signer has released in 24 hours. */
  readonly isSigned: boolean;
  readonly inADay: bigint;
  /** The nonce of its authorization, if it has one. */
  readonly nonce: Buffer | null;
  readonly blockchain: string;
  readonly chainId: bigint | null;
  readonly contract: Hex | null;
  readonly tokenName: string | null;
  readonly provider: string;
  readonly reference: string;
  readonly address: Hex;
  /** The receiving wallet of a settlement. */
  readonly toProvider: string | null;
  readonly toReference: string | null;
  readonly toAddress: Hex | null;
  /** For a send: fields of its payment; null when there is no such payment. */
  readonly destination: string | null;
  readonly isFromPayer: boolean | null;
  readonly isWaiting: boolean | null;
  /**
   * The payment's amount, while the ledger holds exactly that and the fee for it, in the same asset; null when there is no
   * such hold, or it was released.
   */
  readonly held: bigint | null;
  /** Why nothing may be signed on its network now. */
  readonly pause: string | null;
}

/** SQL: since when move `m` is wanted. */
const WANTED = `coalesce((SELECT t.created_at FROM transfers t
  WHERE t.transfer_id = m.move_id AND t.kind = 'hold' AND m.purpose = 'send'), m.created_at)`;

/**
 * SQL: the amount of payment `p`, which the hold of move `m` covers with its fee. A posted hold counts: a reorg below
 * finality may have removed a payment that was paid.
 */
const HELD = `(SELECT h.amount - p.fee FROM transfers h
  WHERE h.transfer_id = m.move_id AND h.kind = 'hold' AND h.asset_id = m.asset_id
    AND h.amount = coalesce(p.amount + p.fee, h.amount)
    AND NOT EXISTS (SELECT FROM transfers e WHERE e.hold_id = m.move_id AND e.kind = 'release'))`;

/** In the order of the ids: the caller puts first what has waited longest. */
export const readMoves = (db: Queryable, moveIds: readonly string[]): Promise<SigningMove[]> =>
  db.query<SigningMove>(
    `SELECT m.move_id AS "moveId", m.purpose, m.funds IS NOT NULL AS "isFunding", m.rail, m.state = 'open' AS "isOpen",
            m.cancel_wanted_at IS NOT NULL AS "isUnwanted", m.from_address AS from, m.to_address AS to, m.amount,
            m.amount <= m.reserved + CASE WHEN m.reserved = m.amount THEN 0 ELSE (
              SELECT coalesce(sum(f.amount), 0) FROM coin_moves f
               WHERE f.funds = m.move_id AND f.state = 'open' AND f.rail = m.rail) END AS "isBacked",
            EXISTS (SELECT FROM signatures g WHERE g.move_id = m.move_id) AS "isSigned",
            signed_in_a_day(m.asset_id) AS "inADay", v.attempts, v.first_asked_at AS "firstAskedAt",
            ${WANTED} AS "wantedSince",
            ARRAY (SELECT r.noted_at FROM restores r WHERE r.noted_at < ${WANTED} + interval '1 day') AS "restoredAt",
            v.provider_id AS "providerId",
            v.held_at IS NOT NULL AS "isHeld",
            v.cancel_refusals AS "cancelRefusals", v.accelerations,
            a.nonce, n.blockchain, n.chain_id AS "chainId", s.contract, s.token_name AS "tokenName",
            w.provider, w.reference, w.address,
            t.provider AS "toProvider", t.reference AS "toReference", t.address AS "toAddress",
            p.destination, p.wallet_id = m.wallet_id AS "isFromPayer",
            CASE WHEN p.payment_id IS NOT NULL THEN payment_waits(p) END AS "isWaiting", ${HELD} AS held,
            (SELECT reason FROM pauses
              WHERE scope IN ('all', 'chain', 'chain:' || n.blockchain) AND stops = 'accepting and signing'
              ORDER BY paused_at LIMIT 1) AS pause
       FROM coin_moves m JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
       JOIN wallets w USING (wallet_id)
       LEFT JOIN wallets t ON t.wallet_id = m.to_wallet
       LEFT JOIN provider_transfers v ON v.move_id = m.move_id
       LEFT JOIN authorizations a ON a.move_id = m.move_id
       LEFT JOIN payments p ON p.payment_id = m.move_id AND m.purpose = 'send'
      WHERE m.move_id = ANY ($1) ORDER BY array_position($1::uuid[], m.move_id)`,
    [moveIds],
  );
