/** The audit reports no fault while people pay, and every corruption of the ledger by name. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { auditCycle } from '../../server/src/custody/books/auditCycle.ts';
import { auditTail } from '../../server/src/custody/books/auditTail.ts';
import { auditWhole } from '../../server/src/custody/books/auditWhole.ts';
import { openAuditor } from '../../server/src/custody/books/openAuditor.ts';
import { listFaults } from '../../server/src/custody/books/recordFaults.ts';
import { type Db, openDatabase, type Tx } from '../../server/src/db/database.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { listPauses } from '../../server/src/operators/pauses.ts';
import { refundPayment } from '../../server/src/payments/refunds/refundPayment.ts';
import { PATIENT, urlAs } from '../support/database.ts';
import { auditAll, catchUp } from '../support/ledger/auditAll.ts';
import { listCorruptions } from '../support/ledger/corruptions.ts';
import { hold, postHold, releaseHold, transfer } from '../support/ledger/moveMoney.ts';
import { openRefunds, type RefundsWorld, want } from '../support/ledger/openRefunds.ts';
import { operate } from '../support/operate.ts';
import { createPerson, type Person } from '../support/payments.ts';
import { howMany } from '../support/run/thorough.ts';
import { HOME } from '../support/values.ts';

let world: RefundsWorld;
let admin: Db;
/** With the rights of a worker, which runs the audit. */
let worker: Db;
let reader: Db;
let people: Person[];
let chain: bigint;
let assetId: number;
beforeAll(async () => {
  world = await openRefunds();
  admin = world.florin.admin;
  const { databaseUrl, db } = world.florin;
  worker = openDatabase(urlAs(databaseUrl, 'worker'), { ...PATIENT, maxConnections: 3 });
  reader = openDatabase(urlAs(databaseUrl, 'reader'), { ...PATIENT, maxConnections: 1 });
  people = await Promise.all(['ada', 'bob', 'cy', 'dee'].map((name) => createPerson(db, `${name}_books`, '1000')));
  assetId = await openAsset(db, HOME, 'USDC');
  chain = await openHouseAccount(db, assetId, 'chain');
});
afterAll(async () => {
  await Promise.all([worker.close(), reader.close()]);
  await world.stop();
});

const random = (count: number): number => Math.floor(Math.random() * count);
const pick = <One>(all: readonly One[]): One => all[random(all.length)]!;
const accountsOf = ({ accountId }: Person) => ({ debitAccount: accountId, creditAccount: chain });

/** As owner of everything, without triggers and foreign keys. */
const byHand = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  admin.tx(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    return work(tx);
  });

/** A hold with its payment, as `accept_sends` creates them. */
async function makeHold(person: Person, amount: bigint): Promise<string> {
  const transferId = randomUUID();
  await admin.tx(async (tx) => {
    await hold(tx, { transferId, ...accountsOf(person), amount: amount as Usdc });
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(`INSERT INTO payments (payment_id, state, destination) VALUES ($1, 'SENT', '0xabc')`, [transferId]);
  });
  return transferId;
}

/** The hold is posted when the chain has paid it, in one commit with its move. */
const post = (person: Person, holdId: string, amount: bigint, state = 'done'): Promise<unknown> =>
  admin.tx(async (tx) => {
    await postHold(tx, { transferId: randomUUID(), holdId, ...accountsOf(person), amount: amount as Usdc });
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(
      `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved, state,
         started_at, tx_hash) VALUES ($1, $2, $1, 'send', 'eip3009', '0xa', '0xb', $3, 0, $4, now(), '0xhash')`,
      [holdId, assetId, amount, state],
    );
  });

const release = (person: Person, holdId: string, amount: bigint): Promise<unknown> =>
  admin.tx((tx) =>
    releaseHold(tx, { transferId: randomUUID(), holdId, ...accountsOf(person), amount: amount as Usdc }),
  );

/** One of each operation that moves money, at random. */
async function moveSomething(): Promise<void> {
  const person = pick(people);
  const amount = BigInt(2 + random(50_000)) as Usdc;
  const toThem = { transferId: randomUUID(), creditAccount: person.accountId, amount };
  const ways: (() => Promise<unknown>)[] = [
    async () => post(person, await makeHold(person, amount), amount - BigInt(random(2))),
    async () => release(person, await makeHold(person, amount), amount),
    () => makeHold(person, amount),
    () => admin.tx((tx) => transfer(tx, 'deposit', { ...toThem, debitAccount: chain })),
    () => admin.tx((tx) => transfer(tx, 'internal', { ...toThem, debitAccount: world.treasury })),
    () => depositMany([pick(people).accountId, pick(people).accountId]),
    async () => refundPayment(world.operators.rita, want(await payFrom(person), '0.004')),
  ];
  await (random(2) === 0 ? payFrom(person) : pick(ways)());
}

const payFrom = (person: Person): Promise<string> =>
  world.pay(person, pick(people.filter((one) => one !== person)), '0.01');

