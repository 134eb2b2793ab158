/** Requests for money: each is paid once, by the right person to the right person, or not at all. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { setUsername } from '../../server/src/customers/usernames/setUsername.ts';
import { pausePayments, resumePayments } from '../../server/src/operators/pauses.ts';
import { expireRequests } from '../../server/src/payments/requests/expireRequests.ts';
import { getRequest } from '../../server/src/payments/requests/findRequest.ts';
import { listRequests } from '../../server/src/payments/requests/listRequests.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { liftLimits } from '../support/database.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { readBalances } from '../support/payments.ts';
import {
  ask,
  createVisitor,
  end,
  openRequestsServer,
  pay,
  type RequestsServer,
  type Visitor,
} from '../support/people/requests.ts';
import { howMany } from '../support/run/thorough.ts';
import { HOME } from '../support/values.ts';

let database: TestDatabase;
/** Two servers on one database. */
let first: RequestsServer;
let second: RequestsServer;
let names = 0;
beforeAll(async () => {
  database = await openTestDatabase();
  await liftLimits(database.adminUrl);
  first = openRequestsServer(database.db, database.url);
  second = openRequestsServer(database.db, database.url);
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  await database.remove();
});

const arrive = (amount?: string): Promise<Visitor> => createVisitor(database.db, `person_${++names}`, amount);
const available = async (person: Visitor) => (await readBalances(database.db, [person]))[0]![0];
const stateOf = async (id: string, person: Visitor) => (await getRequest(database.db, id, person.userId)).state;
const eventsOf = async (id: string) => {
  const rows = await database.db.query<{ state: string }>(
    'SELECT state FROM money_request_events WHERE request_id = $1 ORDER BY seq',
    [id],
  );
  return rows.map(({ state }) => state);
};

/** A request that expired an hour ago, before any worker has processed it. */
async function makeOverdue(asker: Visitor, payer: Visitor | null): Promise<string> {
  const id = randomUUID();
  await database.admin.query(
    `INSERT INTO money_requests (request_id, asker_id, payer_id, by_link, amount, created_at, expires_at)
     VALUES ($1, $2, $3, $4, 1000000, now() - interval '2 hours', now() - interval '1 hour')`,
    [id, asker.userId, payer?.userId ?? null, payer === null],
  );
  return id;
}

