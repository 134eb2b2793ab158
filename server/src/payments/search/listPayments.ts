/** For operators: payments by what a customer can say about them. Every statement reads a bounded part of an index. */
import { PayError } from '../../core/errors.ts';
import { addressKey } from '../../core/families.ts';
import type { Payment, PaymentState } from '../../core/payment.ts';
import type { Queryable } from '../../db/database.ts';
import { parseCursor, renderCursor } from '../read/historyCursor.ts';
import { PAYMENT_COLUMNS, PAYMENT_JOINS, type PaymentRow, toPayment } from '../read/paymentRow.ts';
import { type HistoryFilter, IS_KIND, readPayments } from '../read/readPayments.ts';
import { isFinal, paymentStates } from '../state.ts';

interface PaymentFilter extends Omit<HistoryFilter, 'counterparty' | 'state'> {
  /** They pay or receive it. */
  readonly userId?: string | undefined;
  /** Coins went to, or came from, this address that is not ours. */
  readonly address?: string | undefined;
  /** `open`: every state that is not final. */
  readonly state?: PaymentState | 'open' | undefined;
}

export interface PaymentList {
  readonly payments: readonly Payment[];
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined;
  /** Set if the search was ended before the page was full: everything since then was searched. */
  readonly searchedTo?: Date | undefined;
}

type Asked = PaymentFilter & { readonly limit: number; readonly after?: string | undefined };

/** The number of ledger rows that one statement reads, and the number of such statements of one call. */
const BOUNDS = { scanned: 20_000, rounds: 25 };
/** A row gets its position and its time at different moments, and several servers have slightly different times. */
const SLACK_MS = 3_600_000;

/** Newest first. A new payment does not shift later pages. Throws `cursor.invalid`. */
export async function listPayments(db: Queryable, asked: Asked, bounds = BOUNDS): Promise<PaymentList> {
  if (asked.state !== undefined && (asked.state === 'open' || !isFinal(asked.state))) return listOpen(db, asked);
  return asked.userId === undefined ? listAll(db, asked, bounds) : listOfPerson(db, asked, asked.userId);
}

/** In the order of the ledger. */
async function listAll(db: Queryable, asked: Asked, { scanned, rounds }: typeof BOUNDS): Promise<PaymentList> {
  const floor = asked.from ? await findPosition(db, new Date(asked.from.getTime() - SLACK_MS)) : 0n;
  const ceiling = asked.to ? await findPosition(db, new Date(asked.to.getTime() + SLACK_MS)) : HIGHEST;
  const payments: Payment[] = [];
  let top = asked.after === undefined ? ceiling : parsePosition(asked.after);
  let searchedTo: Date | undefined;
  for (let round = 0; round < rounds; round++) {
    const [bottom] = await db.query<{ seq: bigint; at: Date }>(
      `SELECT seq, created_at AS at FROM transfers WHERE seq < $1 AND seq >= $2
        ORDER BY seq DESC OFFSET $3 LIMIT 1`,
      [top, floor, scanned - 1],
    );
    const values: unknown[] = [top, bottom?.seq ?? floor, asked.limit + 1 - payments.length];
    const rows = await db.query<PaymentRow & { seq: bigint }>(
      `SELECT t.seq, ${PAYMENT_COLUMNS}
         FROM (SELECT t.* FROM transfers t WHERE t.seq < $1 AND t.seq >= $2 AND ${conditionsOf(asked, values)}
                ORDER BY t.seq DESC LIMIT $3) t
         ${PAYMENT_JOINS}
        ORDER BY t.seq DESC`,
      values,
    );
    const fits = rows.slice(0, asked.limit - payments.length);
    payments.push(...fits.map(toPayment));
    if (fits.length < rows.length) {
      // The row that does not fit is the first one of the next page.
      return { payments, next: String(rows[fits.length]!.seq + 1n) };
    }
    if (!bottom) return { payments, next: undefined };
    [top, searchedTo] = [bottom.seq, bottom.at];
  }
  return { payments, next: String(top), searchedTo };
}

/** Their accounts number their entries, so no other person's rows are read. */
async function listOfPerson(db: Queryable, asked: Asked, userId: string): Promise<PaymentList> {
  const { address, state, after, limit, minAmount = 0n, ...filter } = asked;
  const counterparty = address === undefined ? undefined : { address };
  const wanted = {
    ...filter,
    userId,
    minAmount,
    counterparty,
    ...(state !== undefined && state !== 'open' && { state }),
  };
  const payments: Payment[] = [];
  let position = after === undefined ? undefined : parseCursor(after);
  for (let round = 0; round < BOUNDS.rounds; round++) {
    const page = await readPayments(db, {
      ...wanted,
      limit: limit - payments.length,
      ...(position && { after: position }),
    });
    payments.push(...page.items.map(({ payment }) => payment));
    position = page.next;
    if (!position || payments.length >= limit) break;
  }
  return { payments, next: position && renderCursor(position) };
}

