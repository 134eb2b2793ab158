/**
 * The ids of posts, releases and deposits are derived from their subject, so that none is applied twice. An attacker
 * with a server's login can compute them and use them first for payments of their own. The transfer then gets another
 * id: nothing stops, and nothing is paid twice.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { endId } from '../../server/src/payments/sends/finishPayment.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { urlAs } from '../support/database.ts';
import { hold } from '../support/ledger/moveMoney.ts';
import { createPerson, type Person } from '../support/payments.ts';

let database: TestDatabase;
let worker: Db;
let server: Db;
let alice: Person;
let bob: Person;
let wallet: string;

beforeAll(async () => {
  database = await openTestDatabase();
  alice = await createPerson(database.db, 'alice', '100');
  bob = await createPerson(database.db, 'bob', '1');
  [worker, server] = (['worker', 'server'] as const).map((login) =>
    openDatabase(urlAs(database.url, login), { maxConnections: 2 }),
  ) as [Db, Db];
  wallet = randomUUID();
  await database.admin.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
     VALUES ($1, 'user', $2, 'local', 'a', '0x' || repeat('a', 40))`,
    [wallet, alice.userId],
  );
});
afterAll(async () => {
  await worker.close();
  await server.close();
  await database.remove();
});

/** Bob pays Alice a millionth under this id. */
const take = (id: string) =>
  server.query(
    `SELECT b.* FROM ledger_state s, ledger_pay_batch(NULL, NULL, 1::smallint, s.names_epoch, s.names_random,
       $1, '{0,0}', '{0,0}', '{0,1}', '{0,0}', '{0,0}', $2, '{f}', '{2}', '{1}', '{1}', '{bob}', '{alice}', '{NULL}') b`,
    [[alice.accountId, bob.accountId], [id]],
  );
const owned = async () =>
  (
    await database.admin.query<{ n: bigint }>('SELECT available + held AS n FROM accounts WHERE account_id = $1', [
      alice.accountId,
    ])
  )[0]!.n;

async function send(): Promise<string> {
  const payment = randomUUID();
  const [chain] = await database.admin.query<{ id: bigint }>(
    `SELECT account_id AS id FROM accounts WHERE kind = 'chain'`,
  );
  const held = { debitAccount: alice.accountId, creditAccount: chain!.id, amount: 3n as never };
  await database.db.tx((tx) => hold(tx, { transferId: payment, ...held }));
  await database.admin.query(
    `INSERT INTO payments (payment_id, state, destination, wallet_id) VALUES ($1, 'INITIATED', '0xd', $2)`,
    [payment, wallet],
  );
  return payment;
}

it('a hold is posted although its id is taken, once', async () => {
  const [free, taken] = [await send(), await send()];
  await take(endId('post', taken));
  for (const id of [free, taken]) {
    await worker.query(
      `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved)
       VALUES ($1, 1, $2, 'send', 'eip3009', '0xa', '0xd', 3, 0)`,
      [id, wallet],
    );
  }
  const before = await owned();
  const post = async () =>
    (await worker.query<{ did: string[] }>('SELECT post_holds($1) AS did', [[free, taken]]))[0]!.did;
  expect(await post()).toEqual(['applied', 'applied']);
  expect(await post()).toEqual(['duplicate', 'ended']);
  expect(await owned()).toBe(before - 6n);
  expect((await checkBooks(database.admin)).faults).toEqual([]);
});

it('a hold is released although its id is taken', async () => {
  const payment = await send();
  await take(endId('release', payment));
  const release = 'SELECT payment_release($1, $2, $3, $4, NULL) AS did';
  const values = [payment, endId('release', payment), 'CANCELLED', 'a test'];
  expect(await server.query(release, values)).toEqual([{ did: 'applied' }]);
  expect(await server.query(release, values)).toEqual([{ did: 'ended' }]);
  expect((await checkBooks(database.admin)).faults).toEqual([]);
});

it('a deposit is credited although its id is taken, once, and keeps its other id', async () => {
  const [free, taken] = [randomUUID(), randomUUID()];
  await take(taken);
  const store = (id: string, logIndex: number) =>
    worker.query(
      `INSERT INTO deposits (asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash, log_index,
         transfer_id) VALUES (1, '0x1', $1, $2, '0xf', 5, 7, '0xb', $2, $3)`,
      [wallet, logIndex, id],
    );
  await store(free, 0);
  await store(taken, 1);
  const before = await owned();
  const credit = async (ids: string[]) =>
    (await worker.query<{ ids: string[] }>('SELECT credit_deposits(1::smallint, $1) AS ids', [ids]))[0]!.ids;
  const ids = await credit([free, taken]);
  expect(ids[0]).toBe(free);
  expect(ids[1]).not.toBe(taken);
  expect(await credit(ids)).toEqual(ids);
  expect(await owned()).toBe(before + 10n);
  expect((await checkBooks(database.admin)).faults).toEqual([]);
});

it('one log makes one deposit', async () => {
  const again = worker.query(
    `INSERT INTO deposits (asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash, log_index,
       transfer_id) VALUES (1, '0x1', $1, 9, '0xf', 5, 7, '0xb', 0, gen_random_uuid())`,
    [wallet],
  );
  await expect(again).rejects.toThrow(/deposits_of_logs/);
});

it('nothing is written off that was never credited', async () => {
  const id = randomUUID();
  await worker.query(
    `INSERT INTO deposits (asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash, log_index,
       transfer_id, state) VALUES (1, '0x2', $1, 0, '0xf', 5, 7, '0xb', 0, $2, 'lost')`,
    [wallet, id],
  );
  await expect(worker.query('SELECT write_off_deposits(1::smallint, $1)', [[id]])).rejects.toThrow(/are not valid/);
});

it('no server denies a payment, and nothing is returned that may have been signed before a restore', async () => {
  const payment = await send();
  const release = 'SELECT payment_release($1, gen_random_uuid(), $2, $3, NULL) AS did';
  await expect(server.query(release, [payment, 'DENIED', 'x'])).rejects.toThrow(/not the login of an operator/);
  await worker.query(`SELECT note_restore('a test')`);
  await expect(server.query(release, [payment, 'CANCELLED', 'x'])).rejects.toThrow(/before this database was restored/);
});
