/** Pages that are read together and partly from the cache equal the page that is read alone, with a filter. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import type { KnownCaller } from '../../server/src/customers/sessions/knownSessions.ts';
import { openCallers } from '../../server/src/customers/sessions/openCallers.ts';
import { openSession } from '../../server/src/customers/sessions/sessions.ts';
import { setUsername } from '../../server/src/customers/usernames/setUsername.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { openHistory } from '../../server/src/payments/read/openHistory.ts';
import { approveRefund, proposeRefund, refundPayment } from '../../server/src/payments/refunds/refundPayment.ts';
import { advancePayments } from '../../server/src/payments/state.ts';
import { backUp } from '../support/database/turnBack.ts';
import { fetchChecked } from '../support/http/fetchChecked.ts';
import { depositMany, hold, releaseHold, transfer } from '../support/ledger/moveMoney.ts';
import { asOperator, nameOperators } from '../support/operators.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

const RULES = { accessTokenSeconds: 900, refreshTokenSeconds: 9_000, sessionSeconds: 90_000 };

let florin: PaymentsServer;
let assetId: number;
let chain: bigint;
let people: Person[];
const names = new Map<Person, string>();
beforeAll(async () => {
  florin = await startPayments();
  assetId = await openAsset(florin.db, HOME, 'USDC');
  chain = await openHouseAccount(florin.db, assetId, 'chain');
  people = await Promise.all(['alice', 'bob', 'carol'].map((name) => createPerson(florin.db, name, '1000')));
  for (const person of people) names.set(person, person.username);
  // She has money, and no name yet.
  const [, , carol] = people;
  await florin.admin.query('DELETE FROM usernames WHERE user_id = $1', [carol!.userId]);
  await florin.admin.query(`DELETE FROM username_skeletons WHERE skeleton = 'carol'`);
});
afterAll(() => florin.stop());

/** The exact bytes, and the position of the next page. */
const page = async (name: string, query: string) => {
  const answer = await fetchChecked(`${florin.backendUrl}/api/v1/latest_transactions_by_username/${name}?${query}`);
  expect(answer.status).toBe(200);
  return { text: await answer.text(), link: answer.headers.get('link')?.replace('&to=2100-01-01T00%3A00%3A00Z', '') };
};
const ALONE = '&to=2100-01-01T00:00:00Z';

/** All pages of everyone with a name, requested concurrently, equal what each is alone. */
async function expectSame(): Promise<void> {
  for (const limit of [3, 50]) {
    const asked = [...names.values()].filter((name) => name !== 'carol');
    const together = await Promise.all(asked.map((name) => page(name, `limit=${limit}`)));
    for (const [i, name] of asked.entries()) {
      const alone = await page(name, `limit=${limit}${ALONE}`);
      expect(together[i]).toEqual(alone);
      const cursor = JSON.parse(alone.text).next_cursor;
      if (cursor !== null) {
        const next = `limit=${limit}&cursor=${cursor}`;
        expect(await page(name, next)).toEqual(await page(name, next + ALONE));
      }
    }
  }
}

const pay = async (from: Person, to: Person, amount = 1) => {
  const receiver = names.get(to)!;
  const answer = await florin.send({ sender_user_id: from.userId, receiver_username: receiver, amount });
  expect(answer.status).toBe(200);
  return answer.body.transaction_id as string;
};
const rename = async (person: Person, username: string) => {
  await florin.db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId: person.userId, username }));
  names.set(person, username);
};

