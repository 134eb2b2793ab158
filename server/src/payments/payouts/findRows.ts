import { idFromKey } from '../../core/ids.ts';
import type { Queryable } from '../../db/database.ts';
import { ROUTE } from './checkPayout.ts';
import { type ItemRow, type PayoutItem, toItem } from './readItems.ts';

/** A row of a payout file, found by something that its payer or its receiver knows. */
interface FoundRow extends PayoutItem {
  readonly payoutId: string;
  /** The id that its payment has, or would have. */
  readonly rowId: string;
}

const MOST = 50;
const LONGEST = 100;

/**
 * For operators: the rows with this reference, in the newest payouts first. The id of a row's payment is derived from
 * its payer and reference, and every payout has an index of these ids. Only a row whose payment an operator has
 * imported has another id. A database with imports is searched for such rows last, and reads all rows.
 */
export async function findRowsByReference(db: Queryable, reference: string): Promise<FoundRow[]> {
  if (reference.length > LONGEST) return [];
  const payers = await db.query<{ payer: string }>(
    `SELECT DISTINCT coalesce(payer_id::text, 'treasury') AS payer FROM payouts`,
  );
  const ids = Object.fromEntries(payers.map(({ payer }) => [payer, idFromKey(payer, ROUTE, reference)]));
  const derived = await read(db, `payment_id = ($1::jsonb->>coalesce(p.payer_id::text, 'treasury'))::uuid`, ids);
  if (derived.length > 0) return derived;
  return read(db, 'reference = $1 AND EXISTS (SELECT FROM unexplained_moves WHERE imported_as IS NOT NULL)', reference);
}

/** The rows that these payments pay. */
export const findRowsByPayment = (db: Queryable, paymentIds: readonly string[]): Promise<FoundRow[]> =>
  read(db, 'payment_id = ANY ($1)', paymentIds);

/** OFFSET 0: one lookup in the index per payout. Otherwise PostgreSQL joins all rows of all payouts, and all payments. */
async function read(db: Queryable, condition: string, value: unknown): Promise<FoundRow[]> {
  const rows = await db.query<ItemRow & { payout_id: string }>(
    `SELECT i.payout_id, i.nth, i.reference, coalesce(i.username, i.destination) AS to, i.amount, i.blockchain, i.note,
            i.state, i.payment_id, s.state AS payment_state, s.tx_hash, i.error
       FROM payouts p
       CROSS JOIN LATERAL (SELECT * FROM payout_items WHERE payout_id = p.payout_id AND ${condition} OFFSET 0) i
       LEFT JOIN LATERAL (SELECT state, tx_hash FROM payments
                           WHERE payment_id = i.payment_id AND i.destination IS NOT NULL OFFSET 0) s ON true
      ORDER BY p.created_at DESC, i.nth LIMIT ${MOST}`,
    [value],
  );
  return rows.map((row) => ({ ...toItem(row), payoutId: row.payout_id, rowId: row.payment_id }));
}
