/** The feed: every event once, in one order, for every reader, however commits overlap. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { EVENT_TYPES, parseTypes } from '../../server/src/events/eventTypes.ts';
import {
  type FeedPosition,
  findLast,
  findPosition,
  parseEventId,
  START,
} from '../../server/src/events/feedPosition.ts';
import { openHorizon } from '../../server/src/events/openHorizon.ts';
import { type FeedQuery, findHeldSince, readFeed } from '../../server/src/events/readFeed.ts';
import { refundPayment } from '../../server/src/payments/refunds/refundPayment.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { settleFeed } from '../support/database/settleFeed.ts';
import { backUp } from '../support/database/turnBack.ts';
import { asAdmin, createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { asOperator, nameOperators } from '../support/operators.ts';
import { ask, end } from '../support/people/requests.ts';

let world: CustodyWorld;
let db: Db;
let alice: Holder;
let bob: Holder;
let carol: Holder;
const person = ({ userId, username }: Holder) => ({ userId: userId!, username, accountId: 0n });

beforeAll(async () => {
  world = await startCustody();
  ({ db } = world);
  ({ alice, bob, carol } = await world.fund({ alice: '1000', bob: '1000', carol: '50' }));
  await db.query('SELECT ledger_set_home_asset($1)', [world.usdc.assetId]);
  await nameOperators(world.databaseUrl, { anna: 'admin' });
});
afterAll(() => world.stop());

const verify = (holder: Holder, status: string, tx: Pick<Db, 'query'> = db) =>
  tx.query('UPDATE users SET kyc_status = $2 WHERE user_id = $1', [holder.userId, status]);

/** Pages until there is nothing more to read. */
async function readAll(query: Partial<FeedQuery> = {}): Promise<Awaited<ReturnType<typeof readFeed>>['events']> {
  const events = [];
  for (let after: FeedPosition = query.after ?? START; ; ) {
    const page = await readFeed(db, { types: undefined, limit: 7, ...query, after });
    events.push(...page.events);
    if (page.isAll) return events;
    after = page.next;
  }
}
const idsOf = (events: Awaited<ReturnType<typeof readAll>>) => events.map(({ place }) => place.cursor);

const settle = () => settleFeed(db);

