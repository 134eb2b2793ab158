/** Periods of a history, in the person's own time zone. Days are text such as `2026-11-19`. */

/** The last day counts. An empty side is open. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

export const PERIODS = ['all', 'month', 'lastMonth', 'year', 'lastYear'] as const;
export type PeriodName = (typeof PERIODS)[number];

const write = (date: Date): string =>
  `${String(date.getFullYear()).padStart(4, '0')}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;

/** Undefined if it is not a day of the calendar. */
function parseDay(day: string): Date | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day)?.map(Number) ?? [];
  if (year === undefined || year < 1) return undefined;
  const parsed = new Date(2000, 0, 1);
  parsed.setFullYear(year, month! - 1, date);
  return write(parsed) === day ? parsed : undefined;
}

/** Days that are not in the calendar are left out. */
export const readPeriod = (query: URLSearchParams): Period => {
  const [from, to] = ['from', 'to'].map((name) => (parseDay(query.get(name) ?? '') ? query.get(name)! : ''));
  return { from: from!, to: to! };
};

/** Day 0 of a month is the last one of the month before it. */
export function makePeriod(name: PeriodName, now = new Date()): Period {
  const [year, month] = [now.getFullYear(), now.getMonth()];
  const between = (from: Date, to: Date) => ({ from: write(from), to: write(to) });
  if (name === 'month') return between(new Date(year, month, 1), new Date(year, month + 1, 0));
  if (name === 'lastMonth') return between(new Date(year, month - 1, 1), new Date(year, month, 0));
  if (name === 'year') return between(new Date(year, 0, 1), new Date(year, 11, 31));
  if (name === 'lastYear') return between(new Date(year - 1, 0, 1), new Date(year - 1, 11, 31));
  return { from: '', to: '' };
}

export const nameOfPeriod = ({ from, to }: Period): PeriodName | undefined =>
  PERIODS.find((name) => {
    const one = makePeriod(name);
    return one.from === from && one.to === to;
  });

/** As the service filters: from the first moment of the first day, and before the day after the last one. */
export function toQuery({ from, to }: Period): { from?: string; to?: string } {
  const [first, last] = [parseDay(from), parseDay(to)];
  last?.setDate(last.getDate() + 1);
  return { ...(first && { from: first.toISOString() }), ...(last && { to: last.toISOString() }) };
}
