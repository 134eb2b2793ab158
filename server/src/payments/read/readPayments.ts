import { smaller } from '../../core/bigints.ts';
import type { Payment, PaymentKind, PaymentState } from '../../core/payment.ts';
import type { Queryable } from '../../db/database.ts';
import { searchCondition } from '../search/searchCondition.ts';
import { PAYMENT_COLUMNS, PAYMENT_JOINS, type PaymentRow, toPayment } from './paymentRow.ts';

export interface HistoryFilter {
  readonly kind?: PaymentKind | undefined;
  readonly state?: PaymentState | undefined;
  /** Not older than this. */
  readonly from?: Date | undefined;
  /** Older than this. */
  readonly to?: Date | undefined;
  readonly minAmount?: bigint | undefined;
  readonly maxAmount?: bigint | undefined;
  readonly counterparty?: { readonly userId: string } | { readonly address: string } | undefined;
  readonly blockchain?: string | undefined;
  /** Only what the owner of the history got, or only what they gave. */
  readonly direction?: 'in' | 'out' | undefined;
  /** Words that the owner remembers. */
  readonly search?: string | undefined;
  /** Only deposits that are in this state now. */
  readonly depositState?: 'credited' | 'gone' | 'lost' | undefined;
}

/**
 * Against address poisoning: attackers send tiny amounts from addresses that resemble a friend's, hoping that one is
 * copied from the history. Such deposits are credited, but listed only with a filter on amounts (`min_amount=0`).
 */
export const DUST = 10_000n;

/** Per asset, the entry below which the next page begins. */
export type HistoryPosition = ReadonlyMap<number, bigint>;

export interface HistoryItem {
  readonly payment: Payment;
  /** The person's available balance after it. */
  readonly availableAfter: bigint;
  /** The person gets it. */
  readonly isIncoming: boolean;
}

interface HistoryPage {
  readonly items: readonly HistoryItem[];
  /** Undefined on the last page. A page may be short, or empty, and still have a next one: see SCANNED_ENTRIES. */
  readonly next: HistoryPosition | undefined;
}

/**
 * The maximum number of entries of an account that one page reads. A filter that matches almost nothing would otherwise
 * read years of history in one request; instead the page is short and has a cursor to continue.
 */
export const SCANNED_ENTRIES = 5_000n;

export const bottomOf = (top: bigint): bigint => (top > SCANNED_ENTRIES ? top - SCANNED_ENTRIES : 1n);

interface AccountRow {
  readonly account_id: bigint;
  readonly asset_id: number;
  readonly entries: bigint;
}

interface EntryRow extends PaymentRow {
  readonly entry: bigint;
  readonly seq: bigint;
  readonly available_after: bigint;
  readonly is_incoming: boolean;
}

/**
 * A person's payments, newest first. Entries of an account are numbered without gaps under the account's lock, so new
 * rows do not change what "below entry n" means: nothing is skipped or repeated, and a page deep in the history costs
 * as much as the first one.
 */
export async function readPayments(
  db: Queryable,
  query: { readonly userId: string; readonly limit: number; readonly after?: HistoryPosition } & HistoryFilter,
): Promise<HistoryPage> {
  const all = await db.query<AccountRow & { blockchain: string }>(
    `SELECT account_id, asset_id, entries, blockchain
       FROM accounts JOIN assets USING (asset_id) JOIN networks USING (network_id) WHERE user_id = $1`,
    [query.userId],
  );
  const accounts = all.filter(({ blockchain }) => blockchain === (query.blockchain ?? blockchain));
  const read = await Promise.all(
    accounts.map(async (account) => {
      // An asset that is not in the cursor was opened after the first page, so all its entries are newer. An
      // entry above the last one was lost with its commit.
      const after = query.after ? (query.after.get(account.asset_id) ?? 1n) : account.entries + 1n;
      const top = smaller(after, account.entries + 1n);
      const bottom = bottomOf(top);
      const rows = top > 1n ? await readEntries(db, account.account_id, top, bottom, query) : [];
      return { assetId: account.asset_id, top, bottom, rows };
    }),
  );
  const { page, next } = cutPage(read, query.limit);
  const items = page.map((row) => ({
    payment: toPayment(row),
    availableAfter: row.available_after,
    isIncoming: row.is_incoming,
  }));
  return { items, next };
}

/** The entries that were read from one account: from `bottom` on and below `top`, newest first. */
interface ReadEntries<Row> {
  readonly assetId: number;
  readonly top: bigint;
  readonly bottom: bigint;
  readonly rows: readonly Row[];
}

