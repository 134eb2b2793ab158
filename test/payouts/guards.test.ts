/** What PostgreSQL refuses about payouts, for every login, and what its functions decide. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { readLimits } from '../../server/src/customers/limits/readLimits.ts';
import { findViolatedConstraint } from '../../server/src/db/database.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { checkPayout } from '../../server/src/payments/payouts/checkPayout.ts';
import { confirmPayout } from '../../server/src/payments/payouts/decidePayout.ts';
import { parseCsvRows } from '../../server/src/payments/payouts/parseRows.ts';
import { getPayout } from '../../server/src/payments/payouts/payout.ts';
import { runPayouts } from '../../server/src/payments/payouts/runPayouts.ts';
import { useTestDatabase } from '../support/database/useTestDatabase.ts';
import { asAdmin } from '../support/database.ts';
import { createPerson } from '../support/payments.ts';
import { giveTreasury } from '../support/payouts/giveTreasury.ts';
import { makeKey, type PayoutKey } from '../support/payouts/makeKey.ts';
import { HOME, UNKNOWN_USER_ID } from '../support/values.ts';

const database = useTestDatabase();
const { db } = database;
let key: PayoutKey;
const places = { parse: () => ({ address: '' }), askToken: async () => ({ isPaused: false, blacklisted: [] }) };
const sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };

beforeAll(async () => {
  await giveTreasury(database.url, '100');
  await db.query('SELECT ledger_set_home_asset(asset_id) FROM assets');
  for (const name of ['ann', 'ben', 'cem']) await createPerson(db, name);
  key = await makeKey(database.url, 'robot');
});

async function check(csv: string, payer?: string): Promise<string> {
  const bytes = Buffer.from(`reference,to,amount\n${csv}`);
  const asked = { currency: 'USDC', payer, onShortage: 'wait', file: { contentType: 'text/csv', bytes } } as const;
  const caller = { keyId: key.keyId, certificate: undefined, client: '127.0.0.1', parsed: parseCsvRows(bytes) };
  const checked = await checkPayout({ db, homeBlockchain: HOME, places }, { ...asked, ...caller });
  if (checked.outcome !== 'kept') throw new Error(JSON.stringify(checked.errors));
  return checked.payout.payoutId;
}
const confirm = (payoutId: string, count: number, total: bigint, approvalThreshold?: bigint) =>
  confirmPayout(db, {
    payoutId,
    keyId: key.keyId,
    certificate: undefined,
    client: '127.0.0.1',
    count,
    total: total as Usdc,
    approvalThreshold: approvalThreshold as Usdc | undefined,
  });
const run = (payoutId: string) => runPayouts({ db, sendRules, places }, [payoutId]);
/** By a superuser. */
const refused = (sql: string, values: readonly unknown[]) =>
  asAdmin(database.url, sql, values).then(
    () => 'nothing',
    (error: Error) => findViolatedConstraint(error) ?? error.message,
  );

describe('many payments of one payer', () => {
  it('link to the rows before them, so that histories and books match those of single payments', async () => {
    const id = await check('a1,ann,1\na2,ben,2\na3,ann,3\na4,cem,4\na5,ann,5\n');
    await confirm(id, 5, 15_000_000n);
    expect(await run(id)).toEqual(['done']);
    const entries = await db.query(
      `SELECT (e.transfer).amount, (e.transfer).credit_available AS after
         FROM accounts a JOIN usernames n USING (user_id), ledger_entries(a.account_id, a.entries + 1, 1) e
        WHERE n.username = 'ann'`,
    );
    expect(entries).toEqual([
      { amount: 5_000_000n, after: 9_000_000n },
      { amount: 3_000_000n, after: 4_000_000n },
      { amount: 1_000_000n, after: 1_000_000n },
    ]);
    expect((await checkBooks(db)).faults).toEqual([]);
  });

  it.each([1, 2, 3, 7])('are all made in one pass, in batches of %i', async (batch) => {
    const to = ['ann', 'ben', 'cem', 'ann', 'ann', 'ben', 'cem'];
    const id = await check(to.map((name, i) => `batch${batch}-${i},${name},0.000001\n`).join(''));
    await confirm(id, to.length, BigInt(to.length));
    const batched = {
      ...db,
      query: ((sql: string, values: readonly unknown[]) =>
        db.query(sql, sql.includes('pay_payout_people') ? [...values.slice(0, 2), batch] : values)) as typeof db.query,
    };
    expect(await runPayouts({ db: batched, sendRules, places }, [id])).toEqual(['done']);
  });

  it('are in the feed, each at a position of its own, before the end of their payout', async () => {
    const places = await db.query<{ seq: bigint; type: string }>('SELECT seq, type FROM feed ORDER BY seq');
    const [row] = await db.query(`SELECT webhook_data('payout.complete', $1, '{}') AS data`, [UNKNOWN_USER_ID]);
    expect(row).toEqual({ data: { payout_id: UNKNOWN_USER_ID, user_ids: [] } });
    expect(new Set(places.map(({ seq }) => seq)).size).toBe(places.length);
    expect(places.map(({ type }) => type).slice(-6)).toEqual([...Array(5).fill('payment.complete'), 'payout.complete']);
  });
});

