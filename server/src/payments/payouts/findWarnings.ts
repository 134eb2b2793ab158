import { formatUsdc } from '../../core/money.ts';
import { readLimits } from '../../customers/limits/readLimits.ts';
import type { Queryable } from '../../db/database.ts';
import type { ResolvedRow } from './resolveRows.ts';

/** A reason why rows would not be paid if the payout began now. It may change before the payout is confirmed. */
export interface Warning {
  readonly code: string;
  readonly detail: string;
}

interface Asked {
  readonly currency: string;
  readonly payerId: string | null;
  readonly keyId: string;
  /** Rows that were not paid before. */
  readonly rows: readonly ResolvedRow[];
  /** Blockchains whose token is paused. */
  readonly isPaused: readonly string[];
}

export async function findWarnings(db: Queryable, asked: Asked): Promise<Warning[]> {
  const total = addUp(asked.rows);
  return [
    ...asked.isPaused.map((blockchain) => ({
      code: 'service.paused',
      detail: `${asked.currency} itself is paused on ${blockchain}: rows to addresses there wait.`,
    })),
    ...(await findShortages(db, asked)),
    ...(asked.payerId === null ? [] : await findLimits(db, asked, asked.payerId, total)),
    ...(await findKeyLimits(db, asked, total)),
    ...findTwins(asked.rows),
  ];
}

const addUp = (rows: readonly ResolvedRow[]): bigint => rows.reduce((sum, { amount }) => sum + amount, 0n);
const say = (amount: bigint, currency: string) => `${formatUsdc(amount)} ${currency}`;

async function findShortages(db: Queryable, { currency, payerId, rows }: Asked): Promise<Warning[]> {
  const found = await db.query<{ blockchain: string; available: bigint }>(
    `SELECT n.blockchain, a.available FROM accounts a JOIN assets USING (asset_id) JOIN networks n USING (network_id)
      WHERE symbol = $2 AND ${payerId === null ? `a.kind = 'treasury' AND a.user_id IS NULL AND $1::uuid IS NULL` : 'a.user_id = $1'}`,
    [payerId, currency],
  );
  return [...new Set(rows.map(({ blockchain }) => blockchain))].flatMap((blockchain) => {
    const needed = addUp(rows.filter((row) => row.blockchain === blockchain));
    const available = found.find((one) => one.blockchain === blockchain)?.available ?? 0n;
    if (available >= needed) return [];
    return [
      {
        code: 'balance.insufficient',
        detail: `On ${blockchain} ${say(needed, currency)} are needed, and ${say(available, currency)} are there.`,
      },
    ];
  });
}

async function findLimits(
  db: Queryable,
  { currency, rows }: Asked,
  payerId: string,
  total: bigint,
): Promise<Warning[]> {
  const { limits } = await readLimits(db, payerId, currency);
  const largest = rows.reduce((most, { amount }) => (amount > most ? amount : most), 0n);
  const needed = { payment: largest, day: total, month: total, count: BigInt(rows.length) };
  return limits.flatMap(({ limit, left }) => {
    if (left === null || left >= needed[limit]) return [];
    const unit = limit === 'count' ? 'payments' : currency;
    const print = (value: bigint) => (limit === 'count' ? String(value) : formatUsdc(value));
    return [
      {
        code: 'limit.exceeded',
        detail: `The payer's limit "${limit}" has ${print(left)} ${unit} left, and ${print(needed[limit])} are needed.`,
      },
    ];
  });
}

async function findKeyLimits(db: Queryable, { currency, keyId, payerId }: Asked, total: bigint): Promise<Warning[]> {
  // The account's last hour may be over and counts as the current one here. That only overstates the spending.
  const [row] = await db.query<{ left: bigint | null }>(
    `SELECT least(day_limit - day_spent - hour_spent, month_limit - month_spent - hour_spent) AS left
       FROM key_budgets WHERE key_id = $1 AND pays = $2`,
    [keyId, payerId === null ? 'treasury' : 'people'],
  );
  if (row?.left == null || row.left >= total) return [];
  return [
    {
      code: 'key.limit_exceeded',
      detail: `The key may still spend about ${say(row.left, currency)}, and ${say(total, currency)} are needed.`,
    },
  ];
}

/** The same amount to the same person or address twice is often a mistake. */
function findTwins(rows: readonly ResolvedRow[]): Warning[] {
  const seen = new Map<string, number>();
  const twins = rows.flatMap((row) => {
    const key = `${row.userId ?? row.destination} ${row.blockchain} ${row.amount}`;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, row.row);
    return first === undefined ? [] : [`${row.row} (as ${first})`];
  });
  if (twins.length === 0) return [];
  const shown = twins.slice(0, 20).join(', ') + (twins.length > 20 ? ' and more' : '');
  return [
    {
      code: 'row.twin',
      detail: `${twins.length} rows pay the same amount to the same receiver as an earlier one: rows ${shown}.`,
    },
  ];
}
