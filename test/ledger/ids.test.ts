/** Payments write their ids to a small index, and a look-up finds and refuses every id in all indexes. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { findSettlement } from '../../server/src/custody/readSteps.ts';
import { ADVISORY_LOCKS } from '../../server/src/db/advisoryLocks.ts';
import { openDatabase, type Tx } from '../../server/src/db/database.ts';
import { finishUpgrade } from '../../server/src/db/finishUpgrade.ts';
import { markIds } from '../../server/src/db/ids/markIds.ts';
import { defineIds, renewIds } from '../../server/src/db/ids/renewIds.ts';
import { maintain } from '../../server/src/db/maintain.ts';
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
const listIndexes = async () =>
  (
    await florin.admin.query<{ name: string }>(
      `SELECT indexname AS name FROM pg_indexes WHERE tablename = 'transfers' AND indexdef LIKE '%(transfer_id)%'`,
    )
  )
    .map(({ name }) => name)
    .sort();
const readBoundary = async () =>
  (await florin.admin.query<{ boundary: bigint }>('SELECT id_boundary() AS boundary'))[0]!.boundary;
/** Two for all ids, one for holds and deposits, and no leftovers. */
const expectOnePair = async () => {
  const boundary = await readBoundary();
  expect(boundary).toBeGreaterThan(0n);
  expect(await listIndexes()).toEqual([
    `transfers_ids_after_${boundary}`,
    `transfers_ids_upto_${boundary}`,
    'transfers_other_ids',
  ]);
  expect(await readMarks()).toEqual({
    boundaries: [String(boundary)],
    constraints: [`transfers_marked_upto_${boundary}`],
  });
};
/** The boundaries for which the Bloom filter has ids, and which of them PostgreSQL keeps complete. */
const readMarks = async () =>
  (
    await florin.admin.query<{ boundaries: string[]; constraints: string[] }>(
      `SELECT ARRAY(SELECT DISTINCT boundary::text FROM id_marks) AS boundaries,
              ARRAY(SELECT conname::text FROM pg_constraint WHERE conname LIKE 'transfers_marked_%' ORDER BY conname)
                AS constraints`,
    )
  )[0]!;

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

/** In whichever index the id is: the same key pays nothing more, and another request under it is refused. */
async function repeatEverything(): Promise<void> {
  const rows = async () => (await florin.admin.query<{ n: number }>('SELECT count(*)::int AS n FROM transfers'))[0]!.n;
  const before = await rows();
  // The first, the last, and some between, of every index.
  const some = [...made].filter((_, i) => i < 10 || i > made.size - 10 || i % 10 === 0);
  const repeats = some.flatMap(([key, id]) => [
    async () => expect(await submit(key)).toMatchObject({ status: 200, body: { transaction_id: id } }),
    async () => expect((await submit(key, 0.002)).status).toBe(422),
  ]);
  while (repeats.length > 0) await Promise.all(repeats.splice(0, 64).map((repeat) => repeat()));
  expect(await rows()).toBe(before);
  expect(await checkBooks(florin.db)).toMatchObject({ faults: [] });
}

/** Pays in small batches until the work is done. */
async function payDuring(work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  while (!isDone) await pay(2);
  await done;
}

