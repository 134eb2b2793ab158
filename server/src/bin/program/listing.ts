/** Options that the lists share. */
import { parseUsdc } from '../../core/money.ts';
import type { Queryable } from '../../db/database.ts';
import type { Option } from './command.ts';
import { misused } from './faults.ts';
import { parseBlockchain, parseWord } from './lookups.ts';
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

interface Span {
  readonly from?: Date;
  readonly to?: Date;
}

export function parseSpan(given: { readonly [name in keyof typeof SPAN]?: string }): Span {
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

export function parseAmounts(text: string | undefined): { minAmount?: bigint; maxAmount?: bigint } {
  if (text === undefined) return {};
  const [, low, high = low] = AMOUNTS.exec(text) ?? [];
  if (low === undefined || high === undefined)
    throw misused(`--amount ${text} is not an amount (12.50) or a range (10-20)`);
  const [minAmount, maxAmount] = [parseUsdc(low), parseUsdc(high)];
  if (minAmount > maxAmount) throw misused(`--amount ${text}: the smaller amount comes first`);
  return { minAmount, maxAmount };
}

/** The blockchain of a list, if one is given. */
export const parseListed = async (db: Queryable, text: string | undefined): Promise<string | undefined> =>
  text === undefined ? undefined : parseBlockchain(db, text.toUpperCase());

/** One of these words, if one is given. */
export const parseChoice = <Choice extends string>(
  option: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined =>
  text === undefined
    ? undefined
    : parseWord(choices.find((one) => one.toLowerCase() === text.toLowerCase()) ?? text, option, choices);

/** The last lines of a page: whether the search was ended early, and the option that shows the next page. */
export function describeNext({
  next,
  searchedTo,
}: {
  next: string | undefined;
  searchedTo?: Date | undefined;
}): string {
  if (next === undefined) return '';
  const early = searchedTo ? `Searched back to ${renderTime(searchedTo)}. ` : '';
  return `\n${early}There may be more: repeat the command with --after ${next}\n`;
}
