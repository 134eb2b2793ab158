/** Everything that a statement of a period needs, from one moment. */
import type { BackendTypes } from '@florin/client';
import { type Period, toQuery } from './money/periods.ts';
import { type Entry, type Summary, summarize, toEntry } from './money/summary.ts';
import { florin } from './session.ts';

type Balances = BackendTypes['schemas']['OwnOverview']['balances'];

export interface Statement {
  /** Those of the period, oldest first. */
  readonly entries: readonly Entry[];
  readonly summaries: readonly Summary[];
}

/** More would neither fit on paper nor into a page of a browser. */
const MOST = 3_000;
/** Payments while the history was read change the balance of today, so both are read again. */
const ATTEMPTS = 5;

export class TooLong extends Error {}

const listAvailable = (balances: Balances): string =>
  balances.map(({ blockchain, available }) => `${blockchain} ${available}`).join();

/** Throws `TooLong` if there are more payments since the beginning of the period than a page can show. */
export async function readPeriodOfHistory(period: Period, own: string | null, signal: AbortSignal): Promise<Statement> {
  const { from, to } = toQuery(period);
  const isInPeriod = ({ payment }: Entry) => to === undefined || Date.parse(payment.created_at) < Date.parse(to);
  for (let attempt = 1; ; attempt++) {
    const { balances } = await florin.overview({ signal });
    const entries: Entry[] = [];
    // An amount as a filter lists tiny deposits too: they are part of the balance.
    const query = { limit: 200, min_amount: '0', ...(from !== undefined && { from }) };
    for await (const payment of florin.history(query, { signal })) {
      entries.push(toEntry(payment, own));
      if (entries.length > MOST) throw new TooLong();
    }
    const { balances: now } = await florin.overview({ signal });
    if (listAvailable(balances) !== listAvailable(now) && attempt < ATTEMPTS) continue;
    return {
      entries: entries.filter(isInPeriod).reverse(),
      summaries: summarize(now, entries, isInPeriod),
    };
  }
}
