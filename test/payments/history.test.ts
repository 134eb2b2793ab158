/** A person's history, newest first: pages that stay stable while new payments arrive, filters, statements as CSV. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import type { PaymentState } from '../../server/src/core/payment.ts';
import { setUsername } from '../../server/src/customers/usernames/setUsername.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { advancePayments } from '../../server/src/payments/state.ts';
import type { Answer } from '../support/http/answer.ts';
import { hold, releaseHold, transfer } from '../support/ledger/moveMoney.ts';
import { openUserAccount } from '../support/ledger/openUserAccount.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
let florin: PaymentsServer;
let alice: Person;
let bob: Person;
let chain: bigint;
const made: string[] = [];

const pay = async (from: Person, to: Person, amount: number): Promise<string> => {
  const { status, body } = await florin.send({ sender_user_id: from.userId, receiver_username: to.username, amount });
  expect(status).toBe(200);
  return body.transaction_id;
};
const page = (query = '', headers?: Record<string, string>, name = 'alice') =>
  florin.get(`/api/v1/latest_transactions_by_username/${name}?${query}`, headers);
const ids = ({ body }: Answer): string[] =>
  body.transactions.map((one: { transaction_id: string }) => one.transaction_id);

/** To an address: held, and in the state it has reached. */
async function sendToAddress(
  state: PaymentState,
  changes: { tx_hash?: string; error_reason?: string } = {},
): Promise<string> {
  const paymentId = randomUUID();
  await florin.admin.tx(async (tx) => {
    const movement = { transferId: paymentId, debitAccount: alice.accountId, creditAccount: chain };
    await hold(tx, { ...movement, amount: 3_000_000n as Usdc });
    await tx.query(`INSERT INTO payments (payment_id, state, destination) VALUES ($1, 'INITIATED', $2)`, [
      paymentId,
      ADDRESS,
    ]);
  });
  await florin.db.tx(async (tx) => {
    await advancePayments(tx, [{ paymentId, state: 'QUEUED' }]);
    const end = { transferId: randomUUID(), holdId: paymentId, debitAccount: alice.accountId, creditAccount: chain };
    if (state === 'FAILED') await releaseHold(tx, { ...end, amount: 3_000_000n as Usdc });
    await advancePayments(tx, [{ paymentId, state, txHash: changes.tx_hash, errorReason: changes.error_reason }]);
  });
  return paymentId;
}

beforeAll(async () => {
  florin = await startPayments();
  alice = await createPerson(florin.db, 'alice', '100');
  bob = await createPerson(florin.db, 'bob', '100');
  chain = await openHouseAccount(florin.db, await openAsset(florin.db, HOME, 'USDC'), 'chain');
  for (let i = 1; i <= 7; i++) made.push(await pay(i % 3 ? alice : bob, i % 3 ? bob : alice, i));
});
afterAll(() => florin.stop());

