import type { Queryable } from '../../db/database.ts';

/** Details of a payment that operators see and customers do not. */
interface Background {
  readonly payerId: string | null;
  readonly payeeId: string | null;
  readonly walletId: string | null;
  readonly walletAddress: string | null;
  /** The service key that sent it. */
  readonly keyName: string | null;
  readonly keyId: string | null;
  readonly approvals: readonly { readonly operator: string; readonly at: string }[];
}

export async function readBackground(db: Queryable, paymentId: string): Promise<Background | undefined> {
  const [row] = await db.query<Background>(
    `SELECT payer.user_id AS "payerId", CASE WHEN t.kind <> 'hold' THEN payee.user_id END AS "payeeId",
            p.wallet_id AS "walletId", w.address AS "walletAddress", k.key_id AS "keyId", k.name AS "keyName",
            coalesce((SELECT json_agg(json_build_object('operator', a.operator, 'at', a.approved_at) ORDER BY a.approved_at)
               FROM approvals a WHERE a.payment_id = t.transfer_id), '[]') AS approvals
       FROM transfers_by_id(ARRAY[$1::uuid]) t
       JOIN accounts payer ON payer.account_id = t.debit_account JOIN accounts payee ON payee.account_id = t.credit_account
       LEFT JOIN payments p ON t.kind = 'hold' AND p.payment_id = t.transfer_id
       LEFT JOIN wallets w ON w.wallet_id = p.wallet_id LEFT JOIN service_keys k ON k.key_id = p.key_id`,
    [paymentId],
  );
  return row;
}

/** Why a request to pay was refused. It never became a payment: the same id may be requested again. */
interface Refusal {
  readonly receiver: string;
  readonly amount: bigint;
  readonly code: string;
  readonly createdAt: Date;
}

export async function findRefusal(db: Queryable, paymentId: string): Promise<Refusal | undefined> {
  const [row] = await db.query<Refusal>(
    'SELECT receiver, amount, code, created_at AS "createdAt" FROM refusals WHERE payment_id = $1',
    [paymentId],
  );
  return row;
}