it('whatever happens between them', async () => {
  const [alice, bob, carol] = people as [Person, Person, Person];
  await expectSame();
  await pay(carol, alice);
  await pay(alice, bob, 12.345678);
  await expectSame();
  await expectSame();
  // Dust is not listed, a deposit is.
  for (const amount of [1n, 2_000_000n]) {
    const move = {
      transferId: randomUUID(),
      debitAccount: chain,
      creditAccount: bob.accountId,
      amount: amount as Usdc,
    };
    await florin.db.tx((tx) => transfer(tx, 'deposit', { ...move, fromAddress: `0x${'e'.repeat(40)}` }));
  }
  await expectSame();
  const sent = randomUUID();
  await florin.admin.tx(async (tx) => {
    await hold(tx, { transferId: sent, debitAccount: alice.accountId, creditAccount: chain, amount: 5n as Usdc });
    await tx.query(`INSERT INTO payments (payment_id, state, destination) VALUES ($1, 'INITIATED', $2)`, [
      sent,
      `0x${'a'.repeat(40)}`,
    ]);
  });
  await expectSame();
  await florin.db.tx(async (tx) => {
    await advancePayments(tx, [{ paymentId: sent, state: 'QUEUED' }]);
    await releaseHold(tx, {
      transferId: randomUUID(),
      holdId: sent,
      debitAccount: alice.accountId,
      creditAccount: chain,
      amount: 5n as Usdc,
    });
    await advancePayments(tx, [{ paymentId: sent, state: 'FAILED', errorReason: 'a test' }]);
  });
  await expectSame();
  await rename(bob, 'robert');
  await expectSame();
  // The first name of a person whose payments were shown without one.
  await rename(carol, 'caroline');
  await expectSame();
  const old = await florin.send({ sender_user_id: alice.userId, receiver_username: 'bob', amount: 3 });
  expect(old.body.to).toEqual({ username: 'robert', redirected_from: 'bob' });
  await expectSame();
  await Promise.all(Array.from({ length: 60 }, (_, i) => pay(i % 3 ? alice : bob, i % 3 ? bob : alice, 1 + i)));
  await expectSame();
});

it('with refunds, which name the payment that they give back, who paid them, and why', async () => {
  const [alice, bob] = people as [Person, Person, Person];
  const treasury = await openHouseAccount(florin.db, assetId, 'treasury');
  const first = { transferId: randomUUID(), debitAccount: chain, creditAccount: treasury, amount: 9_000_000n as Usdc };
  await florin.db.tx((tx) => transfer(tx, 'deposit', first));
  await nameOperators(florin.databaseUrl, { anna: 'admin', rita: 'risk' });
  const paymentId = await pay(alice, bob, 4);
  await expectSame();
  const wanted = { paymentId, reason: 'Wrong\tperson,\r\n "sorry"' };
  const noted = { ...wanted, amount: 1_000_000n as Usdc, note: 'Sorry! 🍝' };
  const byService = { ...wanted, amount: 2_000_000n as Usdc };
  const { refundId: given } = await asOperator(florin.databaseUrl, 'anna', (db) => refundPayment(db, noted));
  const { refundId: lent } = await asOperator(florin.databaseUrl, 'anna', (db) => proposeRefund(db, byService));
  await asOperator(florin.databaseUrl, 'rita', (db) => approveRefund(db, lent));
  await expectSame();
  await expectSame();
  const [second, third, original] = JSON.parse((await page('alice', 'limit=3')).text).transactions;
  const refund = { refund_of: paymentId, reason: 'Wrong person, "sorry"', to: { username: 'alice' } };
  expect(third).toMatchObject({ ...refund, transaction_id: given, payment_note: 'Sorry! 🍝' });
  expect(second).toMatchObject({ ...refund, transaction_id: lent, from: { username: null, service: true } });
  expect(second).not.toHaveProperty('payment_note');
  for (const name of ['refund_of', 'reason', 'payment_note']) expect(original).not.toHaveProperty(name);
});

it('after commits were lost, and others have taken their positions', async () => {
  const [alice, bob] = people as [Person, Person, Person];
  const restore = await backUp(florin.admin);
  const lost = await pay(alice, bob, 7);
  expect((await page('alice', 'limit=5')).text).toContain(lost);
  await restore();
  const made = await pay(bob, alice, 8);
  const { text } = await page('alice', 'limit=5');
  expect(text).toContain(made);
  expect(text).not.toContain(lost);
  await expectSame();
});

