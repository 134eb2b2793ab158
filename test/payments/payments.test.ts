/** People pay each other: answers, refusals, and repeated keys. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { setUsername } from '../../server/src/customers/usernames/setUsername.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { replayCorpus } from '../support/http/replay.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

let florin: PaymentsServer;
let alice: Person;
let bob: Person;
beforeAll(async () => {
  florin = await startPayments();
  alice = await createPerson(florin.db, 'alice', '1000');
  bob = await createPerson(florin.db, 'bob', '10');
});
afterAll(() => florin.stop());

const pay = (from: Person, to: string, amount: number, headers?: Record<string, string>) =>
  florin.send({ sender_user_id: from.userId, receiver_username: to, amount }, headers);
const key = (text: string = randomUUID()) => ({ 'idempotency-key': text });
const transfersOf = async (person: Person) =>
  (await florin.db.query('SELECT FROM transfers WHERE debit_account = $1', [person.accountId])).length;

describe('a payment', () => {
  it('is complete when it is answered', async () => {
    const { status, body } = await pay(alice, 'bob', 2.25);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      transaction_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      state: 'COMPLETE',
      kind: 'user',
      amount: '2.25',
      blockchain: 'ETH-SEPOLIA',
      from: { username: 'alice' },
      to: { username: 'bob' },
      tx_hash: null,
      network_fee: null,
      error_reason: null,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: body.created_at,
      timeline: [{ at: body.created_at, state: 'COMPLETE', tx_hash: null, note: null }],
      available: '997.75',
      receipt_id: `rcpt_${body.transaction_id.replaceAll('-', '')}`,
    });
    const { success, available, receipt_id, ...shown } = body;
    expect((await florin.get(`/circle/transaction/${body.transaction_id}`)).body).toEqual(shown);
    const [event] = await florin.db.query('SELECT type, at FROM feed WHERE subject_id = $1', [body.transaction_id]);
    expect(event).toEqual({ type: 'payment.complete', at: new Date(body.created_at) });
  });

  it('finds the receiver in any case, and by an old name, and says so', async () => {
    expect((await pay(alice, 'BOB', 1)).body.to).toEqual({ username: 'bob' });
    const carol = await createPerson(florin.db, 'carol_one');
    await pay(alice, 'carol_one', 1);
    await florin.db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId: carol.userId, username: 'carol_two' }));
    const renamed = await pay(alice, 'carol_one', 1);
    expect(renamed.body.to).toEqual({ username: 'carol_two', redirected_from: 'carol_one' });
    expect((await pay(alice, 'carol_two', 1)).body.to).toEqual({ username: 'carol_two' });
    await florin.db.query(`UPDATE usernames SET redirect_until = now() WHERE username = 'carol_one'`);
    expect((await pay(alice, 'carol_one', 1)).body.code).toBe('username.unknown');
    expect((await florin.get(`/circle/transaction/${renamed.body.transaction_id}`)).body.to.username).toBe('carol_two');
  });

  it('works to and from people who have no account yet', async () => {
    const [userId, other] = [randomUUID(), randomUUID()];
    for (const [id, subject] of [
      [userId, 'new_a'],
      [other, 'new_b'],
    ]) {
      await florin.db.query(`INSERT INTO users (user_id, issuer, subject) VALUES ($1, 'test', $2)`, [id, subject]);
    }
    await florin.db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId, username: 'new_a' }));
    const broke = await florin.send({ sender_user_id: other, receiver_username: 'new_a', amount: 1 });
    expect(broke.body).toMatchObject({ code: 'balance.insufficient', available: '0' });
    expect((await pay(alice, 'new_a', 1)).status).toBe(200);
  });

  it.each([
    ['nobody_at_all', 1, 404, 'username.unknown'],
    ['no name at all \u0000 \ud800', 1, 404, 'username.unknown'],
    ['alice', 1, 409, 'payment.self'],
    ['bob', 5000, 409, 'balance.insufficient'],
    ['bob', 0.0000001, 400, 'amount.precision'],
    ['bob', 1e21, 400, 'amount.too_large'],
    ['bob', 0, 422, undefined],
    ['bob', -1, 422, undefined],
  ])('to %j of %d is refused with %d %s', async (to, amount, status, code) => {
    const before = await transfersOf(alice);
    const answer = await pay(alice, to, amount);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(await transfersOf(alice)).toBe(before);
  });

  it('reports the available balance when it is too low, and who is unknown', async () => {
    const poor = await createPerson(florin.db, 'poor_one', '0.5');
    expect((await pay(poor, 'bob', 0.500001)).body).toMatchObject({
      detail: 'The available balance is 0.5 USDC.',
      available: '0.5',
    });
    expect((await pay({ ...poor, userId: randomUUID() }, 'bob', 1)).body.code).toBe('user.unknown');
  });

  it('is only made from the caller’s own account', async () => {
    expect((await pay(alice, 'bob', 1, { 'x-test-user': bob.userId })).status).toBe(403);
    expect((await pay(alice, 'bob', 1, { 'x-test-user': alice.userId })).status).toBe(200);
  });

  it('stops while payments are paused, and a key used meanwhile stays free', async () => {
    const headers = key();
    await florin.admin.query(`INSERT INTO pauses (scope, reason) VALUES ('user', 'maintenance')`);
    const paused = await pay(alice, 'bob', 1, headers);
    expect([paused.status, paused.body.code, paused.body.reason]).toEqual([
      503,
      'service.paused',
      'the operator of this service has stopped them for now',
    ]);
    expect(paused.headers.get('retry-after')).toBe('1');
    await florin.admin.query('DELETE FROM pauses');
    expect((await pay(alice, 'bob', 1, headers)).status).toBe(200);
  });

  it('has exactly one winner among 64 that spend the same whole balance', async () => {
    for (let round = 0; round < 3; round++) {
      const spender = await createPerson(florin.db, `spender_${'abc'[round]}`, '7');
      const answers = await Promise.all(Array.from({ length: 64 }, () => pay(spender, 'bob', 7)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ body }) => body.code === 'balance.insufficient')).toHaveLength(63);
    }
  });
});

describe('an Idempotency-Key', () => {
  it('sent 100 times concurrently pays once and gets the same answer 100 times', async () => {
    const headers = key();
    const before = await transfersOf(alice);
    const answers = await Promise.all(Array.from({ length: 100 }, () => pay(alice, 'bob', 1, headers)));
    expect(await transfersOf(alice)).toBe(before + 1);
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotency-replayed') !== 'true')).toHaveLength(1);
  });

  it('gets the first answer again, quoted or bare, however the number is spelled, also after a rename', async () => {
    const eve = await createPerson(florin.db, 'eve_old');
    const first = await pay(alice, 'eve_old', 1, key('once-1'));
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    await florin.db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId: eve.userId, username: 'eve_new' }));
    const body = `{"amount":1.0e0, "receiver_username":"EVE_old","sender_user_id":"${alice.userId.toUpperCase()}","x":1}`;
    const again = await florin.send(body, key('"once-1"'));
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(again.body).toEqual(first.body);
  });

  it('with another body is refused, whatever differs', async () => {
    await pay(alice, 'bob', 1, key('mismatch'));
    const others: [string, number][] = [
      ['bob', 2],
      ['eve_new', 1],
      ['nobody_here', 1],
      ['alice', 1],
      ['bob', 90000],
      ['bob', 1e-9],
      ['', 1],
    ];
    for (const [to, amount] of others) {
      const answer = await pay(alice, to, amount, key('mismatch'));
      expect([to, amount, answer.status, answer.body.code]).toEqual([to, amount, 422, 'idempotency.mismatch']);
    }
  });

  it('belongs to its caller', async () => {
    const ids = new Set<string>();
    for (const person of [alice, bob]) ids.add((await pay(person, 'eve_new', 0.5, key('shared'))).body.transaction_id);
    expect(ids.size).toBe(2);
  });

  it.each([
    ['nobody_yet', 1, 404],
    ['not a name', 1, 404],
    ['alice', 1, 409],
    ['bob', 123456, 409],
  ])('gets a refusal again: to %j of %d', async (to, amount, status) => {
    const headers = key();
    const first = await pay(alice, to, amount, headers);
    if (to === 'nobody_yet') await createPerson(florin.db, 'nobody_yet');
    const again = await pay(alice, to, amount, headers);
    expect([first.status, again.status]).toEqual([status, status]);
    expect([first.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect({ ...again.body, request_id: '' }).toEqual({ ...first.body, request_id: '' });
    expect(again.headers.get('content-type')).toBe('application/problem+json');
    expect((await pay(alice, 'bob', 1.5, headers)).body.code).toBe('idempotency.mismatch');
  });

  it.each(['', ' ', '""', 'a'.repeat(256), 'k\u00e9y'])('that is malformed is refused: %j', async (text) => {
    expect((await pay(alice, 'bob', 1, { 'idempotency-key': text })).body.code).toBe('idempotency.invalid');
  });
});

describe('the recorded corpus', () => {
  it('passes for send_usdc, with real payments', async () => {
    // The sender of the recording, with money; its receiver is bob.
    const sender = '3f0c9a4e-7b1d-4c58-9e2a-6d5f0b8c1a27';
    await florin.db.query(`INSERT INTO users (user_id, issuer, subject) VALUES ($1, 'test', 'recorded')`, [sender]);
    const deposit = { depositId: randomUUID(), userId: sender, blockchain: HOME, amount: parseUsdc('1000') };
    await florin.db.tx((tx) => recordDeposit(tx, { ...deposit, fromAddress: `0x${'f'.repeat(40)}` }));
    const { web3Url, backendUrl } = florin;
    const seen: Record<string, number> = {};
    const { cases, failures } = await replayCorpus({
      web3Url,
      backendUrl,
      only: 'backend-send',
      inspect: (recorded, { status }) => {
        if (recorded.accepted) seen[status] = (seen[status] ?? 0) + 1;
      },
    });
    expect(failures).toEqual([]);
    expect(cases).toBeGreaterThan(300);
    expect(seen[200]).toBeGreaterThan(20);
  });
});

describe('the books', () => {
  it('balance after all this', async () => {
    expect((await checkBooks(florin.db)).faults).toEqual([]);
  });
});