/** As the deposits of a block are credited. */
const depositMany = (accounts: readonly bigint[]): Promise<unknown> =>
  admin.query('SELECT ledger_deposit($1, $2, $3, $4, $5)', [
    assetId,
    accounts.map(() => randomUUID()),
    accounts,
    accounts.map(() => 5),
    accounts.map(() => '0xa'),
  ]);

const faultsNow = async () => (await listFaults(worker)).map(({ subject, fault }) => `${subject}: ${fault}`);

describe('while people pay', () => {
  it('reports no fault, whatever moves, however small its steps, with two concurrent workers', async () => {
    let left = howMany(240, 600);
    const write = async () => {
      while (left-- > 0) await moveSomething();
    };
    let isPaying = true;
    let [heads, cycles] = [0, 0];
    const audit = async (rows: number) => {
      while (isPaying || cycles === 0) {
        if ((await auditTail(worker, rows)).isAtHead) heads++;
        if ((await auditCycle(worker, 40, 0)).ended) cycles++;
        expect(await faultsNow()).toEqual([]);
      }
    };
    const writing = Promise.all(Array.from({ length: 12 }, write)).finally(() => {
      isPaying = false;
    });
    await Promise.all([writing, audit(30), audit(10_000)]);
    expect(heads).toBeGreaterThan(0);
    expect(await auditAll(worker)).toEqual([]);
    expect((await checkBooks(admin)).faults).toEqual([]);
    expect((await auditWhole(reader)).faults).toEqual([]);
    expect(await listPauses(worker)).toEqual([]);
  });
});

describe('a corruption is found and named', () => {
  let posted: string;
  let released: string;
  const SAVED = ['transfers', 'accounts', 'coin_moves'];
  beforeAll(async () => {
    const [ada, bob] = people as [Person, Person];
    posted = await makeHold(ada, 700n);
    await post(ada, posted, 700n);
    released = await makeHold(bob, 800n);
    await release(bob, released, 800n);
    for (const one of people) await Promise.all([payFrom(one), payFrom(one)]);
    for (const table of SAVED) await admin.query(`CREATE TABLE saved_${table} AS SELECT * FROM ${table}`);
  });

  /** Restores everything by hand. */
  const restore = () =>
    byHand(async (tx) => {
      for (const table of SAVED) {
        await tx.query(`DELETE FROM ${table}`);
        const columns = await tx.query<{ names: string }>(
          `SELECT string_agg(quote_ident(column_name), ', ') AS names FROM information_schema.columns
            WHERE table_name = $1 AND is_generated = 'NEVER'`,
          [table],
        );
        const { names } = columns[0]!;
        await tx.query(`INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} FROM saved_${table}`);
      }
    });

  const account = (nth = 0) => people[nth]!.accountId;
  const CORRUPTIONS = listCorruptions({ account, ends: () => ({ posted, released }) });

  it.each(CORRUPTIONS)('$name', async ({ sql, values = () => [account()], says, before, after, isQuiet }) => {
    await admin.query(
      `WITH c AS (INSERT INTO currencies VALUES ('OTHER', 6) ON CONFLICT DO NOTHING)
       INSERT INTO assets (network_id, symbol) SELECT min(network_id), 'OTHER' FROM networks ON CONFLICT DO NOTHING`,
    );
    expect(await auditAll(worker)).toEqual([]);
    if (before) await admin.query(before);
    await byHand((tx) => tx.query(sql, values()));
    const named = (await auditAll(worker)).filter((one) => says().test(one));
    expect(named.length, (await faultsNow()).join('\n')).toBeGreaterThan(0);
    const paused = isQuiet ? [] : [{ scope: `chain:${HOME}`, cause: 'audit', stops: 'accepting and signing' }];
    expect(await listPauses(worker)).toMatchObject(paused);
    const whole = (await auditWhole(reader)).faults.map(({ subject, fault }) => `${subject}: ${fault}`);
    expect(whole.filter((one) => says().test(one)).length, whole.join('\n')).toBeGreaterThan(0);
    // A removed pause is set again while the fault exists; a repaired fault is no longer reported.
    await admin.query('DELETE FROM pauses');
    await catchUp(worker);
    expect(await listPauses(worker)).toMatchObject(paused);
    await restore();
    if (after) await admin.query(after);
    expect(await auditAll(worker)).toEqual([]);
  });

  it('finds money that moved without a transfer and was spent before the next check', async () => {
    await auditAll(worker);
    const [thief, victim] = people as [Person, Person];
    await byHand((tx) =>
      tx.query(
        'UPDATE accounts SET available = available + CASE account_id WHEN $1 THEN 90 ELSE -90 END WHERE account_id IN ($1, $2)',
        [thief.accountId, victim.accountId],
      ),
    );
    await catchUp(worker);
    const found = (await faultsNow()).join();
    for (const { accountId } of [thief, victim]) expect(found).toContain(`account ${accountId}: it has`);
    await world.pay(thief, people[2]!, '0.01');
    await world.pay(victim, people[2]!, '0.01');
    await catchUp(worker);
    const faults = (await faultsNow()).join();
    for (const { accountId } of [thief, victim])
      expect(faults).toMatch(new RegExp(`movement [0-9a-f-]+: account ${accountId} had`));
    expect((await auditAll(worker)).join()).toBe(faults);
  });

  afterEach(async () => {
    await restore();
    await admin.query('DELETE FROM pauses');
  });
});

