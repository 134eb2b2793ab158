/** What a payment pays and what it costs are stored apart from its hold, and PostgreSQL refuses rows that disagree with it. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { finishUpgrade } from '../../server/src/db/finishUpgrade.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { findPayment } from '../../server/src/payments/read/findPayment.ts';
import { hold } from '../support/ledger/moveMoney.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

let florin: PaymentsServer;
let alice: Person;
let chain: bigint;
let id: string;
beforeAll(async () => {
  florin = await startPayments();
  alice = await createPerson(florin.db, 'alice', '100');
  chain = await openHouseAccount(florin.db, await openAsset(florin.db, HOME, 'USDC'), 'chain');
});
afterAll(() => florin.stop());
beforeEach(() => {
  id = randomUUID();
});

/** A payment whose hold is 3 USDC, written by hand. */
const write = (values: Record<string, bigint | null> = {}) =>
  florin.admin.tx(async (tx) => {
    const movement = { transferId: id, debitAccount: alice.accountId, creditAccount: chain };
    await hold(tx, { ...movement, amount: 3_000_000n as Usdc });
    const columns = ['payment_id', 'state', 'destination', ...Object.keys(values)];
    await tx.query(`INSERT INTO payments (${columns}) VALUES (${columns.map((_, i) => `$${i + 1}`)})`, [
      id,
      'INITIATED',
      '0xabc',
      ...Object.values(values),
    ]);
  });
const read = async () => (await florin.db.query('SELECT amount, fee FROM payments WHERE payment_id = $1', [id]))[0];
const violated = (error: { constraint?: string; code?: string }) => error.constraint ?? error.code;
const change = (set: string) => florin.admin.query(`UPDATE payments SET ${set} WHERE payment_id = $1`, [id]);

it('fills the amount of a row that the previous release inserts', async () => {
  await write();
  expect(await read()).toEqual({ amount: 3_000_000n, fee: 0n });
});

it('fills it without the fee, and shows the amount and not the hold', async () => {
  await write({ fee: 10_000n });
  expect(await read()).toEqual({ amount: 2_990_000n, fee: 10_000n });
  expect(await findPayment(florin.db, id)).toMatchObject({ amount: 2_990_000n });
});

it.each([
  ['another amount', { amount: 2_999_999n }, 'payments_held'],
  ['a fee that is not held', { amount: 3_000_000n, fee: 1n }, 'payments_held'],
  ['no amount, only a fee', { amount: 0n, fee: 3_000_000n }, 'payments_amount_check'],
  ['a negative fee', { amount: 3_000_001n, fee: -1n }, 'payments_fee_check'],
  ['no fee', { amount: 3_000_000n, fee: null }, '23502'],
])('refuses a row with %s', async (_, values, constraint) => {
  expect(await write(values).catch(violated)).toBe(constraint);
  expect(await read()).toBeUndefined();
});

it('refuses a row without a hold, whatever its amount', async () => {
  const insert = (amount: string) =>
    florin.admin.query(
      `INSERT INTO payments (payment_id, state, destination, amount) VALUES ($1, 'INITIATED', '0xabc', ${amount})`,
      [id],
    );
  for (const amount of ['NULL', '1']) expect(await insert(amount).catch(violated)).toBe('payments_of_transfers');
});

it.each(['amount = NULL', 'amount = 2999999', 'amount = 2999999, fee = 1', 'fee = 1'])('keeps %s out', async (set) => {
  await write();
  expect(await change(set).catch(violated)).toBe('23001');
  expect(await read()).toEqual({ amount: 3_000_000n, fee: 0n });
});

it.each([
  ['the hold, which includes the fee', 3_000_000n, 'coin_moves_pay_amount'],
  ['less', 2_989_999n, 'coin_moves_pay_amount'],
  ['the amount', 2_990_000n, undefined],
])('a move of its coins moves %s', async (_, amount, constraint) => {
  await write({ fee: 10_000n });
  const wallet = randomUUID();
  await florin.admin.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address, replaced_at)
     VALUES ($1, 'user', $2, 'local', $3, $3, now())`,
    [wallet, alice.userId, `0x${randomBytes(20).toString('hex')}`],
  );
  const moved = await florin.admin
    .query(
      `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved, state)
       SELECT $1, asset_id, $2, 'send', 'eip3009', '0xdef', '0xabc', $3, 0, 'dead' FROM accounts WHERE account_id = $4`,
      [id, wallet, amount, chain],
    )
    .then(() => undefined, violated);
  expect(moved).toBe(constraint);
});

it('shows rows from before by their hold, and finishing the upgrade stores their amounts', async () => {
  await write();
  await florin.admin.tx(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query('UPDATE payments SET amount = NULL WHERE payment_id = $1', [id]);
  });
  expect(await findPayment(florin.db, id)).toMatchObject({ amount: 3_000_000n });
  expect(await change('amount = 1').catch(violated)).toBe('23001');
  await finishUpgrade(florin.adminUrl);
  expect(await read()).toEqual({ amount: 3_000_000n, fee: 0n });
});
