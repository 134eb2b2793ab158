/** How much a person may pay: rolling windows, user payments and sends together, the tier by identity check. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatUsdc, parseUsdc } from '../../server/src/core/money.ts';
import { openAsset, openHouseAccount, setHomeAsset } from '../../server/src/ledger/accounts.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { openUserPayments } from '../../server/src/payments/users/openUserPayments.ts';
import { sendToUser } from '../../server/src/payments/users/sendToUser.ts';
import { hold, postHold, releaseHold } from '../support/ledger/moveMoney.ts';
import { openUserAccount } from '../support/ledger/openUserAccount.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { stayWithinHour } from '../support/ledger/stayWithinHour.ts';
import { operate } from '../support/operate.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { howMany } from '../support/run/thorough.ts';
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
  await florin.admin.query(`UPDATE kyc_tiers SET tier = CASE WHEN kyc_status = 'approved' THEN 20
    WHEN kyc_status IN ('rejected', 'revoked') THEN 30 ELSE 10 END`);
});
afterAll(() => florin.stop());

/** These tests count hours, so each waits if the current hour is about to end. */
beforeEach(stayWithinHour);

let people = 0;
const create = (amount = '100000') => createPerson(florin.db, `limited_${'abcdefghjk'[people++]}`, amount);
const limits = (...args: string[]) => operate(florin.db, 'limit', ...args);
const setTier = (...args: string[]) => limits('set', 'unverified', ...args, '--why', 'a test');
const setStatus = (person: Person, status: string) =>
  florin.db.query('UPDATE users SET kyc_status = $2 WHERE user_id = $1', [person.userId, status]);
const pay = (from: Person, amount: number, headers = {}) =>
  florin.send({ sender_user_id: from.userId, receiver_username: shop.username, amount }, headers);
const read = async (person: Person) => (await florin.get(`/api/v1/limits/${person.userId}`)).body;
const left = async (person: Person) =>
  Object.fromEntries((await read(person)).limits.map((one: { limit: string; left: string }) => [one.limit, one.left]));

const place = (from: Person, amount: string, transferId = randomUUID()) =>
  florin.db
    .tx((tx) => hold(tx, { transferId, debitAccount: from.accountId, creditAccount: chain, amount: parseUsdc(amount) }))
    .then(() => transferId);
const end = (from: Person, holdId: string, amount: string, how = releaseHold) =>
  florin.db.tx((tx) =>
    how(tx, {
      transferId: randomUUID(),
      holdId,
      debitAccount: from.accountId,
      creditAccount: chain,
      amount: parseUsdc(amount),
    }),
  );

/** Moves this person's spending this many hours into the past. */
async function age(person: Person, hours: number): Promise<void> {
  await florin.admin.tx(async (tx) => {
    await tx.query(`SET LOCAL session_replication_role = 'replica'`);
    await tx.query('UPDATE accounts SET hour = hour - $2 WHERE account_id = $1', [person.accountId, hours]);
    const rows = await tx.query<{ hour: number; payments: number; spent: bigint }>(
      'DELETE FROM spendings WHERE account_id = $1 RETURNING hour, payments, spent',
      [person.accountId],
    );
    for (const { hour, payments, spent } of rows) {
      const values = [person.accountId, hour - hours, payments, spent];
      await tx.query('INSERT INTO spendings (account_id, hour, payments, spent) VALUES ($1, $2, $3, $4)', values);
    }
    await tx.query(
      `UPDATE transfers SET created_at = created_at - make_interval(hours => $2) WHERE debit_account = $1`,
      [person.accountId, hours],
    );
  });
}