describe('history', () => {
  it('shows what a person sent, received and deposited, newest first', async () => {
    const { status, body, headers } = await page();
    expect([status, body.username, body.next_cursor, headers.get('link')]).toEqual([200, 'alice', null, null]);
    expect(body.transactions.slice(0, 7).map((one: { transaction_id: string }) => one.transaction_id)).toEqual(
      [...made].reverse(),
    );
    expect(body.transactions.at(-1)).toMatchObject({
      kind: 'deposit',
      state: 'COMPLETE',
      amount: '100',
      from: { address: `0x${'f'.repeat(40)}` },
      to: { username: 'alice' },
    });
    expect(body.transactions[1]).toMatchObject({
      kind: 'user',
      amount: '6',
      from: { username: 'bob' },
      to: { username: 'alice' },
    });
    const { available_after, ...last } = body.transactions[0];
    expect(last).toEqual((await florin.get(`/circle/transaction/${made[6]}`)).body);
    // The same as in the statement.
    const left = body.transactions.map((one: { available_after: string }) => one.available_after);
    expect([available_after, left.at(-1)]).toEqual(['90', '100']);
    const [, ...rows] = String((await page('', { accept: 'text/csv' })).body)
      .trim()
      .split('\r\n');
    expect(left).toEqual(rows.map((row) => row.split(',')[9]));
  });

  it('pages by Link, and skips and repeats nothing while payments arrive, whatever the clock shows', async () => {
    const all = ids(await page());
    // The clock stepped back in the middle of it.
    await florin.admin.query('ALTER TABLE transfers DISABLE TRIGGER transfers_append_only');
    await florin.admin.query(
      `UPDATE transfers SET created_at = created_at + interval '1 day' WHERE transfer_id = ANY ($1)`,
      [made.slice(0, 3)],
    );
    await florin.admin.query('ALTER TABLE transfers ENABLE TRIGGER transfers_append_only');
    const seen: string[] = [];
    let next: string | undefined = '/api/v1/latest_transactions_by_username/alice?limit=2';
    for (let turns = 0; next; turns++) {
      const answer: Answer = await florin.get(next);
      seen.push(...ids(answer));
      next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
      expect(next === undefined).toBe(answer.body.next_cursor === null);
      if (turns < 3) await Promise.all([pay(alice, bob, 0.01), pay(bob, alice, 0.01)]);
    }
    expect(seen).toEqual(all);
  });

  it('includes pending and failed payments at the position where they began', async () => {
    const sent = await sendToAddress('SENT', { tx_hash: `0x${'a'.repeat(64)}` });
    const failed = await sendToAddress('FAILED', { error_reason: 'INSUFFICIENT_GAS' });
    const later = await pay(alice, bob, 0.02);
    await florin.db.tx((tx) =>
      releaseHold(tx, {
        transferId: randomUUID(),
        holdId: failed,
        debitAccount: alice.accountId,
        creditAccount: chain,
        amount: 3_000_000n as Usdc,
      }),
    );
    const { body } = await page('limit=3');
    expect(ids({ body } as Answer)).toEqual([later, failed, sent]);
    expect(body.transactions[1]).toMatchObject({
      kind: 'chain',
      state: 'FAILED',
      error_reason: 'it could not be sent',
      to: { address: ADDRESS },
      from: { username: 'alice' },
    });
    expect(body.transactions[2].timeline.map(({ state, tx_hash }: Record<string, string>) => [state, tx_hash])).toEqual(
      [
        ['INITIATED', null],
        ['QUEUED', null],
        ['SENT', `0x${'a'.repeat(64)}`],
      ],
    );
    expect(ids(await page('state=FAILED'))).toEqual([failed]);
    expect(ids(await page('kind=chain'))).toEqual([failed, sent]);
    expect(ids(await page(`counterparty=${ADDRESS.toLowerCase()}`))).toEqual([failed, sent]);
    expect(ids(await page('state=COMPLETE&kind=chain'))).toEqual([]);
  });

  it('filters by kind, amount, time and counterparty', async () => {
    expect(ids(await page('min_amount=3&max_amount=5&kind=user'))).toEqual([made[4], made[3], made[2]]);
    expect((await page('kind=deposit')).body.transactions).toHaveLength(1);
    const carol = await createPerson(florin.db, 'carol', '1');
    const fromCarol = await pay(carol, alice, 0.5);
    expect(ids(await page('counterparty=CAROL'))).toEqual([fromCarol]);
    expect((await page('counterparty=nobody_here')).body).toMatchObject({ transactions: [], next_cursor: null });
    const { created_at } = (await florin.get(`/circle/transaction/${fromCarol}`)).body;
    expect(ids(await page(`from=${created_at}&counterparty=carol`))).toEqual([fromCarol]);
    expect(ids(await page(`to=${created_at}&counterparty=carol`))).toEqual([]);
    expect(ids(await page(`from=${encodeURIComponent('2001-01-01T00:00:00+02:00')}&to=2001-01-02T00:00:00Z`))).toEqual(
      [],
    );
  });

  it('finds a rare payment in a long history without reading all of it in one statement', async () => {
    const erin = await createPerson(florin.db, 'erin', '1');
    const rare = await pay(erin, bob, 0.9);
    // 12,000 deposits, inserted past the ledger, which would take a while.
    await florin.admin.query('ALTER TABLE transfers DISABLE TRIGGER ALL');
    await florin.admin.query(
      `INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
         debit_available, credit_available, created_at, asset_id, kind)
       SELECT gen_random_uuid(), i, $1, $2, 1, 1000000 + i, 2 + i, 0, 0, now(), 1, 'deposit'
         FROM generate_series(1, 12000) i`,
      [chain, erin.accountId],
    );
    await florin.admin.query('ALTER TABLE accounts DISABLE TRIGGER ALL');
    await florin.admin.query('UPDATE accounts SET entries = 12002 WHERE account_id = $1', [erin.accountId]);
    await florin.admin.query('ALTER TABLE transfers ENABLE TRIGGER ALL');
    await florin.admin.query('ALTER TABLE accounts ENABLE TRIGGER ALL');
    let [answer, turns] = [await page('kind=user', {}, 'erin'), 1];
    while (answer.body.next_cursor !== null && ids(answer).length === 0) {
      answer = await page(`kind=user&cursor=${answer.body.next_cursor}`, {}, 'erin');
      turns++;
    }
    expect([ids(answer), turns]).toEqual([[rare], 3]);
  });

  it('merges the blockchains on which a person has money', async () => {
    const assetId = await openAsset(florin.db, 'BASE-SEPOLIA', 'USDC');
    const frank = await createPerson(florin.db, 'frank', '1');
    const debitAccount = await openHouseAccount(florin.db, assetId, 'chain');
    const creditAccount = await openUserAccount(florin.db, assetId, frank.userId);
    const expected: string[] = [];
    for (let i = 0; i < 6; i++) {
      const transferId = randomUUID();
      if (i % 2) expected.unshift(await pay(frank, bob, 0.01));
      else {
        await florin.db.tx((tx) =>
          transfer(tx, 'deposit', { transferId, debitAccount, creditAccount, amount: 50_000n as Usdc }),
        );
        expected.unshift(transferId);
      }
    }
    const seen: string[] = [];
    let cursor: string | null = '';
    do {
      const answer: Answer = await page(`limit=2${cursor && `&cursor=${cursor}`}`, {}, 'frank');
      seen.push(...ids(answer));
      cursor = answer.body.next_cursor;
    } while (cursor !== null);
    expect(seen.slice(0, 6)).toEqual(expected);
    expect(seen).toHaveLength(7);
  });

  it('is a statement as CSV, with the balance after every row', async () => {
    const dave = await createPerson(florin.db, 'dave', '10');
    await pay(dave, bob, 2.5);
    const answer = await page('limit=1', { accept: 'text/csv' }, 'dave');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('link')).toMatch(/cursor=/);
    const [header, row, end] = String(answer.body).split('\r\n');
    const fields = Object.fromEntries(header!.split(',').map((name, i) => [name, row!.split(',')[i]]));
    expect(fields).toMatchObject({
      kind: 'user',
      amount: '2.5',
      from: 'dave',
      to: 'bob',
      available_after: '7.5',
      tx_hash: '',
      balance_change: '-2.5',
    });
    const changes = async (name: string) => {
      const [, ...rows] = String((await page('', { accept: 'text/csv' }, name)).body)
        .trim()
        .split('\r\n');
      return rows.map((line) => line.split(',').slice(4, 6).concat(line.split(',').at(-3)!));
    };
    expect(await changes('dave')).toEqual([
      ['COMPLETE', '2.5', '-2.5'],
      ['COMPLETE', '10', '10'],
    ]);
    // What has ended unpaid changes nothing.
    expect(await changes('alice')).toContainEqual(['FAILED', '3', '0']);
    expect(await changes('alice')).toContainEqual(['SENT', '3', '-3']);
    expect(end).toBe('');
  });

  it.each([
    ['cursor=abc', 400, 'cursor.invalid'],
    ['cursor=MS4xOjIuMw', 400, 'cursor.invalid'],
    ['from=yesterday', 422, undefined],
    ['to=2026-02-30T99:00:00Z', 422, undefined],
    ['limit=0', 422, undefined],
    ['limit=201', 422, undefined],
    ['kind=gift', 422, undefined],
  ])('refuses %s with %d %s', async (query, status, code) => {
    const answer = await page(query);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it("belongs to the caller: another person's name and an unknown name get the same answer", async () => {
    expect((await page('', { 'x-test-user': alice.userId })).status).toBe(200);
    const [others, nobodys] = [
      await page('', { 'x-test-user': bob.userId }),
      await page('', { 'x-test-user': bob.userId }, 'nobody_here'),
    ];
    expect([others.status, nobodys.status]).toEqual([403, 403]);
    expect({ ...others.body, request_id: '' }).toEqual({ ...nobodys.body, request_id: '' });
    expect((await page('', {}, 'nobody_here')).body.code).toBe('username.unknown');
    expect((await page('', {}, '%ff%80')).status).toBe(404);
    expect((await page('', {}, '%00%ff')).status).toBe(400);
  });

  it('finds no payment that does not exist', async () => {
    const answer = await florin.get(`/circle/transaction/${randomUUID()}`);
    expect([answer.status, answer.body.code]).toEqual([404, 'transaction.unknown']);
  });
});

describe('the search in a history', () => {
  let frida: Person;
  const send = async (from: Person, to: string, amount: number, note?: string): Promise<string> => {
    const noted = note === undefined ? {} : { payment_note: note };
    const { body } = await florin.send({ sender_user_id: from.userId, receiver_username: to, amount, ...noted });
    return body.transaction_id;
  };
  const found = async (query: string): Promise<string[]> =>
    (await page(`limit=200&${query}`, {}, 'frida')).body.transactions.map((one: { amount: string }) => one.amount);
  beforeAll(async () => {
    frida = await createPerson(florin.db, 'frida', '100');
    const eve = await createPerson(florin.db, 'eve', '10');
    await send(frida, 'bob', 1.25, 'Café_50% ÄPFEL');
    await send(frida, 'eve', 2.5, 'ארוחת ערב 🍝');
    await send(eve, 'frida', 3);
  });

  it.each([
    ['search=caf%C3%A9', ['1.25']],
    ['search=%C3%A4pfel', ['1.25']],
    ['search=_50%25', ['1.25']],
    // Nothing in the text is a pattern.
    ['search=c_f', []],
    ['search=%25', ['1.25']],
    ['search=%D7%A2%D7%A8%D7%91', ['2.5']],
    ['search=%F0%9F%8D%9D', ['2.5']],
    ["search=';--", []],
    ['search=@EV', ['3', '2.5']],
    ['search=%20bob%20', ['1.25']],
    ['search=2.50', ['2.5']],
    ['search=3', ['3']],
    [`search=0x${'f'.repeat(40)}`, ['100']],
    ['search=0xFFFF', ['100']],
    ['search=frida', []],
    ['direction=in', ['3', '100']],
    ['direction=out', ['2.5', '1.25']],
    ['direction=out&search=bob', ['1.25']],
    ['direction=in&search=bob', []],
  ])('%s finds %j', async (query, amounts) => expect(await found(query)).toEqual(amounts));

  it('finds a payment by the beginning of its id, but not by any part of it', async () => {
    const id = await send(frida, 'bob', 0.75);
    expect(await found(`search=${id}`)).toEqual(['0.75']);
    expect(await found(`search=${id.slice(0, 8).toUpperCase()}`)).toEqual(['0.75']);
    expect(await found(`search=${id.slice(1, 12)}`)).toEqual([]);
  });

  it('finds a person by the name of today and by that of the payment', async () => {
    const gus = await createPerson(florin.db, 'gustav', '1');
    await send(frida, 'gustav', 0.875);
    await florin.db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId: gus.userId, username: 'maximilian' }));
    expect(await found('search=maxim')).toEqual(['0.875']);
    expect(await found('search=gustav')).toEqual(['0.875']);
  });

  it('no longer finds a note that was removed', async () => {
    await send(frida, 'bob', 0.625, 'forgotten');
    expect(await found('search=forgotten')).toEqual(['0.625']);
    await florin.admin.query(`UPDATE payment_notes SET note = NULL WHERE note = 'forgotten'`);
    expect(await found('search=forgotten')).toEqual([]);
  });

  it.each(['', '%20%20', 'x'.repeat(141), 'a%00b'])('refuses %j', async (text) => {
    expect((await page(`search=${text}`)).status).toBe(422);
  });
});