/** Open payments are few and have indexes of their own, so all of them are found, however old they are. */
async function listOpen(db: Queryable, asked: Asked): Promise<PaymentList> {
  const values: unknown[] = [asked.after === undefined ? HIGHEST : parsePosition(asked.after), asked.limit + 1];
  const rows = await db.query<PaymentRow & { seq: bigint }>(
    `SELECT t.seq, ${PAYMENT_COLUMNS}
       FROM transfers_by_id(ARRAY(
              SELECT payment_id FROM payments WHERE state IN ('INITIATED', 'CLEARED')
              UNION SELECT move_id FROM coin_moves WHERE state = 'open' AND purpose = 'send')) t ${PAYMENT_JOINS}
      WHERE t.seq < $1 AND ${conditionsOf(asked, values)}
      ORDER BY t.seq DESC LIMIT $2`,
    values,
  );
  const payments = rows.slice(0, asked.limit).map(toPayment);
  return { payments, next: rows[asked.limit] && String(rows[asked.limit]!.seq + 1n) };
}

/** For each send, and only after the conditions on the row of the ledger hold: joining the tables takes ten times as long. */
const ofSend = (column: string) => `(SELECT ${column} FROM payments p WHERE p.payment_id = t.transfer_id)`;
const STATE = `CASE t.kind WHEN 'hold' THEN coalesce(${ofSend('p.state')}, 'INITIATED') ELSE 'COMPLETE' END`;
/** A hold is the amount and the fee. */
const AMOUNT = `CASE t.kind WHEN 'hold' THEN coalesce(${ofSend('p.amount')}, t.amount) ELSE t.amount END`;
const accountsOf = (user: string) => `SELECT account_id FROM accounts WHERE ${user}`;
const OPEN = Object.keys(paymentStates).filter((state) => !isFinal(state as PaymentState));

/** Conditions on a row `t` of `transfers`, those that are cheap first; appends their values. */
function conditionsOf(asked: PaymentFilter, values: unknown[]): string {
  const bind = (value: unknown) => `$${values.push(value)}`;
  const { userId, address, blockchain, kind, state, depositState, from, to, minAmount, maxAmount } = asked;
  const conditions = [
    `(t.kind IN ('user', 'deposit', 'hold') OR t.kind = 'internal'
      AND EXISTS (${accountsOf('account_id IN (t.debit_account, t.credit_account) AND user_id IS NOT NULL')}))`,
  ];
  if (kind) conditions.push(`(${IS_KIND[kind]})`);
  if (userId !== undefined) {
    const theirs = accountsOf(`user_id = ${bind(userId)}`);
    conditions.push(`(t.debit_account IN (${theirs}) OR t.credit_account IN (${theirs}))`);
  }
  if (blockchain !== undefined)
    conditions.push(`t.asset_id IN (SELECT asset_id FROM assets JOIN networks USING (network_id)
      WHERE blockchain = ${bind(blockchain)})`);
  if (from) conditions.push(`t.created_at >= ${bind(from)}`);
  if (to) conditions.push(`t.created_at < ${bind(to)}`);
  if (minAmount !== undefined) {
    const least = bind(minAmount);
    conditions.push(`t.amount >= ${least}`, `${AMOUNT} >= ${least}`);
  }
  if (maxAmount !== undefined) conditions.push(`${AMOUNT} <= ${bind(maxAmount)}`);
  if (state !== undefined) {
    if (state !== 'COMPLETE') conditions.push(`t.kind = 'hold'`);
    conditions.push(`${STATE} = ANY (${bind(state === 'open' ? OPEN : [state])})`);
  }
  if (depositState) {
    conditions.push(`t.kind = 'deposit'
      AND (SELECT d.state FROM deposits d WHERE d.transfer_id = t.transfer_id) = ${bind(depositState)}`);
  }
  if (address !== undefined) {
    const key = bind(addressKey(address));
    // Only 0x addresses are not case-sensitive.
    const fold = (column: string) => (/^0x/i.test(address) ? `lower(${column})` : column);
    conditions.push(`CASE t.kind WHEN 'hold' THEN ${ofSend(fold('p.destination'))} = ${key}
      WHEN 'deposit' THEN ${fold('t.from_name')} = ${key} END`);
  }
  return conditions.join(' AND ');
}

/** Above every position. */
const HIGHEST = 2n ** 63n - 1n;

function parsePosition(cursor: string): bigint {
  const position = /^\d{1,19}$/.test(cursor) ? BigInt(cursor) : HIGHEST + 1n;
  if (position > HIGHEST) throw new PayError('cursor.invalid');
  return position;
}

/** The lowest position in the ledger whose row is not older than `at`. Times grow with positions, so this halves. */
export async function findPosition(db: Queryable, at: Date): Promise<bigint> {
  const [ends] = await db.query<{ low: bigint | null; high: bigint | null }>(
    'SELECT min(seq) AS low, max(seq) + 1 AS high FROM transfers',
  );
  let low = ends?.low ?? 0n;
  let high = ends?.high ?? 0n;
  while (low < high) {
    const middle = low + (high - low) / 2n;
    const [row] = await db.query<{ seq: bigint; at: Date }>(
      'SELECT seq, created_at AS at FROM transfers WHERE seq >= $1 ORDER BY seq LIMIT 1',
      [middle],
    );
    if (row && row.at < at) low = row.seq + 1n;
    else high = middle;
  }
  return low;
}