describe('the feed', () => {
  it('has every kind of event once, in the order in which they happened', async () => {
    await settle();
    const after = await findLast(db);
    const paid = await world.payUser(alice, 'bob', '10');
    const sent = await world.send({ amount: '5', destination: randomAddress(), walletUsername: 'alice' });
    await world.settleDown();
    const { refundId } = await asOperator(world.databaseUrl, 'anna', (as) =>
      refundPayment(as, { paymentId: paid, amount: undefined, reason: 'a test' }),
    );
    const asked = await ask(db, person(alice), { payer: 'bob', amount: '2' });
    await end(db, person(bob), asked, 'declined');
    await verify(bob, 'started');
    await verify(bob, 'approved');
    await verify(bob, 'approved');
    await world.fund({ dora: '3' });
    await settle();

    const events = await readAll({ after });
    const [dora] = await db.query<{ user_id: string }>(`SELECT user_id FROM usernames WHERE username = 'dora'`);
    const listed = events.map(({ type, subjectId, people }) => [type, subjectId, [...people].sort()]);
    const both = [alice.userId!, bob.userId!].sort();
    expect(listed.filter(([, id]) => id === sent).map(([type]) => type)).toEqual(
      expect.arrayContaining(['payment.initiated', 'payment.queued', 'payment.complete']),
    );
    expect(listed.filter(([, id]) => id !== sent)).toEqual([
      ['payment.complete', paid, both],
      ['refund.complete', refundId, both],
      ['request.open', asked, both],
      ['request.declined', asked, both],
      ['kyc.started', bob.userId, [bob.userId]],
      ['kyc.approved', bob.userId, [bob.userId]],
      ['deposit.complete', expect.any(String), [dora!.user_id]],
    ]);
    expect(events.find(({ subjectId }) => subjectId === sent)!.people).toEqual([alice.userId]);
    // Every event shows its object's current state.
    for (const { subject } of events.filter(({ subjectId }) => subjectId === sent))
      expect(subject).toMatchObject({ payment: { state: 'COMPLETE' } });
    expect(events.filter(({ subjectId }) => subjectId === asked).map(({ subject }) => subject)).toEqual(
      Array(2).fill({ request: expect.objectContaining({ state: 'declined' }) }),
    );
    // Ids sort like the feed, and every reader sees the same.
    const ids = idsOf(events);
    expect([...new Set(ids)].sort()).toEqual(ids);
    expect(idsOf(await readAll({ after, limit: 100 }))).toEqual(ids);
  });

  it('returns the same events with a type filter as without, page by page', async () => {
    await settle();
    const all = await readAll();
    for (const text of ['kyc.*', 'deposit.complete', 'payment.*,request.open', 'refund.*', 'payment.complete']) {
      const types = parseTypes(text);
      expect([text, idsOf(await readAll({ types, limit: 2 }))]).toEqual([
        text,
        idsOf(all.filter(({ type }) => types.includes(type))),
      ]);
    }
    const [states] = await db.query<{ types: string[] }>('SELECT array_agg(DISTINCT type) AS types FROM feed');
    expect(EVENT_TYPES).toEqual(expect.arrayContaining(states!.types));
    for (const wrong of ['payment.done', 'payment', '*', '', 'kyc.*,', 'payments.*'])
      expect(() => parseTypes(wrong)).toThrow('event.unknown_type');
  });

  it('reports since when events are held back, also by a transaction in another database', async () => {
    const otherDatabase = await createTestDatabase();
    const other = openDatabase(otherDatabase.adminUrl);
    let finish = () => {};
    const finished = new Promise<void>((done) => {
      finish = done;
    });
    const long = other.tx(async (tx) => {
      await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      await tx.query('SELECT pg_current_xact_id()');
      await finished;
    });
    await eventually(async () =>
      expect(
        await asAdmin(
          world.databaseUrl,
          'SELECT FROM pg_stat_activity WHERE datname = $1 AND backend_xid IS NOT NULL',
          [new URL(otherDatabase.url).pathname.slice(1)],
        ),
      ).not.toEqual([]),
    );
    const paid = await world.payUser(alice, 'bob', '1');
    const after = await findLast(db);
    expect((await readAll({ after })).map(({ subjectId }) => subjectId)).not.toContain(paid);
    await eventually(async () => expect(await findHeldSince(db)).toBeInstanceOf(Date));
    finish();
    await long;
    await eventually(async () => expect((await readAll({ after })).map(({ subjectId }) => subjectId)).toContain(paid));
    await eventually(async () => expect(await findHeldSince(db)).toBeUndefined());
    await other.close();
    await otherDatabase.drop();
  });

  it('refuses any write that would give two events one position, or change an event', async () => {
    await expect(db.query(`UPDATE kyc_events SET status = 'none'`)).rejects.toThrow(/permission denied/);
    await expect(asAdmin(world.databaseUrl, 'DELETE FROM kyc_events')).rejects.toThrow(/append-only/);
    await expect(
      asAdmin(
        world.databaseUrl,
        `INSERT INTO service_keys (key_id, name, hash, scopes) VALUES (gen_random_uuid(), 'both', sha256('x'), '{read,events}')`,
      ),
    ).rejects.toThrow(/service_keys_scopes_check/);
  });
});