/** The newest rows of all accounts, and where the next page begins. */
export function cutPage<Row extends { readonly entry: bigint; readonly seq: bigint }>(
  read: readonly ReadEntries<Row>[],
  limit: number,
): { page: readonly Row[]; next: HistoryPosition | undefined } {
  const [only] = read;
  if (only && read.length === 1) {
    const page = only.rows.slice(0, limit);
    const below = page.length < only.rows.length ? (page.at(-1)?.entry ?? only.top) : only.bottom;
    return { page, next: below > 1n ? new Map([[only.assetId, below]]) : undefined };
  }
  const places = read.map(() => 0);
  const page: Row[] = [];
  while (page.length < limit) {
    const newest = findNewest(read, places);
    if (newest === undefined) break;
    page.push(read[newest]!.rows[places[newest]!]!);
    places[newest]!++;
  }
  const next = new Map<number, bigint>();
  for (const [i, { assetId, top, bottom, rows }] of read.entries()) {
    // Rows that did not fit come first on the next page; otherwise continue below the entries that were read.
    const taken = places[i]!;
    const below = taken < rows.length ? (rows[taken - 1]?.entry ?? top) : bottom;
    if (below > 1n) next.set(assetId, below);
  }
  return { page, next: next.size > 0 ? next : undefined };
}

/**
 * The account whose row comes next; undefined if there are no more. Each account returns its rows in the order of its
 * entries, because the cursor means "below this entry". Ordering by `seq` alone would lose rows: a transaction gets its
 * `seq` when it begins to write and its entry when it locks the account, so the two orders can differ.
 */
function findNewest(
  read: readonly ReadEntries<{ readonly seq: bigint }>[],
  places: readonly number[],
): number | undefined {
  let newest: number | undefined;
  let newestSeq = -1n;
  for (const [i, { rows }] of read.entries()) {
    const row = rows[places[i]!];
    if (row && row.seq > newestSeq) [newest, newestSeq] = [i, row.seq];
  }
  return newest;
}

export const IS_KIND: Readonly<Record<PaymentKind, string>> = {
  user: `t.kind = 'user'`,
  chain: `t.kind = 'hold'`,
  deposit: `t.kind = 'deposit'`,
  correction: `t.kind = 'internal' AND t.from_name IS NULL`,
  debt: `t.kind = 'internal' AND t.from_name IS NOT NULL`,
};

const OTHER_ACCOUNT = 'CASE WHEN t.debit_account = $1 THEN t.credit_account ELSE t.debit_account END';

async function readEntries(
  db: Queryable,
  accountId: bigint,
  top: bigint,
  bottom: bigint,
  query: { readonly limit: number } & HistoryFilter,
): Promise<EntryRow[]> {
  // One row more than is shown: it says whether there is a next page.
  const values: unknown[] = [accountId, top, bottom, query.limit + 1];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const common: string[] = [];
  if (query.from) common.push(`t.created_at >= ${bind(query.from)}`);
  if (query.to) common.push(`t.created_at < ${bind(query.to)}`);
  if (query.minAmount !== undefined) common.push(`t.amount >= ${bind(query.minAmount)}`);
  if (query.maxAmount !== undefined) common.push(`t.amount <= ${bind(query.maxAmount)}`);
  if (query.minAmount === undefined && query.maxAmount === undefined) {
    common.push(`(t.kind <> 'deposit' OR t.amount >= ${bind(DUST)})`);
  }
  if (query.direction) common.push(`t.${query.direction === 'in' ? 'credit' : 'debit'}_account = $1`);
  if (query.state) {
    const state = bind(query.state);
    common.push(`CASE t.kind WHEN 'hold' THEN coalesce((SELECT state FROM payments
      WHERE payment_id = t.transfer_id), 'INITIATED') ELSE 'COMPLETE' END = ${state}`);
  }
  if (query.depositState) {
    common.push(
      `EXISTS (SELECT FROM deposits d WHERE d.transfer_id = t.transfer_id AND d.state = ${bind(query.depositState)})`,
    );
  }
  const { counterparty } = query;
  const other = (column: string) => {
    if (!counterparty) return [];
    if ('address' in counterparty) {
      const address = bind(counterparty.address.toLowerCase());
      return [
        `(t.kind = 'hold' AND EXISTS (SELECT FROM payments WHERE payment_id = t.transfer_id
        AND lower(destination) = ${address}) OR t.kind = 'deposit' AND lower(t.from_name) = ${address})`,
      ];
    }
    const userId = bind(counterparty.userId);
    return [`t.kind = 'user' AND ${column} IN (SELECT account_id FROM accounts WHERE user_id = ${userId})`];
  };
  const isWanted = [
    query.kind ? IS_KIND[query.kind] : `t.kind IN ('user', 'hold', 'deposit', 'internal')`,
    ...common,
    ...other(OTHER_ACCOUNT),
    // The most expensive condition comes last.
    ...(query.search === undefined ? [] : [searchCondition(query.search, OTHER_ACCOUNT, bind)]),
  ].join(' AND ');
  return db.query<EntryRow>(
    `SELECT t.entry, t.seq, t.available_after, t.credit_account = $1 AS is_incoming, ${PAYMENT_COLUMNS}
       FROM (SELECT t.* FROM (SELECT e.entry, e.available_after, (e.transfer).* FROM ledger_entries($1, $2, $3) e) t
              WHERE ${isWanted} LIMIT $4) t
       ${PAYMENT_JOINS}
      ORDER BY t.entry DESC`,
    values,
  );
}