describe('the states of a request', () => {
  const WHO = ['asker', 'payer', 'stranger'] as const;
  type Who = (typeof WHO)[number];
  const STATES = ['open', 'paid', 'declined', 'cancelled', 'expired'] as const;
  const LINKED = STATES.filter((state) => state !== 'declined');
  const actor = fc.constantFrom<Who>(...WHO);
  const step = fc.oneof(
    fc.record({ deed: fc.constantFrom('pay', 'declined', 'cancelled'), by: actor }),
    fc.record({ deed: fc.constant('expire'), by: fc.constant<Who>('asker') }),
  );

  /** What a step does to a request in this state, and its answer. */
  function foretell(state: string, paidBy: Who | undefined, byLink: boolean, deed: string, by: Who) {
    const stay = (answer: string) => ({ state, paidBy, answer });
    if (deed === 'expire') return stay('');
    if (!byLink && by === 'stranger') return stay('money_request.unknown');
    if (deed === 'pay') {
      if (by === 'asker') return stay('payment.self');
      if (state === 'paid' && paidBy === by) return stay('again');
      if (state !== 'open') return stay(`money_request.ended: ${state}`);
      return { state: 'paid', paidBy: by, answer: 'paid' };
    }
    const may = deed === 'cancelled' ? by === 'asker' : by === 'payer' && !byLink;
    if (!may) return stay('auth.forbidden');
    if (state === deed) return stay(deed);
    if (state !== 'open') return stay(`money_request.ended: ${state}`);
    return { state: deed, paidBy, answer: deed };
  }

  it('allow each deed to those who may, and nothing to others, in every state', async () => {
    const people = { asker: await arrive(), payer: await arrive('1000'), stranger: await arrive('1000') };
    const { asker, payer } = people;
    const act = (deed: string, by: Who, id: string) =>
      deed === 'pay' ? pay(first, people[by], id) : end(database.db, people[by], id, deed as 'declined');
    const wrong: string[] = [];
    for (const byLink of [false, true])
      for (const state of byLink ? LINKED : STATES)
        for (const deed of ['pay', 'declined', 'cancelled'])
          for (const by of WHO) {
            const id =
              state === 'expired'
                ? await makeOverdue(asker, byLink ? null : payer)
                : await ask(database.db, asker, { payer: byLink ? null : payer.username });
            if (state === 'paid') await act('pay', 'payer', id);
            else if (state === 'declined' || state === 'cancelled')
              await act(state, state === 'declined' ? 'payer' : 'asker', id);
            const next = foretell(state, state === 'paid' ? 'payer' : undefined, byLink, deed, by);
            const [answer, after] = [await act(deed, by, id), await stateOf(id, asker)];
            if (answer !== next.answer || after !== next.state)
              wrong.push(`${by}, ${deed}, ${state}${byLink ? ' link' : ''}: ${answer}, then ${after}`);
            if (after === 'open') await act('cancelled', 'asker', id);
          }
    expect(wrong).toEqual([]);
  });

  it('go from open to one end, in any order of actions', async () => {
    const people = { asker: await arrive(), payer: await arrive('1000'), stranger: await arrive('1000') };
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.boolean(),
        fc.array(step, { minLength: 1, maxLength: 6 }),
        async (byLink, isOver, steps) => {
          const { asker, payer } = people;
          const id = isOver
            ? await makeOverdue(asker, byLink ? null : payer)
            : await ask(database.db, asker, { payer: byLink ? null : payer.username });
          const before = await available(asker);
          let model: { state: string; paidBy: Who | undefined } = {
            state: isOver ? 'expired' : 'open',
            paidBy: undefined,
          };
          for (const { deed, by } of steps) {
            const next = foretell(model.state, model.paidBy, byLink, deed, by);
            const server = by === 'payer' ? second : first;
            if (deed === 'expire') await expireRequests(database.db);
            else if (deed === 'pay') expect(await pay(server, people[by], id)).toBe(next.answer);
            else expect(await end(database.db, people[by], id, deed as 'declined')).toBe(next.answer);
            model = next;
            expect(await stateOf(id, asker)).toBe(model.state);
          }
          await expireRequests(database.db);
          expect(await available(asker)).toBe(before + (model.state === 'paid' ? 1_000_000n : 0n));
          expect(await eventsOf(id)).toEqual(model.state === 'open' ? ['open'] : ['open', model.state]);
          if (model.state === 'open') await end(database.db, asker, id, 'cancelled');
        },
      ),
      { numRuns: howMany(20, 60) },
    );
  });

  it('end once when everyone acts at the same moment, through two servers', async () => {
    const people = { asker: await arrive(), payer: await arrive('1000'), stranger: await arrive('1000') };
    const deeds = fc.array(
      fc.constantFrom(
        'payer pays',
        'payer pays through the other server',
        'stranger pays',
        'payer declines',
        'asker cancels',
      ),
      { minLength: 2, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(fc.boolean(), deeds, async (byLink, chosen) => {
        const { asker, payer, stranger } = people;
        const id = await ask(database.db, asker, { payer: byLink ? null : payer.username });
        const before = await available(asker);
        const answers = await Promise.all(
          chosen.map((deed) => {
            if (deed === 'payer pays') return pay(first, payer, id);
            if (deed === 'payer pays through the other server') return pay(second, payer, id);
            if (deed === 'stranger pays') return pay(second, stranger, id);
            return deed === 'payer declines'
              ? end(database.db, payer, id, 'declined')
              : end(database.db, asker, id, 'cancelled');
          }),
        );
        const state = await stateOf(id, asker);
        const isPaid = state === 'paid';
        expect(await available(asker)).toBe(before + (isPaid ? 1_000_000n : 0n));
        expect(await eventsOf(id)).toEqual(state === 'open' ? ['open'] : ['open', state]);
        // No one gets a confirmation of a payment that did not happen, and of those who pay one is first.
        expect(answers.filter((answer) => answer === 'paid')).toHaveLength(isPaid ? 1 : 0);
        if (!isPaid) expect(answers).not.toContain('again');
        for (const answer of answers.filter((one) => one.startsWith('money_request.ended')))
          expect(answer).toBe(`money_request.ended: ${state}`);
        if (state === 'open') await end(database.db, asker, id, 'cancelled');
      }),
      { numRuns: howMany(20, 60) },
    );
  });
});

