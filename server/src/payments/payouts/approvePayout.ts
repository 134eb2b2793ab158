import { findViolatedConstraint, type Queryable } from '../../db/database.ts';
import type { PayoutState } from './payout.ts';

/** A payout, as operators see it in a list. */
interface ListedPayout {
  readonly payoutId: string;
  readonly state: PayoutState;
  readonly keyName: string;
  readonly payer: string | null;
  readonly rows: number;
  readonly total: bigint;
  readonly createdAt: Date;
  readonly approvedBy: readonly string[];
}

/** Payouts that wait for approvals first, then the newest; at most a hundred. */
export const listPayouts = (db: Queryable): Promise<ListedPayout[]> =>
  db.query<ListedPayout>(
    `SELECT p.payout_id AS "payoutId", p.state, k.name AS "keyName",
            CASE WHEN p.payer_id IS NULL THEN 'treasury' ELSE n.username END AS payer,
            p.row_count - p.known_count AS rows, p.total - p.known_total AS total, p.created_at AS "createdAt",
            ARRAY(SELECT a.operator FROM payout_approvals a WHERE a.payout_id = p.payout_id ORDER BY a.approved_at) AS "approvedBy"
       FROM payouts p JOIN service_keys k USING (key_id)
       LEFT JOIN usernames n ON n.user_id = p.payer_id AND n.redirect_until IS NULL
      ORDER BY p.state <> 'approving', p.created_at DESC LIMIT 100`,
  );

type Approval =
  | { readonly outcome: 'approved'; readonly approvals: number }
  /**
   * `twice`: by the same person. `not_waiting`: unknown, sufficiently approved, or ended. `not_operator`: not by an operator.
   */
  | { readonly outcome: 'twice' | 'not_waiting' | 'not_operator' };

const REFUSALS: Readonly<Record<string, Exclude<Approval['outcome'], 'approved'>>> = {
  payout_approvals_pkey: 'twice',
  approvals_only_while_waiting: 'not_waiting',
  approvals_by_operators: 'not_operator',
};

/**
 * Adds an operator's approval, under their database login. PostgreSQL decides whether it counts; the second one starts
 * the payout.
 */
export async function approvePayout(db: Queryable, payoutId: string): Promise<Approval> {
  try {
    const [row] = await db.query<{ approvals: number }>('SELECT approvals FROM approve_payout($1)', [payoutId]);
    return { outcome: 'approved', approvals: row!.approvals };
  } catch (error) {
    const outcome = REFUSALS[findViolatedConstraint(error) ?? ''];
    if (!outcome) throw error;
    return { outcome };
  }
}

/** Stops the rows that have not begun; one operator is enough. */
export async function denyPayout(
  db: Queryable,
  payoutId: string,
  reason: string,
): Promise<'denied' | 'unknown' | 'ended'> {
  const [row] = await db.query<{ outcome: 'denied' | 'unknown' | 'ended' }>('SELECT deny_payout($1, $2) AS outcome', [
    payoutId,
    reason,
  ]);
  return row!.outcome;
}