describe('while many commits overlap', () => {
  const ASK = 'SELECT ask_for_money($1, $2, NULL, 1000, NULL, NULL)';
  const TURN = `UPDATE users SET kyc_status = CASE kyc_status WHEN 'pending' THEN 'started' ELSE 'pending' END
                 WHERE user_id = $1`;

  it('two readers get every event once, in order; a reader that follows positions alone misses some', async () => {
    await settle();
    const start = await findLast(db);
    const people = [alice, bob, carol];
    let writing = true;

    /** Each transaction takes its position first, and writes and commits later. */
    async function write(nth: number): Promise<void> {
      for (let i = 0; i < 12; i++) {
        const who = people[(nth + i) % 3]!;
        if (i % 3 === 0) {
          await world.payUser(who, people[(nth + i + 1) % 3]!.username, '0.01');
          continue;
        }
        await db.tx(async (tx) => {
          await tx.query('SELECT pg_current_xact_id()');
          await sleep((nth * 7 + i * 13) % 40);
          if (i % 3 === 1) await tx.query(ASK, [randomUUID(), who.userId]);
          else await tx.query(TURN, [who.userId]);
        });
      }
    }
    async function follow(limit: number, types?: readonly string[]): Promise<string[]> {
      const seen: string[] = [];
      for (let after = start, isLast = false; ; ) {
        const page = await readFeed(db, { after, types, limit });
        seen.push(...idsOf(page.events));
        after = page.next;
        if (isLast && page.isAll) return seen;
        isLast = page.isAll && !writing;
        if (page.isAll) await sleep(1);
      }
    }
    async function followNaively(): Promise<string[]> {
      const seen: string[] = [];
      for (let after = start.seq, isLast = false; ; ) {
        const rows = await db.query<{ seq: bigint; id: string }>(
          'SELECT seq, event_id(seq, type, subject_id, at) AS id FROM feed WHERE seq > $1 ORDER BY seq LIMIT 20',
          [after],
        );
        seen.push(...rows.map(({ id }) => id));
        after = rows.at(-1)?.seq ?? after;
        if (isLast && rows.length === 0) return seen;
        isLast = rows.length === 0 && !writing;
        if (rows.length === 0) await sleep(1);
      }
    }

    const readers = [follow(3), follow(50), follow(5, parseTypes('kyc.*,payment.*')), followNaively()];
    await Promise.all(Array.from({ length: 8 }, (_, nth) => write(nth)));
    await settle();
    writing = false;
    const [first, second, some, naive] = await Promise.all(readers);
    const all = await db.query<{ id: string; type: string }>(
      'SELECT event_id(seq, type, subject_id, at) AS id, type FROM feed WHERE seq > $1 ORDER BY seq',
      [start.seq],
    );
    expect(all.length).toBeGreaterThan(60);
    expect(first).toEqual(all.map(({ id }) => id));
    expect(second).toEqual(first);
    expect(some).toEqual(all.filter(({ type }) => /^(kyc|payment)\./.test(type)).map(({ id }) => id));
    expect(new Set(naive).size).toBeLessThan(all.length);
  });

  it('a person gets their own events and no others, from any position, on either read path', async () => {
    await settle();
    const all = await readAll({ limit: 500 });
    const starts = [START, ...[20, all.length - 5].map((nth) => all.at(nth)!.place)];
    for (const holder of [alice, carol]) {
      const own = all.filter(({ people }) => people.includes(holder.userId!));
      expect(own.length).toBeGreaterThan(10);
      for (const after of starts) {
        const wanted = own.filter(({ place }) => place.seq > after.seq);
        for (const limit of [11, 300])
          expect(idsOf(await readAll({ userId: holder.userId!, after, limit }))).toEqual(idsOf(wanted));
        const types = parseTypes('payment.*,kyc.pending');
        expect(idsOf(await readAll({ userId: holder.userId!, after, types }))).toEqual(
          idsOf(wanted.filter(({ type }) => types.includes(type))),
        );
        // As for a person with so many entries that the feed itself is read, a few events at a time.
        expect(await readDeep(holder, after)).toEqual(idsOf(wanted));
      }
    }
  });

  async function readDeep(holder: Holder, after: FeedPosition): Promise<string[]> {
    const found: string[] = [];
    for (let seq = after.seq; ; ) {
      const rows = await db.query<{ seq: bigint; event_id: string; is_wanted: boolean }>(
        `SELECT * FROM read_events_of($1, $2, '-infinity', NULL, 9, 25)`,
        [holder.userId, seq],
      );
      if (rows.length === 0) return found;
      found.push(...rows.filter((row) => row.is_wanted).map((row) => row.event_id));
      seq = rows.at(-1)!.seq;
    }
  }

  it('the events of a send that began long ago belong to its payer, during the send and afterwards', async () => {
    const sent = await world.send({ amount: '5', destination: randomAddress(), walletUsername: 'carol' });
    await settle();
    // As if the hold were old: the account's entries are not read.
    const own = () =>
      db.query<{ subject_id: string; type: string }>(
        `SELECT subject_id, type FROM read_events_of($1, $2, now() + interval '1 day', NULL, 100, 100) WHERE is_wanted`,
        [carol.userId, 0n],
      );
    expect(await own()).toContainEqual({ subject_id: sent, type: 'payment.initiated' });
    await world.settleDown();
    await settle();
    const last = await findLast(db);
    const after = (await readAll()).find(({ subjectId }) => subjectId === sent)!.place;
    const rest = await readAll({ userId: carol.userId!, after });
    expect(rest.filter(({ subjectId }) => subjectId === sent).at(-1)!.type).toBe('payment.complete');
    expect(last.seq).toBeGreaterThan(after.seq);
  });
});

