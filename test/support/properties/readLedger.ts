import type { Queryable } from '../../../server/src/db/database.ts';

export interface PersonInLedger {
  readonly userId: string;
  readonly username: string | null;
  /** One per blockchain. */
  readonly balances: readonly { readonly blockchain: string; readonly available: bigint; readonly held: bigint }[];
}

/** All entries of one payment in one person's accounts: a send has two, its hold and what ended it. */
export interface LedgerPayment {
  readonly id: string;
  readonly kind: 'user' | 'deposit' | 'internal' | 'hold';
  /** The change of the balance by all its entries together. */
  readonly change: bigint;
  readonly held: bigint;
  /** The available balance after its first entry. */
  readonly availableAfter: bigint;
}

/** Everyone with an account. */
export async function listPeople(db: Queryable): Promise<PersonInLedger[]> {
  const rows = await db.query<{
    user_id: string;
    username: string | null;
    blockchain: string;
    available: bigint;
    held: bigint;
  }>(
    `SELECT a.user_id, n.username, s.blockchain, sum(a.available)::bigint AS available, sum(a.held)::bigint AS held
       FROM accounts a JOIN assets USING (asset_id) JOIN networks s USING (network_id)
       LEFT JOIN usernames n ON n.user_id = a.user_id AND n.redirect_until IS NULL
      WHERE a.user_id IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 3`,
  );
  const people = new Map<string, PersonInLedger>();
  for (const { user_id: userId, username, ...balance } of rows) {
    const balances = [...(people.get(userId)?.balances ?? []), balance];
    people.set(userId, { userId, username, balances });
  }
  return [...people.values()];
}

interface Leg {
  readonly user_id: string;
  readonly account_id: bigint;
  readonly entry: bigint;
  readonly payment_id: string;
  readonly kind: LedgerPayment['kind'] | 'post' | 'release';
  readonly change: bigint;
  readonly held_change: bigint;
  readonly available_after: bigint;
}

/** Read from `transfers` alone, not by the functions that histories use. */
const LEGS = `
  SELECT a.user_id, a.account_id, l.entry, l.payment_id, l.kind, l.change, l.held_change, l.available_after
    FROM (SELECT t.debit_account AS account_id, t.debit_entry AS entry, coalesce(t.hold_id, t.transfer_id) AS payment_id,
                 t.kind, t.debit_available AS available_after,
                 CASE t.kind WHEN 'post' THEN h.amount - t.amount WHEN 'release' THEN t.amount ELSE -t.amount END AS change,
                 CASE WHEN t.kind = 'hold' THEN t.amount WHEN t.hold_id IS NOT NULL THEN -h.amount ELSE 0 END AS held_change
            FROM transfers t LEFT JOIN transfers h ON h.transfer_id = t.hold_id AND h.kind = 'hold'
          UNION ALL
          SELECT t.credit_account, t.credit_entry, t.transfer_id, t.kind, t.credit_available, t.amount, 0
            FROM transfers t WHERE t.credit_entry IS NOT NULL) l
    JOIN accounts a USING (account_id)
   WHERE a.user_id = ANY ($1) ORDER BY a.account_id, l.entry`;

/**
 * Returns the payments by person, and as faults the places where entries are missing or do not lead from one balance to
 * the next.
 */
export async function readLedger(
  db: Queryable,
  people: readonly PersonInLedger[],
): Promise<{ payments: Map<string, LedgerPayment[]>; faults: string[] }> {
  const legs = await db.query<Leg>(LEGS, [people.map(({ userId }) => userId)]);
  const faults: string[] = [];
  const found = new Map<string, Map<string, LedgerPayment>>();
  let last: Leg | undefined;
  for (const leg of legs) {
    const before = last?.account_id === leg.account_id ? last : { entry: 0n, available_after: 0n };
    const name = `account ${leg.account_id}, entry ${leg.entry}`;
    if (leg.entry !== before.entry + 1n) faults.push(`${name} comes after ${before.entry}`);
    if (leg.available_after !== before.available_after + leg.change)
      faults.push(`${name} leaves ${leg.available_after}: ${before.available_after} changed by ${leg.change}`);
    const own = found.get(leg.user_id) ?? new Map<string, LedgerPayment>();
    found.set(leg.user_id, own.set(leg.payment_id, addLeg(own.get(leg.payment_id), leg)));
    last = leg;
  }
  return { payments: new Map([...found].map(([userId, own]) => [userId, [...own.values()]])), faults };
}

function addLeg(payment: LedgerPayment | undefined, leg: Leg): LedgerPayment {
  return {
    id: leg.payment_id,
    kind: payment?.kind ?? (leg.kind as LedgerPayment['kind']),
    change: (payment?.change ?? 0n) + leg.change,
    held: (payment?.held ?? 0n) + leg.held_change,
    availableAfter: payment?.availableAfter ?? leg.available_after,
  };
}