describe('a payment of a request', () => {
  it('is the same for a repeated call, also after both have renamed', async () => {
    const [asker, payer] = [await arrive(), await arrive('10')];
    const id = await ask(database.db, asker, { payer: payer.username, amount: '2.5' });
    expect(await pay(first, payer, id)).toBe('paid');
    const rename = (person: Visitor) =>
      database.db.tx((tx) =>
        setUsername(tx, { cooldownDays: 0 }, { userId: person.userId, username: `new_${names++}` }),
      );
    await rename(asker);
    await rename(payer);
    expect([await pay(first, payer, id), await pay(second, payer, id)]).toEqual(['again', 'again']);
    expect([await available(asker), await available(payer)]).toEqual([2_500_000n, 7_500_000n]);
  });

  it('goes to the person who asked, not to the new owner of their old name', async () => {
    const [asker, payer] = [await arrive(), await arrive('10')];
    const id = await ask(database.db, asker, { payer: payer.username, amount: '3' });
    // Both servers have cached the owner of the name.
    const other = await ask(database.db, asker, { payer: payer.username });
    expect([await pay(first, payer, other), await pay(second, payer, other)]).toEqual(['paid', 'again']);
    await database.db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId: asker.userId, username: 'moved_on' }));
    await database.admin.query(`UPDATE usernames SET redirect_until = now() - interval '1 day' WHERE username = $1`, [
      asker.username,
    ]);
    const heir = await arrive();
    await database.db.tx((tx) =>
      setUsername(tx, { cooldownDays: 0 }, { userId: heir.userId, username: asker.username }),
    );
    expect(await pay(second, payer, id)).toBe('paid');
    expect([await available(asker), await available(heir)]).toEqual([4_000_000n, 0n]);
    expect(await getRequest(database.db, id, payer.userId)).toMatchObject({ asker: 'moved_on', state: 'paid' });
  });

  it('that was refused can be made later: nothing of the refusal remains', async () => {
    const [asker, payer] = [await arrive(), await arrive('1')];
    const id = await ask(database.db, asker, { payer: payer.username, amount: '5' });
    expect(await pay(first, payer, id)).toBe('balance.insufficient');
    const deposit = { depositId: randomUUID(), userId: payer.userId, blockchain: HOME, amount: parseUsdc('10') };
    await database.db.tx((tx) => recordDeposit(tx, { ...deposit, fromAddress: `0x${'e'.repeat(40)}` }));
    const scope = `user:${payer.userId}` as const;
    const paused = { scope, reason: 'a lost phone', stops: 'accepting' } as const;
    await pausePayments(database.db, paused);
    expect(await pay(second, payer, id)).toBe('user.paused');
    await resumePayments(database.db, scope, 'operator');
    expect(await pay(second, payer, id)).toBe('paid');
  });

  it('shares a batch with others, and only itself is refused', async () => {
    const [asker, payer] = [await arrive(), await arrive('100')];
    const open = await Promise.all([1, 2, 3].map(() => ask(database.db, asker, { payer: null })));
    const over = [await makeOverdue(asker, payer), await makeOverdue(asker, null)];
    const answers = await Promise.all([...open, ...over, open[0]!].map((id) => pay(first, payer, id)));
    const late = 'money_request.ended: expired';
    expect(answers.slice(1, 5)).toEqual(['paid', 'paid', late, late]);
    expect([answers[0], answers[5]].sort()).toEqual(['again', 'paid']);
    expect(await available(asker)).toBe(3_000_000n);
  });

  it('of a link shows others that it is paid, and not by whom', async () => {
    const [asker, payer, other] = [await arrive(), await arrive('5'), await arrive('5')];
    const id = await ask(database.db, asker);
    expect(await pay(first, payer, id)).toBe('paid');
    expect(await getRequest(database.db, id, other.userId)).toMatchObject({
      state: 'paid',
      payer: null,
      payerId: null,
    });
    expect(await getRequest(database.db, id, asker.userId)).toMatchObject({ payer: payer.username });
    expect(await pay(second, other, id)).toBe('money_request.ended: paid');
  });
});

