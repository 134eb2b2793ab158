/**
 * While an upgrade is unfinished, processes of 0.2.0 call functions that only they need. These functions do what that
 * release expects, and refuse the same misuse as the functions that replace them.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { readPrivileges, SQL_FOLDER } from '../../server/src/db/readSql.ts';
import { applyPrivileges } from '../../server/src/db/roles.ts';
import { openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { endId } from '../../server/src/payments/sends/finishPayment.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { TEMPLATE, urlAs } from '../support/database.ts';
import { hold } from '../support/ledger/moveMoney.ts';
import { createPerson, type Person } from '../support/payments.ts';

let database: TestDatabase;
let worker: Db;
let server: Db;
let alice: Person;
let bob: Person;
let wallet: string;
let chain: bigint;
let loss: bigint;

beforeAll(async () => {
  database = await openTestDatabase();
  const owner = new pg.Client({ connectionString: database.adminUrl });
  await owner.connect();
  await applyPrivileges(owner, TEMPLATE, await readPrivileges(SQL_FOLDER), true);
  await owner.end();
  alice = await createPerson(database.db, 'alice', '100');
  bob = await createPerson(database.db, 'bob', '1');
  [worker, server] = (['worker', 'server'] as const).map((login) =>
    openDatabase(urlAs(database.url, login), { maxConnections: 2 }),
  ) as [Db, Db];
  chain = await openHouseAccount(database.db, 1, 'chain');
  loss = await openHouseAccount(database.db, 1, 'loss');
  wallet = randomUUID();
  await database.admin.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address) VALUES ($1, 'user', $2, 'local', 'a', '0x' || repeat('a', 40))`,
    [wallet, alice.userId],
  );
});
afterAll(async () => {
  await worker.close();
  await server.close();
  await database.remove();
});

type Move = [id: string, kind: string, debit: bigint, credit: bigint, amount: bigint | null, hold: string | null];
async function move(...values: Move): Promise<string> {
  const sql = 'SELECT outcome FROM ledger_move($1, $2, $3, $4, $5, $6, NULL)';
  const [row] = await worker.query<{ outcome: string }>(sql, values);
  return row!.outcome;
}
async function storeDeposit(id: string, amount: bigint, logIndex: number): Promise<void> {
  await worker.query(
    `INSERT INTO deposits (asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash, log_index,
       transfer_id) VALUES (1, '0x1', $1, $2, '0xf', $3, 7, '0xb', $2, $4)`,
    [wallet, logIndex, amount, id],
  );
}

/** The payment of a hold, and its move. */
async function moveCoins(payment: string): Promise<void> {
  await database.admin.query(
    `INSERT INTO payments (payment_id, state, destination, wallet_id) VALUES ($1, 'INITIATED', '0xd', $2)`,
    [payment, wallet],
  );
  await worker.query(
    `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved)
     VALUES ($1, 1, $2, 'send', 'eip3009', '0xa', '0xd', 3, 0)`,
    [payment, wallet],
  );
}

it('its worker credits a stored deposit, posts a hold and books a loss, each once', async () => {
  const [deposit, payment] = [randomUUID(), randomUUID()];
  await storeDeposit(deposit, 5n, 0);
  expect(await move(deposit, 'deposit', chain, alice.accountId, 5n, null)).toBe('applied');
  expect(await move(deposit, 'deposit', chain, alice.accountId, 5n, null)).toBe('duplicate');

  const held = { debitAccount: alice.accountId, creditAccount: chain, amount: 3n as never };
  await database.db.tx((tx) => hold(tx, { transferId: payment, ...held }));
  const post = endId('post', payment);
  await expect(move(post, 'post', alice.accountId, chain, 3n, payment), 'no coins were moved').rejects.toThrow();
  await moveCoins(payment);
  expect(await move(post, 'post', alice.accountId, chain, 3n, payment)).toBe('applied');
  expect(await move(post, 'post', alice.accountId, chain, 3n, payment)).toBe('duplicate');

  await worker.query(`UPDATE deposits SET state = 'lost' WHERE transfer_id = $1`, [deposit]);
  const [{ id }] = (await database.admin.query<{ id: string }>('SELECT derived_id($1) AS id', [`loss:${deposit}`])) as [
    { id: string },
  ];
  expect(await move(id, 'internal', loss, chain, 5n, null)).toBe('applied');
  expect((await checkBooks(database.admin)).faults).toEqual([]);
});

it('its worker moves nothing else', async () => {
  const [deposit, payment, free] = [randomUUID(), randomUUID(), randomUUID()];
  await storeDeposit(deposit, 5n, 1);
  const held = { debitAccount: alice.accountId, creditAccount: chain, amount: 3n as never };
  await database.db.tx((tx) => hold(tx, { transferId: payment, ...held }));
  await moveCoins(payment);
  const post = endId('post', payment);
  const before = await database.admin.query('SELECT account_id, available, held FROM accounts ORDER BY 1');
  const WRONG: Move[] = [
    [free, 'internal', alice.accountId, bob.accountId, 5n, null],
    [free, 'internal', loss, bob.accountId, 5n, null],
    [free, 'internal', chain, bob.accountId, 5n, null],
    [free, 'deposit', chain, bob.accountId, 5n, null],
    [deposit, 'deposit', chain, bob.accountId, 5n, null],
    [deposit, 'deposit', chain, alice.accountId, 6n, null],
    [deposit, 'deposit', loss, alice.accountId, 5n, null],
    [deposit, 'deposit', chain, alice.accountId, null, null],
    [free, 'hold', alice.accountId, chain, 1n, null],
    [free, 'release', alice.accountId, chain, 3n, payment],
    [free, 'post', alice.accountId, chain, 3n, payment],
    [post, 'post', alice.accountId, chain, 2n, payment],
    [post, 'post', alice.accountId, chain, 3n, null],
  ];
  for (const one of WRONG) await expect(move(...one), one.join(' ')).rejects.toThrow(/are not valid/);
  // Accounts that the hold does not name.
  expect(await move(post, 'post', alice.accountId, bob.accountId, 3n, payment)).toBe('unknown_hold');
  expect(await database.admin.query('SELECT account_id, available, held FROM accounts ORDER BY 1')).toEqual(before);
});

it('its server accepts no send without a wallet or an amount', async () => {
  const accept = (walletId: string | null, amount: bigint | null) =>
    server.query(
      `SELECT * FROM accept_send($1, 1::smallint, $2, 'wallet', '0x' || repeat('d', 40), $3, 'submit ETH-SEPOLIA')`,
      [randomUUID(), walletId, amount],
    );
  for (const [walletId, amount] of [
    [null, 1n],
    [wallet, null],
    [wallet, 0n],
    [wallet, -1n],
  ] as const) {
    await expect(accept(walletId, amount)).rejects.toThrow(/are not valid/);
  }
  await accept(wallet, 1n);
});

it('its server gets an answer for a batch in which no account is known', async () => {
  const pay = `SELECT p.* FROM ledger_state s, ledger_pay_users(NULL, 1::smallint, s.names_epoch, '{}', '{}', '{}', '{}', '{}',
    $1, '{f}', '{0}', '{0}', '{1}', '{NULL}', '{nobody}', '{NULL}') p`;
  const [row] = await server.query<{ o_exceptions: object }>(pay, [[randomUUID()]]);
  expect(row!.o_exceptions).toMatchObject({ 1: { code: 'user.unknown' } });
});
