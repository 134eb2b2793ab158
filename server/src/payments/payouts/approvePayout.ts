import { findViolatedConstraint, type Queryable } from '../../db/database.ts';

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
