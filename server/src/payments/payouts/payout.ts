/**
 * `payouts` pays many people and addresses from one file. A file is checked and stored (`checkPayout`), confirmed with
 * its count and total (`confirmPayout`), and then executed by the worker (`runPayouts`), one batch of rows per commit.
 * Only functions in `sql/functions/payouts` write its tables. Start with `docs/decisions/0038-payouts.md`.
 */
import { type ErrorDetails, errorTable, PayError, renderProblem } from '../../core/errors.ts';
import type { PaymentState } from '../../core/payment.ts';
import type { Queryable } from '../../db/database.ts';
import { describeEnd } from '../describeEnd.ts';

export const PAYOUT_STATES = [
  'checked',
  'approving',
  'running',
  'waiting',
  'stopping',
  'complete',
  'cancelled',
] as const;
export type PayoutState = (typeof PAYOUT_STATES)[number];
export const ITEM_STATES = ['ready', 'sent', 'paid', 'failed', 'cancelled'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** How rows are treated that exceed the remaining balance or limit. */
export type OnShortage = 'wait' | 'fail';

export interface Fault {
  readonly code: string;
  readonly details: ErrorDetails;
}

interface Sum {
  readonly count: number;
  readonly total: bigint;
}

export interface Payout {
  readonly payoutId: string;
  readonly keyId: string;
  readonly state: PayoutState;
  /** Null: the treasury. */
  readonly payerId: string | null;
  readonly payerName: string | null;
  readonly onShortage: OnShortage;
  readonly all: Sum;
  /** The rows among them whose payments were made before under the same references. */
  readonly known: Sum;
  readonly byState: Readonly<Partial<Record<ItemState, Sum>>>;
  readonly byBlockchain: readonly (Sum & { readonly blockchain: string; readonly to: 'people' | 'addresses' })[];
  readonly approvalsNeeded: number;
  readonly approvals: number;
  readonly waitsFor: Fault | null;
  readonly waitsUntil: Date | null;
  readonly file: { readonly contentType: string; readonly bytes: number; readonly sha256: string };
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
  readonly endedAt: Date | null;
}

interface PayoutRow {
  readonly payout_id: string;
  readonly key_id: string;
  readonly state: PayoutState;
  readonly payer_id: string | null;
  readonly payer_name: string | null;
  readonly on_shortage: OnShortage;
  readonly row_count: number;
  readonly total: bigint;
  readonly known_count: number;
  readonly known_total: bigint;
  readonly sums: readonly { state: ItemState; blockchain: string; is_person: boolean; count: number; total: string }[];
  readonly approvals_needed: number;
  readonly approvals: number;
  readonly waits_for: Fault | null;
  readonly waits_until: Date | null;
  readonly content_type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly created_at: Date;
  readonly confirmed_at: Date | null;
  readonly ended_at: Date | null;
}

export async function findPayouts(db: Queryable, payoutIds: readonly string[]): Promise<Payout[]> {
  const rows = await db.query<PayoutRow>(
    `SELECT p.*, n.username AS payer_name, count_payout_approvals(p.payout_id) AS approvals, f.content_type,
            octet_length(f.content) AS bytes, encode(f.hash, 'hex') AS sha256,
            (SELECT json_agg(s) FROM (
               SELECT i.state, i.blockchain, i.user_id IS NOT NULL AS is_person, count(*)::integer AS count,
                      sum(i.amount)::text AS total
                 FROM payout_items i WHERE i.payout_id = p.payout_id
                GROUP BY 1, 2, 3 ORDER BY 2, 3 DESC, 1) s) AS sums
       FROM payouts p JOIN payout_files f USING (payout_id)
       LEFT JOIN usernames n ON n.user_id = p.payer_id AND n.redirect_until IS NULL
      WHERE p.payout_id = ANY ($1)`,
    [payoutIds],
  );
  return rows.map(toPayout);
}

/** Only the key that created a payout sees it. */
export async function getPayout(db: Queryable, payoutId: string, keyId: string): Promise<Payout> {
  const [payout] = await findPayouts(db, [payoutId]);
  if (payout?.keyId !== keyId) throw new PayError('payout.unknown');
  return payout;
}

interface Wish {
  readonly keyId: string;
  readonly state: PayoutState | undefined;
  /** Only payouts created before this one. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** The payouts of one key, newest first. */
export async function listPayoutsOf(db: Queryable, { keyId, state, before, limit }: Wish): Promise<Payout[]> {
  const start = before && (await getPayout(db, before, keyId));
  const found = await db.query<{ payout_id: string }>(
    `SELECT payout_id FROM payouts
      WHERE key_id = $1 AND ($2::text IS NULL OR state = $2)
        AND ($3::uuid IS NULL OR (created_at, payout_id) < (SELECT created_at, payout_id FROM payouts WHERE payout_id = $3))
      ORDER BY created_at DESC, payout_id DESC LIMIT $4`,
    [keyId, state ?? null, start ? start.payoutId : null, limit],
  );
  const ids = found.map(({ payout_id }) => payout_id);
  const payouts = new Map((await findPayouts(db, ids)).map((payout) => [payout.payoutId, payout]));
  return ids.map((id) => payouts.get(id)!);
}

function toPayout(row: PayoutRow): Payout {
  const sums = row.sums.map((one) => ({
    ...one,
    total: BigInt(one.total),
    to: one.is_person ? ('people' as const) : ('addresses' as const),
  }));
  return {
    payoutId: row.payout_id,
    keyId: row.key_id,
    state: row.state,
    payerId: row.payer_id,
    payerName: row.payer_name,
    onShortage: row.on_shortage,
    all: { count: row.row_count, total: row.total },
    known: { count: row.known_count, total: row.known_total },
    byState: addUp(sums, ({ state }) => state),
    byBlockchain: Object.values(addUp(sums, ({ blockchain, to }) => `${blockchain} ${to}`)),
    approvalsNeeded: row.approvals_needed,
    approvals: row.approvals,
    waitsFor: row.waits_for,
    waitsUntil: row.waits_until,
    file: { contentType: row.content_type, bytes: row.bytes, sha256: row.sha256 },
    createdAt: row.created_at,
    confirmedAt: row.confirmed_at,
    endedAt: row.ended_at,
  };
}

function addUp<One extends Sum, Key extends string>(sums: readonly One[], keyOf: (one: One) => Key): Record<Key, One> {
  const found = {} as Record<Key, One>;
  for (const one of sums) {
    const before = found[keyOf(one)];
    found[keyOf(one)] = before ? { ...one, count: before.count + one.count, total: before.total + one.total } : one;
  }
  return found;
}

/** What the codes of payout rows mean, if the error table does not have them or says something else. */
const ROW_FAULTS: Readonly<Record<string, string>> = {
  'username.other_owner': 'At the confirmation, the username belonged to another person than at the check.',
  'reference.used': 'The reference was already used for another amount or another recipient.',
  'payment.ended': 'The payment to the address ended without being paid.',
};

/** For people. */
export function describeFault({ code, details }: Fault): string {
  const says = ROW_FAULTS[code];
  if (says === undefined)
    return Object.hasOwn(errorTable, code)
      ? String(renderProblem(new PayError(code as keyof typeof errorTable, details)).detail)
      : code;
  const stored = typeof details.reason === 'string' ? details.reason : null;
  const why = describeEnd(details.state as PaymentState, stored);
  return why === null ? says : `${says.slice(0, -1)}: ${why}.`;
}
