/** A key pays once, however old its payment is, and no look-up of an id reads the whole table. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { findSettlement } from '../../server/src/custody/readSteps.ts';
import { openDatabase, type Tx } from '../../server/src/db/database.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { findPayments, isDecided } from '../../server/src/payments/read/findPayment.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { hold } from '../support/ledger/moveMoney.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

let florin: PaymentsServer;
let ann: Person;
let ben: Person;
let chain: bigint;
beforeAll(async () => {
  florin = await startPayments();
  chain = await openHouseAccount(florin.db, await openAsset(florin.db, HOME, 'USDC'), 'chain');
  [ann, ben] = [await createPerson(florin.db, 'ann_ids', '1000'), await createPerson(florin.db, 'ben_ids', '1000')];
});
afterAll(() => florin.stop());

const AMOUNT = 1_000n as Usdc;

/** Every payment ever made here: its key and the id in its answer. */
const made = new Map<string, string>();
const submit = (key: string, amount = 0.001) =>
  florin.send({ sender_user_id: ann.userId, receiver_username: ben.username, amount }, { 'idempotency-key': key });
async function pay(count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async () => {
      const key = randomUUID();
      const answer = await submit(key);
      expect(answer.status).toBe(200);
      made.set(key, (answer.body as { transaction_id: string }).transaction_id);
    }),
  );
}

/** The same key pays nothing more, and another request under it is refused. */
async function repeatEverything(): Promise<void> {
  const rows = async () => (await florin.admin.query<{ n: number }>('SELECT count(*)::int AS n FROM transfers'))[0]!.n;
  const before = await rows();
  const some = [...made].filter((_, i) => i < 10 || i > made.size - 10 || i % 10 === 0);
  const repeats = some.flatMap(([key, id]) => [
    async () => expect(await submit(key)).toMatchObject({ status: 200, body: { transaction_id: id } }),
    async () => expect((await submit(key, 0.002)).status).toBe(422),
  ]);
  while (repeats.length > 0) await Promise.all(repeats.splice(0, 64).map((repeat) => repeat()));
  expect(await rows()).toBe(before);
  expect(await checkBooks(florin.db)).toMatchObject({ faults: [] });
}

describe('the ids of payments', () => {
  it('are found and refused through an index, whatever wrote them: no look-up reads the whole table', async () => {
    const held = { transferId: randomUUID(), debitAccount: ann.accountId, creditAccount: chain, amount: AMOUNT };
    await pay(2);
    const ids = [...made.values()];
    const db = openDatabase(`${florin.adminUrl}?options=-c%20enable_seqscan%3Doff`, { maxConnections: 1 });
    try {
      await db.tx(async (tx) => {
        const before = await countScans(tx);
        await hold(tx, held);
        await tx.query(`INSERT INTO payments (payment_id, state, destination) VALUES ($1, 'SENT', '0xabc')`, [
          held.transferId,
        ]);
        expect((await findPayments(tx, [...ids, held.transferId])).size).toBe(ids.length + 1);
        for (const id of [ids[0]!, ids.at(-1)!]) {
          expect(await isDecided(tx, id)).toBe(true);
          expect(await findSettlement(tx, id)).toBeUndefined();
          await expect(cancelPayment(tx, { paymentId: id })).rejects.toMatchObject({ code: 'payment.ended' });
          expect(await tx.query('SELECT is_payments_answer($1, NULL) AS yes', [id])).toEqual([{ yes: true }]);
        }
        expect(await tx.query('SELECT FROM payments_lock($1)', [[held.transferId]])).toHaveLength(1);
        await tx.query(`SELECT payment_release($1, gen_random_uuid(), 'FAILED', 'test', NULL)`, [held.transferId]);
        expect(await countScans(tx)).toBe(before);
        await tx.query('SELECT FROM transfers WHERE amount = 1');
        expect(await countScans(tx), 'the count notices one').toBe(before + 1);
      });
    } finally {
      await db.close();
    }
  });

  it('belong to holds where a payment to an address has one', async () => {
    const insert = (id: string | undefined) =>
      florin.admin.query(`INSERT INTO payments (payment_id, state, destination) VALUES ($1, 'SENT', '0xabc')`, [id]);
    await expect(insert(randomUUID())).rejects.toMatchObject({ constraint: 'payments_of_transfers' });
    await expect(insert([...made.values()][0])).rejects.toMatchObject({ constraint: 'payments_of_transfers' });
    await expect(florin.admin.query('UPDATE payments SET payment_id = gen_random_uuid()')).rejects.toThrow(
      /append-only/,
    );
  });

  it('are found although a restored dump makes numbers start over', async () => {
    const findNewest = async () =>
      (await florin.admin.query<{ seq: bigint }>('SELECT max(seq) AS seq FROM transfers'))[0]!.seq;
    await pay(10);
    const newest = await findNewest();
    await florin.admin.query('UPDATE ledger_state SET seq_base = seq_base - $1::bigint', [newest - 1n]);
    await pay(3);
    expect(await findNewest(), 'the new rows come before older ones').toBe(newest);
    await repeatEverything();
    await florin.admin.query('SELECT ledger_rebase()');
    await pay(1);
    expect(await findNewest()).toBeGreaterThan(newest);
    await repeatEverything();
  });

  it('are refused by PostgreSQL a second time, whatever the movement is', async () => {
    const copy = florin.admin.query(
      `INSERT INTO transfers SELECT (jsonb_populate_record(t, jsonb_build_object('kind', 'internal',
         'seq', (SELECT max(seq) + 1 FROM transfers), 'debit_entry', 7777, 'credit_entry', 7777))).*
         FROM transfers t WHERE t.transfer_id = $1`,
      [[...made.values()][0]],
    );
    await expect(copy).rejects.toMatchObject({ constraint: 'transfers_pkey' });
  });
});

/** How many sequential scans of the table this transaction has done; other sessions do not count. */
async function countScans(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ scans: number }>(
    `SELECT seq_scan::int AS scans FROM pg_stat_xact_user_tables WHERE relname = 'transfers'`,
  );
  return row!.scans;
}