describe('making requests', () => {
  it('needs a name, another person, and a time in the future', async () => {
    const asker = await arrive();
    const nameless = await arrive();
    await database.admin.query(`UPDATE usernames SET redirect_until = now() + interval '1 day' WHERE user_id = $1`, [
      nameless.userId,
    ]);
    expect(await ask(database.db, nameless)).toBe('username.needed');
    expect(await ask(database.db, asker, { payer: asker.username })).toBe('payment.self');
    expect(await ask(database.db, asker, { payer: nameless.username })).toBe('username.unknown');
    expect(await ask(database.db, asker, { payer: 'no such name' })).toBe('username.unknown');
    const day = 86_400_000;
    expect(await ask(database.db, asker, { expiresAt: new Date(Date.now() - day) })).toBe('money_request.expiry');
    expect(await ask(database.db, asker, { expiresAt: new Date(Date.now() + 400 * day) })).toBe('money_request.expiry');
  });

  it('stops at five open ones to the same person, also when they are made concurrently', async () => {
    const [asker, payer] = [await arrive(), await arrive()];
    const made = await Promise.all(Array.from({ length: 9 }, () => ask(database.db, asker, { payer: payer.username })));
    expect(made.filter((one) => one === 'money_request.too_many')).toHaveLength(4);
    const [id] = made.filter((one) => one !== 'money_request.too_many');
    expect(await end(database.db, payer, id!, 'declined')).toBe('declined');
    expect(await ask(database.db, asker, { payer: payer.username })).not.toContain('.');
  });

  it('stops at fifty open ones, and at two hundred a day', async () => {
    const asker = await arrive();
    for (let i = 0; i < 50; i++) expect(await ask(database.db, asker)).not.toContain('.');
    expect(await ask(database.db, asker)).toBe('money_request.too_many');
    await database.admin.query(`UPDATE money_requests SET state = 'cancelled', ended_at = now() WHERE asker_id = $1`, [
      asker.userId,
    ]);
    expect(await ask(database.db, asker)).not.toContain('.');
    await database.admin.query(
      `INSERT INTO money_requests (request_id, asker_id, by_link, amount, created_at, expires_at, state, ended_at)
       SELECT gen_random_uuid(), $1, true, 1, now(), now() + interval '1 day', 'cancelled', now() FROM generate_series(1, 149)`,
      [asker.userId],
    );
    expect(await ask(database.db, asker)).toBe('money_request.too_many');
  });

  it('lists them newest first, page by page, by direction and state', async () => {
    const [asker, payer] = [await arrive(), await arrive()];
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      ids.unshift(await ask(database.db, asker, { payer: payer.username }));
      // Two of the same millisecond are in no order.
      await sleep(2);
    }
    const over = await makeOverdue(asker, payer);
    const read = async (person: Visitor, direction: 'incoming' | 'outgoing', state?: 'open' | 'expired') => {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await listRequests(database.db, { userId: person.userId, direction, state, limit: 2, cursor });
        found.push(...page.items.map(({ requestId }) => requestId));
        cursor = page.cursor ?? undefined;
      } while (cursor);
      return found;
    };
    expect(await read(payer, 'incoming')).toEqual([...ids, over]);
    expect(await read(asker, 'outgoing', 'open')).toEqual(ids);
    expect(await read(asker, 'outgoing', 'expired')).toEqual([over]);
    expect([await read(payer, 'outgoing'), await read(asker, 'incoming')]).toEqual([[], []]);
    const forged = listRequests(database.db, { userId: asker.userId, direction: 'incoming', limit: 2, cursor: 'MS4x' });
    await expect(forged).rejects.toMatchObject({ code: 'cursor.invalid' });
  });
});

describe('PostgreSQL refuses, for every login,', () => {
  it.each([
    ['a payment that was not made', `SET state = 'paid', ended_at = now()`],
    ['an end without its time', `SET state = 'cancelled'`],
    ['an expiry before its time', `SET state = 'expired', ended_at = now()`],
    ['another amount', `SET amount = 1, state = 'cancelled', ended_at = now()`],
    ['another payer', `SET payer_id = asker_id, state = 'cancelled', ended_at = now()`],
    ['more time', `SET expires_at = expires_at + interval '1 day'`],
  ])('%s', async (_, change) => {
    const [asker, payer] = [await arrive(), await arrive()];
    const id = await ask(database.db, asker, { payer: payer.username });
    await expect(database.admin.query(`UPDATE money_requests ${change} WHERE request_id = $1`, [id])).rejects.toThrow();
    expect(await stateOf(id, asker)).toBe('open');
  });

  it('the payment of another request, a second end, and deletion', async () => {
    const [asker, payer] = [await arrive(), await arrive('5')];
    const [paid, open] = [await ask(database.db, asker, { payer: payer.username }), await ask(database.db, asker)];
    expect(await pay(first, payer, paid)).toBe('paid');
    const borrow = `UPDATE money_requests SET state = 'paid', ended_at = now(), payer_id = $2 WHERE request_id = $1`;
    await expect(database.admin.query(borrow, [open, payer.userId])).rejects.toThrow(/its own payment/);
    await expect(
      database.admin.query(`UPDATE money_requests SET state = 'cancelled' WHERE request_id = $1`, [paid]),
    ).rejects.toThrow(/cannot go from paid/);
    for (const table of ['money_requests', 'money_request_events'])
      await expect(database.admin.query(`DELETE FROM ${table}`)).rejects.toThrow(/append-only/);
  });
});
