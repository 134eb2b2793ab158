import { newId } from '../../core/ids.ts';
import { findViolatedConstraint, type Queryable, type Tx } from '../../db/database.ts';

/**
 * A transfer that was requested from a provider, or that the provider has reported, and that the provider no longer
 * knows. If it were requested again, the provider might send it a second time.
 */
export interface HeldTransfer {
  readonly moveId: string;
  readonly purpose: 'send' | 'settlement';
  readonly provider: string;
  readonly blockchain: string;
  readonly from: string;
  /** The wallet's reference at the provider. */
  readonly reference: string;
  readonly to: string;
  readonly amount: bigint;
  readonly attempts: number;
  readonly firstAskedAt: Date;
  readonly heldAt: Date;
  /** The chain transaction that the provider reported while it knew the transfer. */
  readonly txHash: string | null;
  /** Final logs that may be it: transfers on the chain from this wallet, of this amount, to this address. */
  readonly hashes: readonly string[];
  /** What two people have decided (that it was never made), or else one person's last proposal. */
  readonly decision: {
    readonly id: string;
    readonly verdict: string;
    readonly by: string;
    /** Null while nobody has approved it. */
    readonly approvedBy: string | null;
    readonly reason: string;
  } | null;
}

/** SQL: people must decide about transfer `p` of a provider. An ended transfer is no longer held. */
export const IS_HELD = `(p.held_at IS NOT NULL AND p.provider_state NOT IN ('failed', 'cancelled'))`;

/** SQL: two people have decided that transfer `p` was never made, and its provider has not known it since. */
export const IS_NEVER_MADE = `EXISTS (SELECT FROM transfer_decisions d
  WHERE d.move_id = p.move_id AND d.verdict = 'never_made' AND d.decided_at >= p.held_at)`;

export const listHeldTransfers = (db: Queryable): Promise<HeldTransfer[]> =>
  db.query<HeldTransfer>(
    `SELECT m.move_id AS "moveId", m.purpose, p.provider, n.blockchain, m.from_address AS from, w.reference,
            m.to_address AS to, m.amount, p.attempts,
            coalesce(p.first_asked_at, p.submitted_at) AS "firstAskedAt", p.held_at AS "heldAt", p.tx_hash AS "txHash",
            ARRAY (SELECT h.tx_hash FROM held_logs h
                    WHERE h.asset_id = m.asset_id AND h.from_wallet = m.wallet_id AND h.amount = m.amount
                      AND lower(h.to_address) = lower(m.to_address)) AS hashes,
            (SELECT json_build_object('id', d.decision_id, 'verdict', d.verdict, 'by', d.proposed_by,
                                      'approvedBy', d.approved_by, 'reason', d.reason)
               FROM transfer_decisions d WHERE d.move_id = m.move_id AND d.proposed_at >= p.held_at
              ORDER BY d.decided_at NULLS LAST, d.proposed_at DESC LIMIT 1) AS decision
       FROM provider_transfers p JOIN coin_moves m USING (move_id) JOIN wallets w USING (wallet_id)
       JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
      WHERE ${IS_HELD} AND m.state = 'open' ORDER BY p.held_at`,
  );

interface Verdict {
  readonly moveId: string;
  /** The provider's id of the transfer; undefined: it was never made. */
  readonly providerId: string | undefined;
  readonly reason: string;
}

/**
 * Proposes an end, by the operator with this database login. `not_operator`: the login is not a named operator who may
 * approve.
 */
export async function proposeTransferEnd(
  tx: Tx,
  { moveId, providerId, reason }: Verdict,
): Promise<{ readonly id: string } | 'unknown' | 'not_operator'> {
  const id = newId();
  const verdict = providerId === undefined ? 'never_made' : 'adopt';
  try {
    const [row] = await tx.query<{ outcome: 'proposed' | 'unknown' }>(
      'SELECT propose_transfer_end($1, $2, $3, $4, $5) AS outcome',
      [id, moveId, verdict, providerId ?? null, reason],
    );
    return row!.outcome === 'proposed' ? { id } : 'unknown';
  } catch (error) {
    if (findViolatedConstraint(error) === 'approvals_by_operators') return 'not_operator';
    throw error;
  }
}

interface Proposal {
  readonly moveId: string;
  readonly verdict: string;
  readonly providerId: string | null;
  readonly by: string;
  readonly reason: string;
}

/** A proposal that two people have not decided yet; not only the last one about its transfer. */
export async function findProposal(db: Queryable, id: string): Promise<Proposal | undefined> {
  const [row] = await db.query<Proposal>(
    `SELECT move_id AS "moveId", verdict, provider_id AS "providerId", proposed_by AS by, reason FROM transfer_decisions
      WHERE decision_id = $1 AND decided_at IS NULL`,
    [id],
  );
  return row;
}

export type DecisionOutcome = 'decided' | 'unknown' | 'same_person' | 'not_operator' | 'taken';

/** PostgreSQL refuses the person who proposed it, and anyone who is no longer an operator. */
export async function approveTransferEnd(tx: Tx, id: string): Promise<DecisionOutcome> {
  try {
    const [row] = await tx.query<{ outcome: 'decided' | 'unknown' }>('SELECT approve_transfer_end($1) AS outcome', [
      id,
    ]);
    return row!.outcome;
  } catch (error) {
    const constraint = findViolatedConstraint(error);
    if (constraint === 'transfer_decisions_two_people') return 'same_person';
    if (constraint === 'approvals_by_operators') return 'not_operator';
    // Another move has that provider id, or two people have already decided.
    if (constraint === 'provider_transfers_provider_provider_id_key' || constraint === 'transfer_decisions_once')
      return 'taken';
    throw error;
  }
}
