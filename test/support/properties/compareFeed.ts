import { isDeepStrictEqual } from 'node:util';
import type { Queryable } from '../../../server/src/db/database.ts';
import { START } from '../../../server/src/events/feedPosition.ts';
import { type FeedEvent, readFeed } from '../../../server/src/events/readFeed.ts';
import { renderPayment } from '../../../server/src/http/answers/renderPayment.ts';
import type { PersonInLedger } from './readLedger.ts';
import type { Row } from './readRows.ts';

/** Every row has its events, the last one has the row's state, and no event is about anything else. */
export async function compareFeed(
  db: Queryable,
  { userId }: PersonInLedger,
  rows: readonly Row[],
  limit: number,
): Promise<string[]> {
  const events = await readOwn(db, userId, limit);
  const faults: string[] = [];
  const last = new Map<string, FeedEvent>();
  for (const event of events) if ('payment' in event.subject) last.set(event.subjectId, event);
  for (const { units, isDust, available_after, ...row } of rows) {
    const event = last.get(row.transaction_id);
    last.delete(row.transaction_id);
    if (!event || !('payment' in event.subject)) faults.push(`no event for ${row.kind} ${row.transaction_id}`);
    else if (event.type.split('.')[1]!.toUpperCase() !== row.state)
      faults.push(`${row.kind} ${row.transaction_id} is ${row.state}, its last event is ${event.type}`);
    else if (!isDeepStrictEqual(JSON.parse(JSON.stringify(renderPayment(event.subject.payment))), row))
      faults.push(`the event of ${row.kind} ${row.transaction_id} shows another payment`);
  }
  const ids = events.map(({ place }) => place.cursor);
  if (new Set(ids).size !== ids.length) faults.push('the feed shows an event twice');
  return [...faults, ...[...last].map(([id, { type }]) => `${type} is about ${id}, which the history does not show`)];
}

async function readOwn(db: Queryable, userId: string, limit: number): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for (let after = START; ; ) {
    const page = await readFeed(db, { after, types: undefined, limit, userId });
    events.push(...page.events);
    if (page.isAll) return events;
    after = page.next;
  }
}
