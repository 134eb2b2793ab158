import { type Db, findViolatedConstraint, type Queryable, type Tx } from '../../db/database.ts';
import { recordAudit } from '../../operators/recordAudit.ts';
import { logStates } from '../state.ts';

/** A payment that waits for approvals. The names are for operators; customers see only the times of approval. */
interface WaitingPayment {
  readonly paymentId: string;
  readonly amount: bigint;
  readonly blockchain: string;
  readonly walletId: string;
  /** Null: the treasury pays. */
  readonly payerId: string | null;
  readonly payer: string | null;
  readonly kycStatus: string | null;
  readonly destination: string;
  /** This wallet has never completed a payment to the address. */
  readonly isNewAddress: boolean;
  /** The service key that requested it. */
  readonly keyName: string | null;
  readonly createdAt: Date;
  readonly notBefore: Date | null;
  readonly needed: number;
  readonly approvedBy: readonly string[];
}

/** A condition on a row `p` of `payments`. The index `payments_to_approve` has the same condition. */
export const WAITS_FOR_APPROVAL = `p.approvals_needed > 0 AND p.state = 'INITIATED'`;

/** All payments that wait, or the one with this id. */
export const listWaiting = (db: Queryable, paymentId?: string): Promise<WaitingPayment[]> =>
  db.query<WaitingPayment>(
    `SELECT p.payment_id AS "paymentId", coalesce(p.amount, t.amount) AS amount, s.blockchain, p.wallet_id AS "walletId", p.destination,
            u.user_id AS "payerId", name.username AS payer, u.kyc_status AS "kycStatus", k.name AS "keyName",
            NOT EXISTS (SELECT FROM recipients r WHERE r.wallet_id = p.wallet_id AND r.look = address_look(p.destination)
                           AND r.address = lower(p.destination)) AS "isNewAddress",
            t.created_at AS "createdAt", p.not_before AS "notBefore", p.approvals_needed AS needed,
            ARRAY(SELECT a.operator FROM counted_approvals(p) a ORDER BY a.approved_at) AS "approvedBy"
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
       JOIN assets c ON c.asset_id = t.asset_id JOIN networks s USING (network_id)
       JOIN accounts d ON d.account_id = t.debit_account LEFT JOIN users u USING (user_id)
       LEFT JOIN usernames name ON name.user_id = u.user_id AND name.redirect_until IS NULL
       LEFT JOIN service_keys k ON k.key_id = p.key_id
      WHERE ${WAITS_FOR_APPROVAL} AND ($1::uuid IS NULL OR p.payment_id = $1) ORDER BY t.created_at, p.payment_id`,
    [paymentId ?? null],
  );

type Approval =
  | { readonly outcome: 'approved'; readonly approvals: number; readonly needed: number }
  /**
   * `twice`: by the same person. `not_waiting`: unknown, sufficiently approved, or ended. `not_operator`: not by an operator.
   */
  | { readonly outcome: 'twice' | 'not_waiting' | 'not_operator' };

const REFUSALS: Readonly<Record<string, Exclude<Approval['outcome'], 'approved'>>> = {
  approvals_pkey: 'twice',
  approvals_only_while_waiting: 'not_waiting',
  approvals_by_operators: 'not_operator',
};

/**
 * Adds an operator's approval, under their database login. PostgreSQL decides whether it counts; the last required
 * approval starts the payment, in the same commit.
 */
export async function approvePayment(app: { readonly db: Db }, paymentId: string): Promise<Approval> {
  try {
    return await app.db.tx((tx) => approve(tx, paymentId));
  } catch (error) {
    const outcome = REFUSALS[findViolatedConstraint(error) ?? ''];
    if (!outcome) throw error;
    return { outcome };
  }
}

async function approve(tx: Tx, paymentId: string): Promise<Approval> {
  // The last required approval clears the payment and schedules its job.
  const [given] = await tx.query<{ approvals: number }>('SELECT give_approval($1) AS approvals', [paymentId]);
  const { approvals } = given!;
  const [payment] = await tx.query<{
    needed: number;
    payer: string | null;
    login: string;
  }>(
    `SELECT p.approvals_needed AS needed, d.user_id AS payer, session_user::text AS login
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
       JOIN accounts d ON d.account_id = t.debit_account
      WHERE p.payment_id = $1`,
    [paymentId],
  );
  const { needed, payer, login } = payment!;
  await recordAudit(tx, {
    actor: `operator:${login}`,
    action: 'payment.approved',
    ...(payer && { userId: payer }),
    details: { payment_id: paymentId, approvals, needed },
  });
  await logStates(tx);
  return { outcome: 'approved', approvals, needed };
}
