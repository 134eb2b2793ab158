/**
 * All readers of the feed see the same: the whole feed, one person's part, the live reader, and events that arrive
 * meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import type { Queryable } from '../../server/src/db/database.ts';
import { findLast, START } from '../../server/src/events/feedPosition.ts';
import type { Follower } from '../../server/src/events/openFollower.ts';
import { type EventRow, type FeedEvent, readFeed } from '../../server/src/events/readFeed.ts';
import { streamEvents } from '../../server/src/events/streamEvents.ts';
import { waitForEvents } from '../../server/src/events/waitForEvents.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { advancePayments } from '../../server/src/payments/state.ts';
import { settleFeed } from '../support/database/settleFeed.ts';
import { hold } from '../support/ledger/moveMoney.ts';
import { startPayments } from '../support/payments.ts';
import { ask, createVisitor, end, openRequestsServer, pay, type Visitor } from '../support/people/requests.ts';
import { HOME } from '../support/values.ts';

let florin: Awaited<ReturnType<typeof startPayments>>;
let ada: Visitor;
let bob: Visitor;
let eve: Visitor;
let all: readonly FeedEvent[];

const payAda = () => florin.send({ sender_user_id: bob.userId, receiver_username: 'ada', amount: 1 });

/** An event of every kind, in each of its roles. */
async function live(): Promise<void> {
  const { db } = florin;
  const requests = openRequestsServer(db, florin.databaseUrl);
  await payAda();
  await end(db, bob, await ask(db, ada, { payer: 'bob' }), 'declined');
  await end(db, eve, await ask(db, eve, { payer: 'ada' }), 'cancelled');
  await pay(requests, bob, await ask(db, ada));
  await pay(requests, eve, await ask(db, bob, { payer: 'eve' }));
  await ask(db, eve);
  await requests.close();
  const paymentId = randomUUID();
  const chain = await openHouseAccount(db, await openAsset(db, HOME, 'USDC'), 'chain');
  await florin.admin.tx(async (tx) => {
    const movement = { transferId: paymentId, debitAccount: eve.accountId, creditAccount: chain };
    await hold(tx, { ...movement, amount: 3_000_000n as Usdc });
    await tx.query(`INSERT INTO payments (payment_id, state, destination) VALUES ($1, 'INITIATED', $2)`, [
      paymentId,
      `0x${'8'.repeat(40)}`,
    ]);
  });
  await db.tx((tx) => advancePayments(tx, [{ paymentId, state: 'QUEUED' }]));
  for (const { userId } of [ada, eve])
    await db.query(`UPDATE users SET kyc_status = 'started' WHERE user_id = $1`, [userId]);
}

beforeAll(async () => {
  florin = await startPayments();
  ada = await createVisitor(florin.db, 'ada', '100');
  bob = await createVisitor(florin.db, 'bob', '100');
  eve = await createVisitor(florin.db, 'eve', '100');
  await florin.db.query('SELECT ledger_set_home_asset(asset_id) FROM assets');
  await live();
  await settleFeed(florin.db);
  all = (await readFeed(florin.db, { after: START, types: undefined, limit: 500 })).events;
});
afterAll(() => florin.stop());

const idsOf = (events: readonly FeedEvent[]) => events.map(({ place, type }) => `${place.cursor} ${type}`);
const ownOf = (...people: readonly Visitor[]) =>
  all.filter((event) => people.some(({ userId }) => event.people.includes(userId)));

describe('each event of a person', () => {
  it('has a kind of its own here, and the people it concerns', () => {
    const kinds = new Set(all.map(({ type, people }) => `${type.split('.')[0]} ${people.length}`));
    expect([...kinds].sort()).toEqual(['deposit 1', 'kyc 1', 'payment 1', 'payment 2', 'request 1', 'request 2']);
    for (const person of [ada, bob, eve]) expect(ownOf(person).length).toBeGreaterThan(5);
  });

  it.each([1, 3, 500])('is read by that person, in pages of %i', async (limit) => {
    for (const { userId } of [ada, bob, eve]) {
      const read: FeedEvent[] = [];
      for (let after = START; ; ) {
        const page = await readFeed(florin.db, { after, types: undefined, limit, userId });
        read.push(...page.events);
        if (page.isAll) break;
        after = page.next;
      }
      expect(idsOf(read)).toEqual(idsOf(all.filter((event) => event.people.includes(userId))));
    }
  });

  it('reaches live followers, alone and together with others', async () => {
    for (const people of [[ada], [bob], [eve], [ada, eve], [ada, bob, eve]]) {
      const rows = await florin.db.query<EventRow>('SELECT * FROM follow_events($1, 0, 1000, 5000)', [
        people.map(({ userId }) => userId),
      ]);
      const heard = rows.filter((row) => row.is_wanted).map(({ event_id, type }) => `${event_id} ${type}`);
      expect(heard).toEqual(idsOf(ownOf(...people)));
    }
  });
});

/** A follower that receives events from the test, at the moment that the test chooses. */
function openFollowed() {
  let hear: (event: FeedEvent | undefined) => void = () => {};
  const follower: Follower = {
    listen(listener) {
      hear = (event) => listener.hear(event);
      return { joined: Promise.resolve(), stop() {} };
    },
    isClosed: false,
    close: async () => {},
  };
  return { follower, hear: (event: FeedEvent | undefined) => hear(event) };
}

/** Runs an action between the read of a person's events and the use of the result. */
const afterEachRead = (work: (nth: number) => Promise<void> | void): Queryable => {
  let reads = 0;
  return {
    async query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]> {
      const rows = await florin.db.query<Row>(sql, values);
      if (sql.includes('read_events_of')) await work(++reads);
      return rows;
    },
  };
};

describe('an event that arrives while the database is read', () => {
  it('is sent once by a stream that has also read it', async () => {
    const own = ownOf(ada);
    const { follower, hear } = openFollowed();
    const db = afterEachRead(() => hear(own.at(-1)));
    const stream = streamEvents(
      { db, follower },
      { userId: ada.userId, after: START, types: undefined, beatMs: 1, onOpen() {} },
    );
    const sent: (FeedEvent | undefined)[] = [];
    // The heartbeat shows that there was nothing more.
    for await (const event of stream) {
      sent.push(event);
      if (!event) break;
    }
    expect(idsOf(sent.slice(0, -1) as FeedEvent[])).toEqual(idsOf(own));
  });

  it('ends the wait of a reader who has not seen it', async () => {
    const { follower, hear } = openFollowed();
    const leaving = new AbortController();
    let reads = 0;
    const db = afterEachRead(async (nth) => {
      reads = nth;
      if (nth !== 2) return;
      await payAda();
      await settleFeed(florin.db);
      hear(undefined);
      // A reader that does not read again within some iterations of the event loop never will.
      let turns = 0;
      const turn = (): void => {
        if (++turns < 100) setImmediate(turn);
        else if (reads === 2) leaving.abort();
      };
      setImmediate(turn);
    });
    const query = { after: await findLast(florin.db), types: undefined, limit: 10, userId: ada.userId };
    const page = await waitForEvents({ db, follower }, query, leaving.signal);
    expect(page.events.map(({ type }) => type)).toEqual(['payment.complete']);
  });
});
