/** Waiting for events and following them live: one feed reader for everyone in the process. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import type { Db } from '../../server/src/db/database.ts';
import { type FeedPosition, findLast, START } from '../../server/src/events/feedPosition.ts';
import { type Follower, openFollower } from '../../server/src/events/openFollower.ts';
import { type FeedEvent, readFeed } from '../../server/src/events/readFeed.ts';
import { streamEvents } from '../../server/src/events/streamEvents.ts';
import { waitForEvents } from '../../server/src/events/waitForEvents.ts';
import { sendToUser } from '../../server/src/payments/users/sendToUser.ts';
import { settleFeed } from '../support/database/settleFeed.ts';
import { backUp } from '../support/database/turnBack.ts';
import { eventually } from '../support/eventually.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';

let florin: PaymentsServer;
let ada: Person;
let bob: Person;
let eve: Person;
let follower: Follower;
/** Statements that read the feed. */
let statements: string[] = [];
let db: Pick<Db, 'query'>;

beforeAll(async () => {
  florin = await startPayments();
  ada = await createPerson(florin.db, 'ada', '1000');
  bob = await createPerson(florin.db, 'bob', '1000');
  eve = await createPerson(florin.db, 'eve', '1000');
  db = {
    query(sql, values) {
      statements.push(/FROM (\w+)\(/.exec(sql)?.[1] ?? sql);
      return florin.db.query(sql, values);
    },
  };
  follower = openFollower(db, { everyMs: 10, checkEveryMs: 100 });
});
afterEach(() => {
  statements = [];
});
afterAll(async () => {
  await follower.close();
  await florin.stop();
});

async function pay(from: Person, to: Person): Promise<string> {
  const { result } = await sendToUser(florin, {
    senderId: from.userId,
    receiver: to.username,
    amount: parseUsdc('0.01'),
  });
  if ('refusal' in result) throw result.refusal;
  return result.payment.paymentId;
}
const forLong = () => AbortSignal.timeout(100_000);
/** The current position, after everything that was committed. */
async function present(): Promise<FeedPosition> {
  await settleFeed(florin.db);
  return findLast(florin.db);
}

describe('waiting', () => {
  it('ends when an event of the person comes, and not for events of others', async () => {
    const after = await present();
    const query = { after, types: undefined, limit: 10 };
    let isOver = false;
    const waiting = waitForEvents({ db, follower }, { ...query, userId: ada.userId }, forLong()).finally(() => {
      isOver = true;
    });
    const anyone = await Promise.all([
      waitForEvents({ db, follower }, query, forLong()),
      eventually(() => expect(statements).toContain('follow_events')).then(() => pay(bob, eve)),
    ]);
    expect(anyone[0].events.map(({ subjectId }) => subjectId)).toEqual([anyone[1]]);
    expect(isOver).toBe(false);
    const own = await pay(bob, ada);
    expect((await waiting).events.map(({ subjectId }) => subjectId)).toEqual([own]);
  });

  it('ends with an empty page and the same position when the time is over or the caller is gone', async () => {
    const after = await present();
    const query = { after, types: undefined, limit: 10, userId: ada.userId };
    expect(await waitForEvents({ db, follower }, query, AbortSignal.timeout(50))).toMatchObject({
      events: [],
      next: after,
    });
    expect(await waitForEvents({ db, follower }, query, AbortSignal.abort())).toMatchObject({ events: [] });
    // No one waits any more, so the feed is not read.
    await eventually(async () => {
      statements = [];
      await new Promise((done) => setTimeout(done, 60));
      expect(statements).toEqual([]);
    });
  });
});

describe('a stream', () => {
  const ends: (() => void)[] = [];
  const open = (person: Person, after = START, beatMs = 100_000) =>
    streamEvents(
      { db, follower },
      { userId: person.userId, after, types: undefined, beatMs, onOpen: (end) => void ends.push(end) },
    );
  async function take(stream: AsyncGenerator<FeedEvent | undefined>, count: number): Promise<string[]> {
    const found: string[] = [];
    while (found.length < count) {
      const { value } = await stream.next();
      if (value) found.push(value.subjectId);
    }
    return found;
  }

  it('sends past and new events, once and in order, and resumes where it was cut', async () => {
    const stream = open(eve, await present());
    const taking = take(stream, 30);
    const paid: string[] = [];
    for (let i = 0; i < 30; i++) {
      paid.push(await pay(i % 2 ? ada : eve, i % 2 ? eve : bob));
      await pay(ada, bob);
    }
    expect(await taking).toEqual(paid);
    await stream.return();

    // From a position in the middle: first from the database, then live.
    const all = open(eve);
    const ids: FeedEvent[] = [];
    for (let i = 0; i < 20; i++) ids.push((await all.next()).value as FeedEvent);
    await all.return();
    const resumed = open(eve, ids[10]!.place);
    expect(await take(resumed, 9)).toEqual(ids.slice(11).map(({ subjectId }) => subjectId));
    await resumed.return();
  });

  it('with a reader that does not read buffers little, and delivers everything once it reads', async () => {
    const after = await present();
    const stream = open(ada, after);
    const next = stream.next();
    const first = await pay(ada, bob);
    await next;
    // The reader takes nothing while more events come than a stream buffers.
    const reads = () => statements.filter((one) => one === 'read_events_of').length;
    const before = reads();
    const heard = new Set<string>();
    const { joined, stop } = follower.listen({
      userId: ada.userId,
      // The follower may not have reached the first event yet.
      hear: (event) => event && event.subjectId !== first && heard.add(event.subjectId),
      end() {},
    });
    await joined;
    for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 20 }, () => pay(bob, ada)));
    await eventually(() => expect(heard.size).toBe(200));
    stop();
    expect(reads()).toBe(before);
    const { events } = await readFeed(db, { after, types: undefined, limit: 500, userId: ada.userId });
    expect(events).toHaveLength(201);
    expect(await take(stream, 200)).toEqual(events.slice(1).map(({ subjectId }) => subjectId));
    // Events that were not buffered are read again from the database: once by this test, and once by the stream.
    expect(reads() - 2).toBeGreaterThan(before);
    await stream.return();
  });

  it('sends heartbeats, and ends when asked to', async () => {
    await eventually(async () => {
      const stream = open(bob, await present(), 5);
      expect(await stream.next()).toEqual({ value: undefined, done: false });
      ends.at(-1)!();
      expect(await stream.next()).toEqual({ value: undefined, done: true });
    });
  });

  it('ends when the database was replaced: the reader returns and is given the position to resume from', async () => {
    const restore = await backUp(florin.admin);
    const stream = open(eve, await present());
    const paid = await pay(eve, ada);
    expect(await take(stream, 1)).toEqual([paid]);
    const end = stream.next();
    await restore();
    expect(await end).toEqual({ value: undefined, done: true });
  });

  it('ends with the process, and no stream begins afterwards', async () => {
    const after = await present();
    const stream = open(bob, after);
    const end = stream.next();
    const held = waitForEvents({ db, follower }, { after, types: undefined, limit: 1 }, forLong());
    await eventually(() => expect(statements).toContain('follow_events'));
    await follower.close();
    expect((await end).done).toBe(true);
    expect((await held).events).toEqual([]);
    expect((await open(bob).next()).done).toBe(true);
  });
});
