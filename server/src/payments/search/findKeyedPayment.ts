import { idFromKey } from '../../core/ids.ts';
import type { Queryable } from '../../db/database.ts';
import { findPayments, isDecided } from '../read/findPayment.ts';

/** What became of an Idempotency-Key: nothing that the database knows, a payment, or a refusal. */
type KeyedPayment =
  | { readonly outcome: 'none' }
  | { readonly outcome: 'accepted'; readonly paymentId: string }
  | { readonly outcome: 'refused' };

/** `routes`: the calls that the key may have been sent with. */
export async function findKeyedPayment(
  db: Queryable,
  { userId, routes, key }: { readonly userId: string; readonly routes: readonly string[]; readonly key: string },
): Promise<KeyedPayment> {
  const ids = routes.map((route) => idFromKey(userId, route, key));
  // A send that was recognized as an earlier payment answers with that payment.
  const answers = await db.query<{ payment_id: string | null }>(
    `SELECT answer->>'answer' AS payment_id FROM idempotency_records WHERE record_id = ANY ($1)`,
    [ids],
  );
  const paid = [...(await findPayments(db, ids)).keys(), ...answers.flatMap(({ payment_id: id }) => id ?? [])];
  if (paid.length > 0) return { outcome: 'accepted', paymentId: paid[0]! };
  const refused = answers.length > 0 || (await Promise.all(ids.map((id) => isDecided(db, id)))).some(Boolean);
  return { outcome: refused ? 'refused' : 'none' };
}