describe('the limits of a paying person', () => {
  it('make rows wait that exceed them, count the others, and end the waiting', async () => {
    // Test databases have no limits.
    await asAdmin(database.url, `UPDATE kyc_tiers SET tier = 10 WHERE kyc_status = 'none'`);
    const payer = await createPerson(db, 'patron', '500');
    const id = await check('l1,ben,100\nl2,ben,100\nl3,ben,100\nl4,cem,50\nl5,cem,150\n', 'patron');
    await confirm(id, 5, 500_000_000n);
    expect(await run(id)).toEqual([{ againAfterMs: expect.any(Number) }]);
    const rows = await db.query('SELECT nth, state FROM payout_items WHERE payout_id = $1 ORDER BY nth', [id]);
    // 100 USDC each and 250 a day, without an identity check.
    expect(rows.map((row) => Object.values(row as object))).toEqual([
      [1, 'paid'],
      [2, 'paid'],
      [3, 'ready'],
      [4, 'paid'],
      [5, 'failed'],
    ]);
    expect(await getPayout(db, id, key.keyId)).toMatchObject({
      state: 'waiting',
      waitsFor: { code: 'limit.exceeded', details: { limit: 'day', left: '50' } },
    });
    const { limits } = await readLimits(db, payer.userId, 'USDC');
    expect(limits.map(({ limit, left }) => [limit, left])).toEqual([
      ['payment', 100_000_000n],
      ['day', 0n],
      ['month', 750_000_000n],
      ['count', 17n],
    ]);
    expect(await run(id)).toEqual([{ againAfterMs: expect.any(Number) }]);
    await asAdmin(database.url, 'UPDATE payouts SET waits_until = now() WHERE payout_id = $1', [id]);
    expect(await run(id)).toEqual(['done']);
    const [failed] = await db.query<{ error: unknown }>(
      'SELECT error FROM payout_items WHERE payout_id = $1 AND nth = 3',
      [id],
    );
    expect(failed!.error).toMatchObject({ code: 'limit.exceeded' });
    expect((await checkBooks(db)).faults).toEqual([]);
  });
});

describe('PostgreSQL refuses', () => {
  it('that a row is paid without its payment, twice, or after its end', async () => {
    const id = await check('p1,ann,1\np2,ben,1\n');
    const set = (state: string, nth = 1) =>
      refused(`UPDATE payout_items SET state = $2 WHERE payout_id = $1 AND nth = $3`, [id, state, nth]);
    expect(await set('paid')).toBe('payout_items_paid_by_payments');
    expect(await set('sent')).toBe('payout_items_only_addresses_are_sent');
    expect(await set('failed')).toBe('payout_items_error');
    await confirm(id, 2, 2_000_000n);
    await run(id);
    for (const state of ['ready', 'cancelled', 'failed', 'paid']) expect(await set(state)).toMatch(/append-only/);
  });

  it('that rows, files and payouts change or are deleted', async () => {
    const id = await check('q1,ann,1\n');
    for (const [sql, why] of [
      ['UPDATE payout_items SET amount = 2 WHERE payout_id = $1', /append-only/],
      ['UPDATE payout_items SET user_id = NULL WHERE payout_id = $1', /append-only/],
      ['DELETE FROM payout_items WHERE payout_id = $1', /append-only/],
      [`UPDATE payout_files SET content = '' WHERE payout_id = $1`, /append-only/],
      ['DELETE FROM payouts WHERE payout_id = $1', /append-only/],
      ['UPDATE payouts SET total = 5 WHERE payout_id = $1', /cannot change/],
      [`UPDATE payouts SET state = 'complete' WHERE payout_id = $1`, /cannot go from checked to complete/],
      [`UPDATE payouts SET state = 'running' WHERE payout_id = $1`, 'payouts_confirmed'],
      [
        `INSERT INTO payout_items (payout_id, nth, payment_id, reference, username, user_id, blockchain, amount)
         SELECT payout_id, 2, payment_id, 'other', username, user_id, blockchain, amount FROM payout_items WHERE payout_id = $1`,
        'payout_items_once',
      ],
    ] as const)
      expect(await refused(sql, [id]), sql).toMatch(why);
    const hash = `INSERT INTO payout_files (payout_id, content_type, content, hash) VALUES ($1, 'text/csv', 'a', sha256('b'))`;
    expect(await refused(hash, [id])).toBe('payout_files_hash');
  });

  it('that a payout runs without its approvals, or ends before its rows', async () => {
    const id = await check('r1,ann,1\n');
    expect((await confirm(id, 1, 1_000_000n, 1_000_000n)).state).toBe('approving');
    expect(await refused(`UPDATE payouts SET state = 'running' WHERE payout_id = $1`, [id])).toBe('payouts_approved');
    expect(await run(id)).toEqual([{ againAfterMs: expect.any(Number) }]);
    const end = `UPDATE payouts SET state = 'cancelled', cancelled_at = now(), ended_at = now() WHERE payout_id = $1`;
    expect(await refused(end, [id])).toBe('payouts_end_with_their_rows');
    const [row] = await db.query<{ state: string }>('SELECT state FROM payout_items WHERE payout_id = $1', [id]);
    expect(row!.state).toBe('ready');
  });

  it('that processes write these tables, or pay what no one has confirmed', async () => {
    const id = await check('s1,ann,1\n');
    expect(await run(id)).toEqual([{ againAfterMs: expect.any(Number) }]);
    for (const sql of [
      `UPDATE payout_items SET state = 'cancelled' WHERE payout_id = $1`,
      `UPDATE payouts SET state = 'cancelled' WHERE payout_id = $1`,
      `INSERT INTO payout_approvals (payout_id, operator) VALUES ($1, 'x')`,
    ])
      await expect(db.query(sql, [id])).rejects.toThrow(/permission denied/);
    await expect(
      db.query('SELECT ledger_pay_many(1, NULL, ARRAY[($1::uuid, 2, 1, NULL, NULL)::new_payment], NULL)', [
        randomUUID(),
      ]),
    ).rejects.toThrow(/permission denied/);
  });
});
