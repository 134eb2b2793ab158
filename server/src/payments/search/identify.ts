import { isAnyAddress, readHash } from '../../core/families.ts';
import { findDepositsByHash } from '../../custody/watch/findDeposits.ts';
import { findPerson } from '../../customers/findPerson.ts';
import type { Queryable } from '../../db/database.ts';
import { findRowsByReference } from '../payouts/findRows.ts';
import { findByHash } from '../read/findByHash.ts';

/** What a customer or another service can name. `address`: not one of our wallets. */
export type NamedKind =
  | 'payment'
  | 'deposit'
  | 'request'
  | 'refusal'
  | 'row'
  | 'payout'
  | 'person'
  | 'treasury'
  | 'address';

export interface Named {
  readonly kind: NamedKind;
  /** The id under which it can be shown; a hash or an address if it has none. */
  readonly id: string;
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * For operators: finds out what a reference names. `text` is an id in its canonical form, a hash, an address, an id of
 * an event, a username, an e-mail address or the reference of a payout row.
 */
export async function identify(db: Queryable, text: string): Promise<Named | undefined> {
  if (ID.test(text)) return identifyId(db, text);
  const event = /^evt_([0-7][0-9a-f]{15})[0-9a-f]{19}$/.exec(text)?.[1];
  if (event !== undefined) {
    const rows = await db.query<{ subject_id: string }>('SELECT subject_id FROM find_event($1) WHERE event_id = $2', [
      BigInt(`0x${event}`),
      text,
    ]);
    return rows[0] && identifyId(db, rows[0].subject_id);
  }
  const hash = readHash(text);
  if (hash !== undefined) {
    const [paymentId] = await findByHash(db, hash);
    if (paymentId !== undefined) return identifyId(db, paymentId);
    if ((await findDepositsByHash(db, hash)).length > 0) return { kind: 'deposit', id: hash };
  }
  if ((await findByIdStart(db, text)).length > 0) return { kind: 'payment', id: text };
  const person = await findPerson(db, text);
  if (person !== undefined) return { kind: 'person', id: person };
  const [row] = await findRowsByReference(db, text);
  if (row) return { kind: 'row', id: row.rowId };
  return isAnyAddress(text) ? { kind: 'address', id: text } : undefined;
}

async function identifyId(db: Queryable, id: string): Promise<Named | undefined> {
  const [named] = await db.query<Named>(
    `SELECT CASE kind WHEN 'deposit' THEN 'deposit' ELSE 'payment' END AS kind, coalesce(hold_id, transfer_id) AS id
       FROM transfers_by_id(ARRAY[$1::uuid])
     UNION ALL SELECT 'request', request_id FROM money_requests WHERE request_id = $1
     UNION ALL SELECT 'refusal', payment_id FROM refusals WHERE payment_id = $1
     UNION ALL SELECT 'payout', payout_id FROM payouts WHERE payout_id = $1
     UNION ALL SELECT 'row', i.payment_id FROM payouts p JOIN payout_items i USING (payout_id) WHERE i.payment_id = $1
     UNION ALL SELECT 'person', user_id FROM users WHERE user_id = $1
     UNION ALL SELECT CASE WHEN user_id IS NULL THEN 'treasury' ELSE 'person' END, coalesce(user_id, wallet_id)
                 FROM wallets WHERE wallet_id = $1
     UNION ALL SELECT 'person', user_id FROM sessions WHERE session_id = $1
     LIMIT 1`,
    [id],
  );
  return named;
}

const MOST = 11;

/** The payments whose ids begin with these hex digits, at least eight: as much of an id as people read out. */
export async function findByIdStart(db: Queryable, text: string): Promise<string[]> {
  const digits = text
    .replace(/^rcpt_/i, '')
    .replaceAll('-', '')
    .toLowerCase();
  if (!/^[0-9a-f]{8,31}$/.test(digits)) return [];
  const rows = await db.query<{ id: string }>(
    `SELECT transfer_id AS id FROM transfers WHERE transfer_id BETWEEN rpad($1, 32, '0')::uuid AND rpad($1, 32, 'f')::uuid
        AND kind IN ('user', 'hold', 'deposit', 'internal') ORDER BY transfer_id LIMIT ${MOST}`,
    [digits],
  );
  return rows.map(({ id }) => id);
}
