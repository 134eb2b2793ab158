/** The spending rule: its table of cases, and that payments, holds and payout rows all follow it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatUsdc, type Usdc } from '../../server/src/core/money.ts';
import { openAsset, openHouseAccount, setHomeAsset } from '../../server/src/ledger/accounts.ts';
import { stayWithinHour } from '../support/ledger/stayWithinHour.ts';
import { operate } from '../support/operate.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

let florin: PaymentsServer;
let shop: Person;
let chain: bigint;
beforeAll(async () => {
  florin = await startPayments();
  shop = await createPerson(florin.db, 'shop');
  const assetId = await openAsset(florin.db, HOME, 'USDC');
  chain = await openHouseAccount(florin.db, assetId, 'chain');
  await setHomeAsset(florin.db, assetId);
  const limits = ['--payment', '10', '--day', '25', '--month', '30', '--count', '4'];
  await operate(florin.db, 'limit', 'set', 'unverified', ...limits, '--why', 'a test');
});
afterAll(() => florin.stop());

interface Case {
  readonly paused?: boolean;
  readonly limits?: readonly (number | null)[];
  readonly available?: number | null;
  readonly spent?: readonly [payments: number, day: number, month: number];
  readonly amount: number;
  readonly left?: number;
  readonly above?: number;
}

describe('the rule', () => {
  const ask = async ({
    paused = false,
    limits = [10, 25, 30, 4],
    available = 100,
    spent = [0, 0, 0],
    ...one
  }: Case) => {
    const [row] = await florin.admin.query<{ refusal: string | null }>(
      `SELECT spending_refusal(($1, $2, $3, $4, $5, $6, 'USDC')::tiers, $7, $8, $9, $10, $11, $12, $13, $14) AS refusal`,
      [1, 'one', ...limits, paused, available, ...spent, one.amount, one.left ?? null, one.above ?? null],
    );
    return row!.refusal;
  };
  const CASES: [string | null, Case][] = [
    [null, { amount: 10 }],
    [null, { amount: 5, spent: [3, 20, 25] }],
    [null, { amount: 100, available: 100, limits: [null, null, null, null], spent: [99, 999, 999] }],
    [null, { amount: 7, left: 7 }],
    ['user_paused', { amount: 11, paused: true, limits: [0, 0, 0, 0], available: 0, left: 0 }],
    ['kyc', { amount: 11, limits: [0, 0, 0, 0], available: 0, left: 0 }],
    ['insufficient', { amount: 11, available: 10, spent: [4, 25, 30], left: 0 }],
    ['insufficient', { amount: 1, available: 0 }],
    ['insufficient', { amount: 1, available: null }],
    ['payment_limit', { amount: 11, spent: [4, 25, 30], left: 0 }],
    ['day_limit', { amount: 6, spent: [4, 20, 30], left: 0 }],
    ['month_limit', { amount: 6, spent: [4, 19, 25], left: 0 }],
    ['count_limit', { amount: 5, spent: [4, 20, 25], left: 0 }],
    ['key_limit', { amount: 5, spent: [3, 20, 25], left: 4, above: 0 }],
    ['passkey', { amount: 5, above: 4 }],
    ['passkey', { amount: 5, above: 0, left: 5 }],
    [null, { amount: 5, above: 5 }],
  ];
  it.each(CASES)('answers %s to %j', async (refusal, one) => {
    expect(await ask(one)).toBe(refusal);
  });

  it('is inlined by PostgreSQL into the caller’s expression', async () => {
    // As the loop of `ledger_pay_batch` calls it: an expensive argument would prevent the inlining.
    const rows = await florin.admin.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (VERBOSE) WITH x AS MATERIALIZED (
         SELECT array_agg(t) AS tiers, array_agg(t.tier) AS tier_no, array_agg(t.day_limit) AS sums, 1 AS d FROM tiers t)
       SELECT spending_refusal(tiers[tier_no[d]], tier_no[d] = -1, sums[d], tier_no[d], sums[d], sums[d], d, NULL,
         CASE WHEN '{}'::jsonb IS NOT NULL THEN ('{}'::jsonb->>d::text)::bigint END) FROM x`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('count_limit');
    expect(plan).not.toContain('spending_refusal');
  });
});

describe('a payment, a hold and a payout row', () => {
  beforeEach(stayWithinHour);
  type Refusal = { readonly code: string; readonly details: Record<string, string> } | null;

  const usdc = (amount: number) => amount * 1_000_000;
  /** What the database functions decide, without their effects. */
  async function tryOut(sql: string, values: readonly unknown[]): Promise<Refusal> {
    let refusal: Refusal | undefined;
    const undo = new Error('undo');
    await florin.admin
      .tx(async (tx) => {
        const [row] = await tx.query<{ outcome: string; refusal: Refusal }>(
          `SELECT o_outcomes[1] AS outcome, ledger_refusal(o_outcomes[1], o_details[1]) AS refusal FROM ${sql}`,
          values,
        );
        expect(row!.refusal === null).toBe(row!.outcome === 'applied');
        refusal = row!.refusal;
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    return refusal!;
  }
  const place = (from: Person, amount: number) =>
    tryOut('ledger_hold_many(ARRAY[($1, $2, $3, $4, NULL, NULL)::new_hold])', [
      randomUUID(),
      from.accountId,
      chain,
      amount,
    ]);
  const payOut = (from: Person, amount: number) =>
    tryOut(`ledger_pay_many($2, 'x', ARRAY[($1, $3, $4, 'shop', NULL)::new_payment], NULL)`, [
      randomUUID(),
      from.accountId,
      shop.accountId,
      amount,
    ]);
  async function pay(from: Person, amount: number): Promise<Refusal> {
    const request = { sender_user_id: from.userId, receiver_username: shop.username };
    const number = formatUsdc(BigInt(amount) as Usdc);
    const { status, body } = await florin.send({ ...request, amount: Number(number) });
    return status === 200 ? null : { code: body.code, details: body };
  }

  let count = 0;
  /** A person of the tier `unverified` with 20 USDC, after `change`. */
  async function create(change: string): Promise<Person> {
    const person = await createPerson(florin.db, `spender_${'abcdefgh'[count++]}`, '20');
    await florin.admin.tx(async (tx) => {
      await tx.query(`SET LOCAL session_replication_role = 'replica'`);
      await tx.query(`UPDATE accounts SET tier = 10, hour = hour_of(now()) WHERE account_id = $1`, [person.accountId]);
      await tx.query(`UPDATE accounts SET ${change} WHERE account_id = $1`, [person.accountId]);
      await tx.query(
        `INSERT INTO pauses (scope, reason) SELECT 'user:' || user_id, 'we ask questions' FROM accounts
          WHERE account_id = $1 AND paused`,
        [person.accountId],
      );
    });
    return person;
  }

  /** The change, the largest amount that passes, and the refusal of the next one. */
  const SITUATIONS: [string, number | null, string, Record<string, string>][] = [
    ['entries = entries', usdc(10), 'limit.exceeded', { limit: 'payment', maximum: '10', left: '10' }],
    ['available = 5000000', usdc(5), 'balance.insufficient', { available: '5' }],
    ['day_spent = 20000000', usdc(5), 'limit.exceeded', { limit: 'day', maximum: '25', left: '5' }],
    ['month_spent = 28000000', usdc(2), 'limit.exceeded', { limit: 'month', maximum: '30', left: '2' }],
    ['day_payments = 4', null, 'limit.exceeded', { limit: 'count', maximum: '4', left: '0' }],
    ['tier = 30', null, 'kyc.required', { kyc_status: 'none' }],
    ['paused = true', null, 'user.paused', { reason: 'the operator of this service has stopped them and can say why' }],
  ];
  it.each(SITUATIONS)('are refused alike after %s', async (change, most, code, details) => {
    const person = await create(change);
    const tooMuch = (most ?? 0) + 1;
    const expected = { code, details: expect.objectContaining(details) };
    expect(await place(person, tooMuch)).toEqual(expected);
    expect(await payOut(person, tooMuch)).toEqual(expected);
    expect(await pay(person, tooMuch)).toEqual(expected);
    if (most === null) return;
    expect([await place(person, most), await payOut(person, most), await pay(person, most)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