it('for people who are read together, some of them for the first time since another was renamed', async () => {
  const callers = openCallers(florin.databaseUrl);
  const history = openHistory({ databaseUrl: florin.databaseUrl, db: florin.db, sessions: callers.sessions });
  const [alice, bob] = people as [Person, Person, Person];
  const friends = await Promise.all(
    ['dora', 'emil', 'fred', 'gina'].map((name) => createPerson(florin.db, name, '10')),
  );
  await pay(alice, bob);
  for (const friend of friends)
    await florin.send({ sender_user_id: friend.userId, receiver_username: 'alice', amount: 1 });
  const sessions = new Map<Person, KnownCaller>();
  for (const person of [alice, bob, ...friends]) {
    const { accessToken } = await florin.db.tx((tx) => openSession(tx, RULES, person.userId, null));
    sessions.set(person, await callers.recall(accessToken));
  }
  try {
    const ask = (person: Person, name: string, isOwn: boolean) =>
      history.read({ name, caller: isOwn ? sessions.get(person) : undefined, limit: 20 });
    for (const isOwn of [false, true]) {
      for (const friend of friends.slice(isOwn ? 2 : 0, isOwn ? 4 : 2)) {
        await ask(alice, 'alice', isOwn);
        await rename(bob, `bob_since_${friend.username}`);
        // Each connection takes half of them: a cached person and others who are not, or only such.
        const asked: [Person, string][] = [
          [alice, 'alice'],
          [friend, friend.username],
          [bob, names.get(bob)!],
          [alice, 'alice'],
        ];
        const pages = await Promise.all(asked.map(([person, name]) => ask(person, name, isOwn)));
        expect(pages.map((one) => one?.username)).toEqual(asked.map(([, name]) => name));
        for (const one of pages) {
          const nameless = one!.payments.filter(
            ({ kind, from, to }) => kind === 'user' && (from === null || to === null),
          );
          expect(nameless).toEqual([]);
        }
      }
    }
  } finally {
    await history.close();
    await callers.close();
  }
});

it('when more has arrived than one page reads, and none of it is shown', async () => {
  const [alice, bob] = people as [Person, Person, Person];
  const dust = (count: number) =>
    florin.db.tx((tx) =>
      depositMany(
        tx,
        assetId,
        Array.from({ length: count }, () => ({
          transferId: randomUUID(),
          creditAccount: bob.accountId,
          amount: 1n as Usdc,
          fromAddress: `0x${'d'.repeat(40)}`,
        })),
      ),
    );
  for (let i = 0; i < 4; i++) await pay(alice, bob);
  await expectSame();
  // The newest payments are still read, older ones of the same page are not.
  for (const count of [4_998, 1, 10]) {
    await dust(count);
    await expectSame();
  }
  await pay(alice, bob);
  await expectSame();
  const shown = new Set<string>();
  for (let cursor = ''; ; ) {
    const { transactions, next_cursor: next } = JSON.parse((await page(names.get(bob)!, `limit=50${cursor}`)).text);
    for (const { transaction_id: id } of transactions) {
      expect(shown).not.toContain(id);
      shown.add(id);
    }
    if (next === null) break;
    cursor = `&cursor=${next}`;
  }
  const [count] = await florin.db.query<{ payments: number }>(
    `SELECT count(*)::int AS payments FROM transfers WHERE $1 IN (debit_account, credit_account)
        AND (kind IN ('user', 'hold') OR kind = 'deposit' AND amount >= 10000)`,
    [bob.accountId],
  );
  expect(shown.size).toBe(count!.payments);
});

it('below a position that was lost with its commit', async () => {
  const [alice, bob] = people as [Person, Person, Person];
  const restore = await backUp(florin.admin);
  for (let i = 0; i < 3; i++) await pay(alice, bob);
  const { next_cursor: lost } = JSON.parse((await page('alice', 'limit=1')).text);
  await restore();
  const newest = JSON.parse((await page('alice', 'limit=3')).text).transactions;
  expect(newest).toHaveLength(3);
  for (const filter of ['', ALONE]) {
    const { text } = await page('alice', `limit=3&cursor=${lost}${filter}`);
    expect(JSON.parse(text).transactions).toEqual(newest);
  }
});

it('after a deadlock', async () => {
  const [definition] = await florin.admin.query<{ sql: string }>(
    `SELECT pg_get_functiondef('history_pages'::regproc) AS sql`,
  );
  const fails = `IF nextval('deadlocks') = 1 THEN RAISE 'deadlock detected' USING ERRCODE = 'deadlock_detected'; END IF;`;
  await florin.admin.query('CREATE SEQUENCE deadlocks');
  await florin.admin.query('GRANT USAGE ON SEQUENCE deadlocks TO PUBLIC');
  await florin.admin.query(definition!.sql.replace('BEGIN\n', `BEGIN\n${fails}\n`));
  await page('alice', 'limit=5');
  const [deadlocks] = await florin.admin.query<{ last_value: bigint }>('SELECT last_value FROM deadlocks');
  expect(deadlocks!.last_value).toBe(2n);
  await florin.admin.query(definition!.sql);
});