describe('the audit continues', () => {
  const readState = async () =>
    (
      await worker.query<{ tail_seq: bigint; cycle_seq: bigint; cycle_upto: bigint; seed: bigint }>(
        'SELECT * FROM book_audits',
      )
    )[0]!;

  it('where a worker was killed in the middle of a cycle', async () => {
    await auditAll(worker);
    while ((await readState()).cycle_seq >= (await readState()).cycle_upto) await auditCycle(worker, 50, 0);
    await auditCycle(worker, 50, 0);
    const before = await readState();
    expect(before.cycle_seq).toBeGreaterThan(-1n);
    expect(before.cycle_seq).toBeLessThan(before.cycle_upto);
    const other = openDatabase(urlAs(world.florin.databaseUrl, 'worker'), { ...PATIENT, maxConnections: 1 });
    await auditCycle(other, 50, 0);
    expect((await readState()).cycle_seq).toBeGreaterThan(before.cycle_seq);
    expect(await auditAll(other)).toEqual([]);
    await other.close();
  });

  it('from the start after a restore, which may number new transfers below its position', async () => {
    await auditAll(worker);
    const { seed } = await readState();
    await admin.query('UPDATE book_audits SET tail_seq = tail_seq + 1000000000000, compared_seq = tail_seq');
    expect(await auditAll(worker)).toEqual([]);
    expect((await readState()).seed).not.toBe(seed);
    // `ledger_rebase` has raised the base.
    const again = (await readState()).seed;
    await admin.query('UPDATE book_audits SET seq_base = seq_base - 1, tail_seq = tail_seq - 65536');
    expect(await auditAll(worker)).toEqual([]);
    expect((await readState()).seed).not.toBe(again);
  });

  it('step by step in a worker, and reports a fault once and the end of each cycle', async () => {
    const reported: string[] = [];
    const cycles: bigint[] = [];
    const audit = openAuditor(
      worker,
      { onFault: ({ subject }) => reported.push(subject), onCycle: ({ rows }) => cycles.push(rows) },
      { everyMs: 0, sliceRows: 10_000, restMs: 0 },
    );
    const change = (by: number) =>
      byHand((tx) =>
        tx.query('UPDATE accounts SET available = available + $2 WHERE account_id = $1', [people[1]!.accountId, by]),
      );
    await change(1);
    while (reported.length === 0 || cycles.length < 2) await audit();
    expect(reported).toEqual([`account ${people[1]!.accountId}`, 'sum']);
    const [counted] = await worker.query('SELECT count(*) AS rows FROM transfers');
    expect({ rows: cycles.at(-1) }).toEqual(counted);
    await change(-1);
    while ((await faultsNow()).length > 0) await audit();
  });

  it('with transfers of the previous release, which do not link to the one before', async () => {
    await byHand((tx) => tx.query('UPDATE accounts SET last_seq = NULL, last_entry = NULL'));
    for (const one of people) await payFrom(one);
    await byHand((tx) =>
      tx.query('UPDATE accounts SET available = available + 1 WHERE account_id = $1', [people[0]!.accountId]),
    );
    await payFrom(people[0]!);
    const faults = await auditAll(worker);
    expect(faults).toContainEqual(
      expect.stringMatching(new RegExp(`^movement .*: account ${people[0]!.accountId} had`)),
    );
  });

  it('and `florin books audit` reports the same, to an operator and to scripts', async () => {
    const { rita } = world.operators;
    expect(await operate(rita, 'books', 'audit')).toMatch(/THE LEDGER IS WRONG in 2 places: \d+ movements in/);
    const json = JSON.parse(await operate(rita, 'books', 'audit', '--json')) as { faults: { subject: string }[] };
    expect(json.faults.map(({ subject }) => subject)).toEqual([expect.stringMatching(/^movement /), 'sum']);
  });

  it('while an open transaction keeps the newest transfers from being settled', async () => {
    await admin.tx(async (tx) => {
      await tx.query('SELECT pg_current_xact_id()');
      await byHand((other) =>
        other.query('UPDATE accounts SET available = available + 1 WHERE account_id = $1', [people[2]!.accountId]),
      );
      await payFrom(people[2]!);
      const { faults } = await auditWhole(reader);
      expect(faults).toContainEqual(
        expect.objectContaining({ fault: expect.stringContaining(`account ${people[2]!.accountId} had`) }),
      );
    });
  });
});
