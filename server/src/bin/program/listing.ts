/** Options that the lists share. */
import { isAnyAddress } from '../../core/families.ts';
import { parseUsdc } from '../../core/money.ts';
import { findAddress } from '../../customers/findAddress.ts';
import type { Queryable } from '../../db/database.ts';
import type { Option } from './command.ts';
import { misused } from './faults.ts';
import { findUserId, parseBlockchain, parseWord } from './lookups.ts';
import { parseTime } from './parseTime.ts';
import { renderTime } from './render.ts';

const LINES = 20;
const MOST = 1000;
const DAY_MS = 86_400_000;

export const PAGE = {
  limit: { type: 'string', value: 'NUMBER', summary: `at most so many, up to ${MOST}; default ${LINES}` },
  after: { type: 'string', value: 'CURSOR', summary: 'the next page, as the last line of a page names it' },
} as const satisfies Record<string, Option>;

export const SPAN = {
  day: { type: 'string', value: 'DAY', summary: 'on this day in UTC: 2027-01-31' },
  since: { type: 'string', value: 'TIME', summary: 'not before: 2027-01-31 or 2027-01-31T12:00Z, in UTC' },
  until: { type: 'string', value: 'TIME', summary: 'before this time' },
} as const satisfies Record<string, Option>;

export const AMOUNT = {
  type: 'string',
  value: 'USDC',
  summary: 'of this amount, or of a range: 12.50 or 10-20',
} as const satisfies Option;

export const BLOCKCHAIN = {
  type: 'string',
  value: 'NAME',
  summary: 'on this blockchain, such as ETH-SEPOLIA',
} as const satisfies Option;

export function parseLimit(text = String(LINES)): number {
  const limit = /^\d{1,4}$/.test(text) ? Number.parseInt(text, 10) : 0;
  if (limit < 1 || limit > MOST) throw misused(`--limit must be a number from 1 to ${MOST}`);
  return limit;
}

type GivenSpan = { readonly [name in keyof typeof SPAN]?: string };

interface Span {
  readonly from?: Date;
  readonly to?: Date;
}

function parseSpan(given: GivenSpan): Span {
  const { day, since, until } = given;
  if (day !== undefined) {
    if (since !== undefined || until !== undefined) throw misused('give either --day or --since and --until');
    if (day.length !== 10) throw misused(`"${day}" is not a day such as 2027-01-31`);
    const from = parseTime(day);
    return { from, to: new Date(from.getTime() + DAY_MS) };
  }
  const from = since === undefined ? undefined : parseTime(since);
  const to = until === undefined ? undefined : parseTime(until);
  if (from && to && from >= to) throw misused('--since must be before --until');
  return { ...(from && { from }), ...(to && { to }) };
}

const AMOUNTS = /^(\d{1,9}(?:\.\d{1,6})?)(?:-(\d{1,9}(?:\.\d{1,6})?))?$/;

function parseAmounts(text: string | undefined): { minAmount?: bigint; maxAmount?: bigint } {
  if (text === undefined) return {};
  const [, low, high = low] = AMOUNTS.exec(text) ?? [];
  if (low === undefined || high === undefined)
    throw misused(`--amount ${text} is not an amount (12.50) or a range (10-20)`);
  const [minAmount, maxAmount] = [parseUsdc(low), parseUsdc(high)];
  if (minAmount > maxAmount) throw misused(`--amount ${text}: the smaller amount comes first`);
  return { minAmount, maxAmount };
}

interface GivenConditions extends GivenSpan {
  readonly user?: string;
  readonly address?: string;
  readonly amount?: string;
  readonly blockchain?: string;
  readonly limit?: string;
  readonly after?: string;
}

/** The conditions that lists share. Each list has the options for some of them. */
export async function parseConditions(db: Queryable, given: GivenConditions) {
  const { user, address, amount, blockchain, limit, after } = given;
  return {
    ...parseAmounts(amount),
    ...parseSpan(given),
    limit: parseLimit(limit),
    after,
    blockchain: blockchain === undefined ? undefined : await parseBlockchain(db, blockchain.toUpperCase()),
    userId: user === undefined ? undefined : await findUserId(db, user),
    address: address === undefined ? undefined : await parseOutside(db, address),
  };
}

async function parseOutside(db: Queryable, text: string): Promise<string> {
  if (!isAnyAddress(text)) throw misused(`"${text}" is not an address`);
  const own = await findAddress(db, text);
  if (own)
    throw misused(
      `${text} is one of our wallets: use ${own.userId ? `--user ${text}` : 'florin wallet show treasury'}`,
    );
  return text;
}

/** One of these words, if one is given. */
export const parseChoice = <Choice extends string>(
  option: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined =>
  text === undefined
    ? undefined
    : parseWord(choices.find((one) => one.toLowerCase() === text.toLowerCase()) ?? text, option, choices);

/** A page of `found`, which was read with one row more than a page has. */
export function cutPage<Row, Cursor>(found: readonly Row[], limit: number, cursorOf: (row: Row) => Cursor) {
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? cursorOf(rows.at(-1)!) : undefined };
}

/** The last lines of a page: whether the search was ended early, and the option that shows the next page. */
export function describeNext({
  next,
  searchedTo,
}: {
  next: string | number | undefined;
  searchedTo?: Date | undefined;
}): string {
  if (next === undefined) return '';
  const early = searchedTo ? `Searched back to ${renderTime(searchedTo)}. ` : '';
  return `\n${early}There may be more: repeat the command with --after ${next}\n`;
}
