import type { Queryable } from '../../db/database.ts';

/** A row of the ledger, for operators. */
interface LedgerRow {
  readonly transferId: string;
  readonly seq: bigint;
  readonly kind: string;
  readonly amount: bigint;
  readonly at: Date;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
}

interface LedgerAccount {
  readonly account_id: string;
  /** `person`, or the account of the service. */
  readonly owner: string;
  readonly user_id: string | null;
  readonly username: string | null;
}

/** The rows of a payment: the movement itself, and what ended its hold. */
export const readLedgerRows = (db: Queryable, paymentId: string): Promise<LedgerRow[]> =>
  db.query<LedgerRow>(
    `SELECT t.transfer_id AS "transferId", t.seq, t.kind, t.amount, t.created_at AS at,
            ${accountOf('t.debit_account')} AS debit, ${accountOf('t.credit_account')} AS credit
       FROM (SELECT * FROM transfers WHERE transfer_id = $1 UNION ALL SELECT * FROM transfers WHERE hold_id = $1) t
      ORDER BY t.seq`,
    [paymentId],
  );

const accountOf = (id: string): string =>
  `(SELECT json_build_object('account_id', a.account_id::text, 'user_id', a.user_id, 'username', n.username,
       'owner', CASE a.kind WHEN 'user' THEN 'person' ELSE a.kind END)
      FROM accounts a LEFT JOIN usernames n ON n.user_id = a.user_id AND n.redirect_until IS NULL
     WHERE a.account_id = ${id})`;