describe('a cursor', () => {
  it('that this database never issued is refused, with a position to continue from without missing anything', async () => {
    await settle();
    const admin = openDatabase(adminUrlOf(world.databaseUrl));
    const restore = await backUp(admin);
    const kept = idsOf(await readAll());
    await world.payUser(alice, 'bob', '1');
    await settle();
    const lost = await findLast(db);
    expect(kept).not.toContain(lost.cursor);
    expect(await findPosition(db, lost.cursor)).toEqual(lost);
    await restore();
    await world.payUser(alice, 'carol', '1');
    await settle();

    const refusal = await findPosition(db, lost.cursor).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'cursor.lost', details: { resume_after: expect.any(String) } });
    const { resume_after: resume } = (refusal as { details: { resume_after: string } }).details;
    const events = await readAll({ after: await findPosition(db, resume) });
    const now = await readAll();
    expect(idsOf(events)).toEqual(expect.arrayContaining(idsOf(now).filter((id) => !kept.includes(id))));
    expect(idsOf(now).slice(0, kept.length)).toEqual(kept);
    // Another event at the same position, as after a failover that has lost commits.
    const other = kept.at(-1)!.replace(/.{8}$/, (digits) => (digits === '00000000' ? '00000001' : '00000000'));
    await expect(findPosition(db, other)).rejects.toThrow('cursor.lost');
    await admin.close();
  });

  it('older than the retention is refused, unless it has missed nothing', async () => {
    await settle();
    const all = await readAll({ limit: 500 });
    const [first, second] = [all.at(0)!.place, all.at(1)!.place];
    const horizon = async () => second;
    const at = (cursor: string) => findPosition(db, cursor, horizon);
    expect(await at('start')).toEqual(second);
    expect(await at(second.cursor)).toEqual(second);
    expect(await at(all.at(-1)!.place.cursor)).toEqual(all.at(-1)!.place);
    await expect(at(first.cursor)).rejects.toMatchObject({
      code: 'cursor.expired',
      details: { resume_after: second.cursor },
    });
    // Everything is younger than a day, and older than zero.
    expect(await openHorizon(db, 1)()).toEqual(START);
    expect(await openHorizon(db, 0)()).toEqual(START);
    const last = await findLast(db);
    await eventually(async () => expect(await openHorizon(db, 1e-9)()).toEqual(last));
  });

  it('names the last event before a time', async () => {
    await settle();
    const all = await readAll({ limit: 500 });
    const before = async (at: Date) =>
      (await db.query<{ event_id: string }>('SELECT event_id FROM event_before($1)', [at]))[0]?.event_id;
    expect(await before(new Date(all[0]!.at.getTime() - 1))).toBeUndefined();
    expect(await before(new Date(Date.now() + 60_000))).toBe(all.at(-1)!.place.cursor);
    const middle = all[Math.floor(all.length / 2)]!;
    const found = parseEventId((await before(middle.at))!);
    expect(found.atMs).toBeLessThan(middle.at.getTime());
    // Commits of the same moment may be in the feed in another order than their times: only the neighbour is certain.
    const next = all.find(({ place }) => place.seq > found.seq)!;
    expect(next.at.getTime()).toBeGreaterThanOrEqual(middle.at.getTime());
  });

  it.each([
    '',
    'evt_',
    'later',
    `evt_${'g'.repeat(35)}`,
    `evt_${'f'.repeat(35)}`,
    `EVT_${'0'.repeat(35)}`,
    `evt_${'0'.repeat(36)}`,
  ])('that is malformed is refused: %s', async (text) =>
    expect(findPosition(db, text)).rejects.toThrow('cursor.invalid'),
  );

  it('can be the start, the present, or any event', async () => {
    await settle();
    expect(await findPosition(db, 'start')).toEqual(START);
    expect((await findPosition(db, 'now')).cursor).toBe((await readAll()).at(-1)!.place.cursor);
    await expect(findPosition(db, `evt_${'0'.repeat(35)}`)).rejects.toThrow('cursor.lost');
  });
});

function adminUrlOf(databaseUrl: string): string {
  const url = new URL(process.env.FLORIN_TEST_DATABASE_URL!);
  url.pathname = new URL(databaseUrl).pathname;
  return url.href;
}