describe('a limit', () => {
  beforeAll(() => setTier('--payment', '10', '--day', '25', '--month', '30', '--count', '4'));

  it('shows what is left, when it resets and what raises it, and so does the refusal', async () => {
    const ada = await create();
    expect((await pay(ada, 10.000001)).body).toMatchObject({
      status: 403,
      code: 'limit.exceeded',
      detail: 'This payment would exceed the limit "payment" of 10 USDC; 10 USDC are left.',
      maximum: '10',
      tier: 'unverified',
      raised_by: 'kyc',
    });
    expect((await pay(ada, 10)).status).toBe(200);
    expect((await pay(ada, 10)).status).toBe(200);
    const refused = (await pay(ada, 6)).body;
    expect(refused).toMatchObject({ limit: 'day', maximum: '25', left: '5' });
    const shown = await read(ada);
    expect(shown).toMatchObject({
      kyc_status: 'none',
      tier: 'unverified',
      can_pay: true,
      paused: null,
      raised_by: 'kyc',
      raised_to: { payment: '10000', day: '25000', month: '100000', count: '1000' },
    });
    expect(shown.limits).toEqual([
      { limit: 'payment', unit: 'USDC', maximum: '10', left: '10', resets_at: null },
      { limit: 'day', unit: 'USDC', maximum: '25', left: '5', resets_at: refused.resets_at },
      { limit: 'month', unit: 'USDC', maximum: '30', left: '10', resets_at: expect.any(String) },
      { limit: 'count', unit: 'payments', maximum: '4', left: '2', resets_at: refused.resets_at },
    ]);
    const hours = (Date.parse(refused.resets_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(24);
    expect(hours).toBeLessThanOrEqual(25);
    await pay(ada, 1);
    await pay(ada, 1);
    expect((await pay(ada, 1)).body).toMatchObject({
      limit: 'count',
      unit: 'payments',
      maximum: '4',
      left: '0',
      detail: 'This payment would exceed the limit "count" of 4 payments; 0 payments are left.',
    });
  });

  it('is a rolling window: each payment leaves it a day (a month) later', async () => {
    const eve = await create();
    await pay(eve, 10);
    await age(eve, 23);
    await pay(eve, 10);
    expect((await pay(eve, 6)).body).toMatchObject({ limit: 'day', left: '5' });
    await age(eve, 1);
    expect((await pay(eve, 6)).body).toMatchObject({ limit: 'day', left: '5' });
    await age(eve, 1);
    expect(await left(eve)).toMatchObject({ day: '15', month: '10', count: '3' });
    expect((await pay(eve, 10)).status).toBe(200);
    expect((await pay(eve, 1)).body).toMatchObject({ limit: 'month', left: '0' });
    await age(eve, 696);
    expect(await left(eve)).toMatchObject({ day: '25', month: '10', count: '4' });
    await age(eve, 30);
    expect(await left(eve)).toMatchObject({ day: '25', month: '30', count: '4' });
    expect((await pay(eve, 10)).status).toBe(200);
    const old = await florin.db.query('SELECT FROM spendings WHERE account_id = $1', [eve.accountId]);
    expect(old).toEqual([]);
  });

  it('does not reset when the clock steps back', async () => {
    const kim = await create();
    await pay(kim, 10);
    await pay(kim, 10);
    await age(kim, -3);
    expect((await pay(kim, 6)).body).toMatchObject({ limit: 'day', left: '5' });
    expect((await pay(kim, 5)).status).toBe(200);
    expect((await pay(kim, 1)).body).toMatchObject({ limit: 'day', left: '0' });
  });

  it('counts user payments and sends together; a released hold is subtracted from the hour it was made in', async () => {
    const max = await create();
    await pay(max, 10);
    const first = await place(max, '10');
    await expect(place(max, '6')).rejects.toMatchObject({
      code: 'limit.exceeded',
      details: { limit: 'day', left: '5' },
    });
    expect((await pay(max, 6)).body).toMatchObject({ limit: 'day', left: '5' });
    await age(max, 2);
    await pay(max, 1);
    await end(max, first, '10');
    expect(await left(max)).toMatchObject({ day: '14', month: '19', count: '2' });
    // The part of a hold that is not posted is subtracted, but the hold still counts as one payment.
    const second = await place(max, '10');
    await end(max, second, '4', postHold);
    expect(await left(max)).toMatchObject({ day: '10', month: '15', count: '1' });
    // A hold that has left the window cannot be subtracted from it.
    const third = await place(max, '5');
    await age(max, 26);
    await pay(max, 1);
    await end(max, third, '5');
    expect(await left(max)).toMatchObject({ day: '24', month: '14', count: '3' });
  });

  it('applies across all blockchains', async () => {
    const ola = await create();
    const [blockchain, amount] = ['BASE-SEPOLIA', '100'];
    const deposit = { depositId: randomUUID(), userId: ola.userId, blockchain, amount: parseUsdc(amount) };
    await florin.db.tx((tx) => recordDeposit(tx, { ...deposit, fromAddress: `0x${'f'.repeat(40)}` }));
    const assetId = await openAsset(florin.db, blockchain, 'USDC');
    const debitAccount = await openUserAccount(florin.db, assetId, ola.userId);
    const creditAccount = await openHouseAccount(florin.db, assetId, 'chain');
    const move = { debitAccount, creditAccount, amount: parseUsdc('10') };
    await pay(ola, 10);
    const holdId = randomUUID();
    await florin.db.tx((tx) => hold(tx, { transferId: holdId, ...move }));
    expect((await pay(ola, 6)).body).toMatchObject({ limit: 'day', left: '5' });
    await expect(florin.db.tx((tx) => hold(tx, { transferId: randomUUID(), ...move }))).rejects.toMatchObject({
      details: { limit: 'day', left: '5' },
    });
    await florin.db.tx((tx) => releaseHold(tx, { transferId: randomUUID(), holdId, ...move }));
    expect(await left(ola)).toMatchObject({ day: '15', count: '3' });
  });

  it('holds for parallel payments and sends: of 64 against a limit for 10, exactly 10 pass', async () => {
    await setTier('--payment', '1', '--day', '10', '--month', 'none', '--count', 'none');
    for (const mixed of [false, true]) {
      const sam = await create();
      const { databaseUrl, db } = florin;
      const processes = [1, 2].map(() => openUserPayments({ databaseUrl, db, homeBlockchain: HOME, currency: 'USDC' }));
      const outcomes = await Promise.all(
        Array.from({ length: 64 }, async (_, i) => {
          if (mixed && i % 3 === 0)
            return place(sam, '1').then(
              () => 'passed',
              (error) => error.code,
            );
          const request = { senderId: sam.userId, receiver: 'shop', amount: parseUsdc('1') };
          const { result } = await sendToUser({ userPayments: processes[i % 2]! }, request);
          return 'refusal' in result ? result.refusal.code : 'passed';
        }),
      );
      expect(outcomes.filter((outcome) => outcome === 'passed')).toHaveLength(10);
      expect(outcomes.filter((outcome) => outcome === 'limit.exceeded')).toHaveLength(54);
      await Promise.all(processes.map((one) => one.close()));
    }
    // Also over HTTP, where all of them share one batch.
    const tom = await create();
    const answers = await Promise.all(Array.from({ length: 64 }, () => pay(tom, 1)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  });

  it('agrees with a model over random payments, holds, releases and hours', async () => {
    await setTier('--payment', 'none', '--day', '100', '--month', '400', '--count', '12');
    const uma = await create();
    const shares: { ago: number; amount: bigint; holdId?: string }[] = [];
    const spent = (hours: number) =>
      shares.filter(({ ago }) => ago <= hours).reduce((sum, { amount }) => sum + amount, 0n);
    const random = (count: number) => Math.floor(Math.random() * count);
    for (let step = 0; step < howMany(70, 300); step++) {
      if (random(3) === 0) {
        const hours = [1, 2, 5, 23, 24, 25, 200][random(7)]!;
        await age(uma, hours);
        for (const share of shares) share.ago += hours;
      }
      const open = shares.filter(({ holdId }) => holdId);
      if (open.length > 0 && random(3) === 0) {
        const share = open[random(open.length)]!;
        await end(uma, share.holdId!, formatUsdc(share.amount));
        shares.splice(shares.indexOf(share), 1);
        continue;
      }
      const amount = parseUsdc(String(1 + random(40)));
      const fits =
        spent(24) + amount <= 100_000_000n &&
        spent(720) + amount <= 400_000_000n &&
        shares.filter(({ ago }) => ago <= 24).length < 12;
      const asHold = random(2) === 0;
      const passed = asHold
        ? await place(uma, formatUsdc(amount)).catch(() => undefined)
        : (await pay(uma, Number(formatUsdc(amount)))).status === 200;
      expect(Boolean(passed), `step ${step}`).toBe(fits);
      if (passed) shares.push({ ago: 0, amount, ...(asHold && { holdId: passed as string }) });
      const shown = await left(uma);
      const rest = (maximum: bigint, used: bigint) => formatUsdc(maximum - used);
      expect(shown).toMatchObject({ day: rest(100_000_000n, spent(24)), month: rest(400_000_000n, spent(720)) });
    }
    expect((await checkBooks(florin.db)).faults).toEqual([]);
  });
});

describe('a tier', () => {
  it('follows the identity check in the same commit, for old and new accounts', async () => {
    await setTier('--payment', '10', '--day', '25', '--month', '30', '--count', '4');
    const zoe = await create();
    expect((await pay(zoe, 11)).body.limit).toBe('payment');
    await setStatus(zoe, 'approved');
    expect((await pay(zoe, 11)).status).toBe(200);
    expect(await read(zoe)).toMatchObject({ tier: 'verified', raised_by: 'operator', raised_to: null });
    await setStatus(zoe, 'revoked');
    expect((await pay(zoe, 1)).body).toMatchObject({
      status: 403,
      code: 'kyc.required',
      kyc_status: 'revoked',
      detail: 'People whose identity check is "revoked" cannot pay.',
    });
    await expect(place(zoe, '1')).rejects.toMatchObject({ code: 'kyc.required' });
    expect(await read(zoe)).toMatchObject({ tier: 'stopped', can_pay: false });
    const assetId = await openAsset(florin.db, 'LATER-CHAIN', 'USDC');
    await openUserAccount(florin.db, assetId, zoe.userId);
    const tiers = await florin.db.query('SELECT DISTINCT tier FROM accounts WHERE user_id = $1', [zoe.userId]);
    expect(tiers).toEqual([{ tier: 30 }]);
  });

  it('of a person rejected while payments are in flight: each payment is decided before or after, none in between', async () => {
    const ivy = await create();
    await setStatus(ivy, 'approved');
    const held = await place(ivy, '5');
    const paying = Array.from({ length: 40 }, () => pay(ivy, 1));
    await Promise.race(paying);
    await setStatus(ivy, 'rejected');
    const late = await pay(ivy, 1);
    expect([late.status, late.body.code]).toEqual([403, 'kyc.required']);
    const answers = await Promise.all(paying);
    const paid = answers.filter(({ status }) => status === 200);
    expect(paid.length).toBeGreaterThan(0);
    expect(answers.filter(({ body }) => body.code === 'kyc.required')).toHaveLength(40 - paid.length);
    // A hold made before can still be paid out.
    expect(await end(ivy, held, '5', postHold)).toBe('applied');
  });

  it('is changed by operators, who are recorded', async () => {
    await limits('set', 'verified', '--day', '7', '--why', 'a bad week');
    expect(await limits('list')).toMatch(/^verified +10000 +7 +100000 +1000 +approved$/m);
    expect(await limits('history')).toMatch(
      /operator:\w+_tester\nwhat +verified\nbefore .*\/ 25000 \/.*\nafter .*\/ 7 \/.*\nwhy +a bad week$/m,
    );
    const [logged] = await florin.db.query<{ details: unknown }>(
      `SELECT details FROM audit_log WHERE action = 'limits.changed' AND actor LIKE 'operator:%_tester' ORDER BY audit_id DESC LIMIT 1`,
    );
    expect(logged!.details).toEqual({ tier: 'verified', day: '7000000', reason: 'a bad week' });
    await florin.admin.query(`UPDATE tiers SET day_limit = 8000000 WHERE name = 'verified'`);
    const typed = await florin.db.query<{ changed_by: string }>(
      'SELECT changed_by FROM tier_changes ORDER BY change_id DESC LIMIT 1',
    );
    expect(typed[0]!.changed_by).not.toMatch(/^operator:/);
  });

  it.each([
    ['nothing to change', ['set', 'verified', '--why', 'x'], /at least one/],
    ['no reason', ['set', 'verified', '--day', '1'], /--why/],
    ['no tier', ['set', '--day', '1', '--why', 'x'], /TIER is missing/],
    ['an unknown tier', ['set', 'gold', '--day', '1', '--why', 'x'], /no tier "gold"/],
    ['an invalid amount', ['set', 'verified', '--day', '-1', '--why', 'x'], /day/],
    ['too many decimals', ['set', 'verified', '--day', '0.0000001', '--why', 'x'], /--day/],
    ['an invalid count', ['set', 'verified', '--count', '1.5', '--why', 'x'], /--count/],
    ['an unknown command', ['drop'], /has no drop/],
  ])('%s is refused with a clear message', async (_, args, message) => {
    await expect(limits(...args)).rejects.toThrow(message);
  });

  it('is shown only to the person it belongs to', async () => {
    const { userId } = shop;
    const own = { 'x-test-user': userId };
    expect((await florin.get(`/api/v1/limits/${userId}`, own)).status).toBe(200);
    const another = (await florin.get(`/api/v1/limits/${randomUUID()}`, own)).body;
    expect(another.code).toBe('auth.forbidden');
    expect((await florin.get(`/api/v1/limits/${randomUUID()}`)).body.code).toBe('user.unknown');
    expect((await florin.get('/api/v1/limits/me')).status).toBe(422);
  });
});
