import { PayError } from '../../core/errors.ts';
import type { Queryable } from '../../db/database.ts';

/** A person whom someone has paid, by their current name, or an address. */
export interface Payee {
  readonly to: { readonly username: string } | { readonly address: string };
  /** The blockchain of the newest payment. */
  readonly blockchain: string;
  readonly lastPaidAt: Date;
  /** The number of payments. */
  readonly payments: number;
}

interface PayeePage {
  readonly payees: readonly Payee[];
  /** Undefined on the last page. */
  readonly next: bigint | undefined;
}

interface PayeeRow {
  readonly username: string | null;
  readonly address: string | null;
  readonly blockchain: string;
  readonly last_at: Date;
  readonly last_seq: bigint;
  readonly payments: number;
}

/** The ledger rows that one statement processes. There can be this many only the first time. */
const ROWS_AT_ONCE = 20_000;

/** Each statement is a commit, so a caller who stops waiting continues from there the next time. */
async function notePayees(db: Queryable, userId: string): Promise<void> {
  for (;;) {
    const [row] = await db.query<{ more: boolean }>('SELECT note_payees($1, $2) AS more', [userId, ROWS_AT_ONCE]);
    if (!row!.more) return;
  }
}

/**
 * The people and addresses that a person has paid, newest first. A payee who is paid again while pages are read moves
 * to the top. People without a name cannot be paid and are left out.
 */
export async function readPayees(
  db: Queryable,
  { userId, limit, after }: { readonly userId: string; readonly limit: number; readonly after?: bigint | undefined },
): Promise<PayeePage> {
  await notePayees(db, userId);
  const rows = await db.query<PayeeRow>(
    `SELECT n.username, p.address, s.blockchain, p.last_at, p.last_seq, p.payments::integer
       FROM payees p JOIN assets a ON a.asset_id = p.last_asset JOIN networks s USING (network_id)
       LEFT JOIN usernames n ON n.user_id = p.person AND n.redirect_until IS NULL
      WHERE p.user_id = $1 AND p.last_seq < $2 AND (p.address IS NOT NULL OR n.username IS NOT NULL)
      ORDER BY p.last_seq DESC LIMIT $3`,
    [userId, after ?? NEWEST, limit + 1],
  );
  const page = rows.slice(0, limit);
  return { payees: page.map(toPayee), next: rows.length > limit ? page.at(-1)!.last_seq : undefined };
}

const NEWEST = 2n ** 63n - 1n;

const toPayee = ({ username, address, blockchain, last_at: lastPaidAt, payments }: PayeeRow): Payee => ({
  to: address === null ? { username: username! } : { address },
  blockchain,
  lastPaidAt,
  payments,
});

/** Whether this person has never paid them. `username` is the current name. */
export async function isFirstTime(
  db: Queryable,
  userId: string,
  to: { readonly username: string } | { readonly address: string },
): Promise<boolean> {
  await notePayees(db, userId);
  const [row] = await ('address' in to
    ? db.query('SELECT FROM payees WHERE user_id = $1 AND address IN ($2, lower($2))', [userId, to.address])
    : db.query(
        `SELECT FROM payees p JOIN usernames n ON n.user_id = p.person
          WHERE p.user_id = $1 AND n.username = $2 AND n.redirect_until IS NULL`,
        [userId, to.username],
      ));
  return row === undefined;
}

/**
 * Like a cursor of history, it only means "below this position", and reads nothing that its caller may not read anyway.
 */
export const renderPayeeCursor = (next: bigint): string => Buffer.from(`payees.${next}`).toString('base64url');

export function parsePayeeCursor(cursor: string): bigint {
  const match = /^payees\.(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match || renderPayeeCursor(BigInt(match[1]!)) !== cursor) throw new PayError('cursor.invalid');
  return BigInt(match[1]!);
}