describe('the ids of payments', () => {
  it('are divided again while payments continue, and a repeated key finds its payment in every index', async () => {
    await pay(10);
    expect(await listIndexes()).toEqual(['transfers_ids_after_0', 'transfers_other_ids']);
    for (let round = 0; round < 2; round++) {
      await payDuring(renewIds(florin.adminUrl, { isForced: true }));
      await expectOnePair();
      await pay(5);
      await repeatEverything();
    }
    const boundary = await readBoundary();
    await renewIds(florin.adminUrl);
    // Much too small to be divided again.
    expect(await readBoundary()).toBe(boundary);
  });

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
        await tx.query('SELECT FROM transfers WHERE transfer_id = $1', [ids[0]]);
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

  it('are divided completely after runs that were killed at any moment', async () => {
    let killed = 0;
    for (let attempt = 0; attempt < 8; attempt++) {
      let isOver = false;
      const run = renewIds(florin.adminUrl, { isForced: true })
        .catch(() => killed++)
        .finally(() => {
          isOver = true;
        });
      await payDuring(Promise.all([run, killAfter(attempt * 10, () => isOver)]));
    }
    expect(killed).toBeGreaterThan(0);
    await renewIds(florin.adminUrl, { isForced: true });
    await expectOnePair();
    await repeatEverything();

    // What a kill leaves between the two, and what it leaves of a build.
    await pay(1);
    const [{ seq }] = (await florin.admin.query<{ seq: bigint }>('SELECT max(seq) AS seq FROM transfers')) as [
      { seq: bigint },
    ];
    await florin.admin.query(
      `CREATE UNIQUE INDEX transfers_ids_after_${seq} ON transfers ${defineIds('after', String(seq))}`,
    );
    await florin.admin.query(`CREATE UNIQUE INDEX transfers_ids_upto_${seq} ON transfers ${defineIds('upto', '5')}`);
    await florin.admin.query(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'transfers_ids_upto_${seq}'::regclass`,
    );
    await pay(2);
    await repeatEverything();
    await renewIds(florin.adminUrl);
    expect(await readBoundary()).toBe(seq);
    await expectOnePair();
    await repeatEverything();
  });

  it('are found in indexes that only have ids of payments between people', async () => {
    const held = { transferId: randomUUID(), debitAccount: ann.accountId, creditAccount: chain, amount: AMOUNT };
    await florin.db.tx((tx) => hold(tx, held));
    const findHeld = () => florin.admin.query('SELECT FROM transfers_by_id($1)', [[held.transferId]]);
    // As earlier builds renewed them.
    const boundary = await readBoundary();
    for (const side of ['after', 'upto'] as const) {
      const name = `transfers_ids_${side}_${boundary}`;
      await florin.admin.query(`DROP INDEX ${name}`);
      await florin.admin.query(
        `CREATE UNIQUE INDEX ${name} ON transfers ${defineIds(side, String(boundary))} AND kind = 'user'`,
      );
      await florin.admin.query('SELECT write_transfers_by_id()');
      await pay(3);
      await repeatEverything();
      expect(await findHeld()).toHaveLength(1);
    }
    await renewIds(florin.adminUrl, { isForced: true });
    await expectOnePair();
    await pay(1);
    await repeatEverything();
    expect(await findHeld()).toHaveLength(1);
    const constraint = `transfers_ids_after_${await readBoundary()}`;
    const copy = florin.admin.query(
      `INSERT INTO transfers SELECT (jsonb_populate_record(t, jsonb_build_object(
         'seq', t.seq + 1, 'kind', 'internal', 'debit_entry', 7777, 'credit_entry', 7777))).*
         FROM transfers t WHERE t.transfer_id = $1`,
      [[...made.values()].at(-1)],
    );
    await expect(copy, 'the same id with another kind').rejects.toMatchObject({ constraint });
  });

  it('leave the primary key of the previous release while payments continue', async () => {
    // The state of a database of the previous release after the migration.
    await florin.admin.query('ALTER TABLE transfers ADD CONSTRAINT transfers_pkey PRIMARY KEY (transfer_id)');
    await florin.admin.query('SELECT write_transfers_by_id()');
    for (const name of await listIndexes()) {
      if (name !== 'transfers_pkey') await florin.admin.query(`DROP INDEX ${name}`);
    }
    await pay(3);
    await repeatEverything();
    await expect(renewIds(florin.adminUrl)).rejects.toThrow('the upgrade is not finished');
    await payDuring(finishUpgrade(florin.adminUrl));
    await expectOnePair();
    await finishUpgrade(florin.adminUrl);
    await pay(3);
    await repeatEverything();
    await payDuring(renewIds(florin.adminUrl, { isForced: true }));
    await expectOnePair();
    await repeatEverything();
  });

  it('are looked up in the large index only where the Bloom filter does not rule them out', async () => {
    // With a bit of its own: that one is forged below.
    const bits = (one: string) => [-12, -8, -4].map((at) => bitOf(Buffer.from(one.slice(at).slice(0, 4), 'hex')));
    const rows = await florin.admin.query<{ id: string }>('SELECT transfer_id AS id FROM transfers');
    const ids = rows.map(({ id }) => id);
    const id = [...made.values()].find(
      (one) => !ids.some((other) => other !== one && bits(other).includes(bits(one)[0]!)),
    )!;
    const isFound = async () => (await florin.admin.query('SELECT FROM transfers_by_id($1)', [[id]])).length === 1;
    const forge = (change: string) => florin.admin.query(`UPDATE id_marks SET bits = ${change}`);
    expect(await isFound()).toBe(true);
    // The filter decides: a wrong bit hides its id, and the audit of the books reports it.
    await forge(`set_bit(bits, ${bits(id)[0]}, 0)`);
    expect(await isFound()).toBe(false);
    expect((await checkBooks(florin.db)).faults).toEqual([`the id ${id} is not marked`]);
    await expect(forge(`'\\x'`)).rejects.toThrow(/id_marks_bits_check/);
    // A group without a filter does not prevent a look-up.
    await florin.admin.query('DELETE FROM id_marks');
    expect(await isFound()).toBe(true);
    await renewIds(florin.adminUrl, { isForced: true });
    await expectOnePair();
    await repeatEverything();
  });

  it('are not covered by a filter from another database, nor by one that a kill has left incomplete', async () => {
    const boundary = await readBoundary();
    const constraint = `transfers_marked_upto_${boundary}`;
    const rewrite = () => florin.admin.query('SELECT write_transfers_by_id()');
    const forge = () => florin.admin.query(`UPDATE id_marks SET bits = decode(repeat('00', 8064), 'hex')`);
    // A filter without the constraint: copied from another database.
    await florin.admin.query(`ALTER TABLE transfers DROP CONSTRAINT ${constraint}`);
    await forge();
    await rewrite();
    await repeatEverything();
    await renewIds(florin.adminUrl);
    await expectOnePair();
    await repeatEverything();
    // The constraint without a filter, and with that of an earlier boundary.
    await florin.admin.query('DELETE FROM id_marks');
    await florin.admin.query('ALTER TABLE transfers ADD CONSTRAINT transfers_marked_upto_1 CHECK (seq > 1) NOT VALID');
    await rewrite();
    await repeatEverything();
    await renewIds(florin.adminUrl);
    await expectOnePair();
    await repeatEverything();
  });

  it('enter the filter in any number of groups', async () => {
    await florin.admin.query('DELETE FROM id_marks');
    const boundary = String(await readBoundary());
    const sizes = { idsAtOnce: 7, groupsAtOnce: 2, idsPerGroup: 20 };
    await maintain(florin.adminUrl, async (client) => {
      expect(await markIds(client, boundary, () => {}, sizes)).toBe(true);
    });
    const [row] = await florin.admin.query<{ rows: number; groups: number }>(
      'SELECT count(*)::int AS rows, marked_groups($1) AS groups FROM id_marks',
      [boundary],
    );
    expect(row!.groups).toBeGreaterThan(4);
    expect(row!.rows).toBe(row!.groups);
    await florin.admin.query('SELECT write_transfers_by_id()');
    await repeatEverything();
  });

  it('enter the filter once no transaction holds the table, and payments do not wait for that', async () => {
    await florin.admin.query('DELETE FROM id_marks');
    const reader = openDatabase(florin.adminUrl, { maxConnections: 1 });
    let marking: Promise<void> | undefined;
    await reader.tx(async (tx) => {
      await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      await tx.query('SELECT FROM transfers LIMIT 1');
      marking = renewIds(florin.adminUrl);
      for (let round = 0; round < 10; round++) await Promise.all([pay(5), sleep(100)]);
      expect((await readMarks()).boundaries).toEqual([]);
    });
    await marking;
    await reader.close();
    await expectOnePair();
    await repeatEverything();
  });

  it('are paid although a dump was restored under a running server and numbers start over', async () => {
    const boundary = await readBoundary();
    const [before] = await florin.admin.query<{ base: string }>('SELECT seq_base::text AS base FROM ledger_state');
    await florin.admin.query('UPDATE ledger_state SET seq_base = seq_base - $1::bigint * 1000', [boundary]);
    await pay(3);
    const [after] = await florin.admin.query<{ newest: bigint; base: string }>(
      'SELECT (SELECT max(seq) FROM transfers) AS newest, seq_base::text AS base FROM ledger_state',
    );
    expect(BigInt(after!.base)).toBeGreaterThan(BigInt(before!.base) - boundary * 1000n);
    await repeatEverything();
    // So is every other operation that moves money.
    await florin.admin.query('UPDATE ledger_state SET seq_base = seq_base - $1::bigint * 1000', [boundary]);
    const held = { transferId: randomUUID(), debitAccount: ann.accountId, creditAccount: chain, amount: AMOUNT };
    await florin.db.tx((tx) => hold(tx, held));
    const [row] = await florin.admin.query<{ seq: bigint }>('SELECT seq FROM transfers_by_id($1)', [[held.transferId]]);
    expect(row!.seq).toBeGreaterThan(after!.newest);
  });

  it('that exist twice are reported by the audit of the books', async () => {
    const copy = (seq: string) =>
      florin.admin.query(
        `INSERT INTO transfers SELECT (jsonb_populate_record(t, jsonb_build_object(
           'seq', ${seq}, 'debit_entry', 7777, 'credit_entry', 7777))).*
           FROM transfers t WHERE t.kind = 'user' AND t.seq <= id_boundary() LIMIT 1`,
      );
    await expect(copy('1'), 'it would not be marked').rejects.toThrow(/transfers_marked_upto/);
    // By hand, into the other index: no function of ours writes without a look-up first.
    await copy('(SELECT max(seq) + 1 FROM transfers)');
    const { faults } = await checkBooks(florin.db);
    expect(faults).toContainEqual(expect.stringMatching(/^the id .* was given twice$/));
    await expect(renewIds(florin.adminUrl, { isForced: true })).rejects.toThrow(/could not create unique index/);
  });
});

/** The bit that two bytes of an id select. */
const bitOf = (bytes: Buffer): number => Math.floor((bytes.readUInt16BE() * 63) / 64);

/** How many sequential scans of the table this transaction has done; other sessions do not count. */
async function countScans(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ scans: number }>(
    `SELECT seq_scan::int AS scans FROM pg_stat_xact_user_tables WHERE relname = 'transfers'`,
  );
  return row!.scans;
}

/** The database ends the building session some time after it has begun, as a kill of its process would. */
async function killAfter(ms: number, isOver: () => boolean): Promise<void> {
  const holder = `FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid::bigint = ${ADVISORY_LOCKS.finishUpgrade}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  while (!isOver() && (await florin.admin.query(`SELECT ${holder}`)).length === 0) await sleep(1);
  await sleep(ms);
  await florin.admin.query(`SELECT pg_terminate_backend(pid) ${holder}`);
}
