/** Commands that exit with code 1 while something is open: scripts and alarms rely on it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { ID, MOVE, OTHER, WALLET } from '../support/guards/clauses/ids.ts';
import { putRow, type Values } from '../support/guards/clauses/putRow.ts';
import { isBad } from '../support/operate.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.remove());

type Rows = Readonly<Record<string, Values>>;

const setUp = async (work: (put: (table: string, values: Values) => Promise<void>) => Promise<void>) =>
  database.admin.tx(async (tx) => {
    await tx.query(`SET LOCAL session_replication_role = 'replica'`);
    await work((table, values) => putRow(tx, table, values));
  });

const wallet = (id: string, digit: string) => ({
  ...{ wallet_id: id, kind: 'treasury', provider: 'local', reference: digit, replaced_at: 'now' },
  address: `0x${digit.repeat(40)}`,
});
const world: Rows = {
  networks: { network_id: 9, blockchain: 'SOME-CHAIN' },
  assets: { asset_id: 9, network_id: 9, contract: `0x${'9'.repeat(40)}` },
  wallets: wallet(WALLET, '1'),
  'wallets 2': wallet(OTHER, '2'),
};
/** Between two wallets of ours: only a person knows what it was. */
const between = { ...{ asset_id: 9, wallet_id: WALLET, to_wallet: OTHER, ordinal: 0 }, deposit_id: ID, amount: 5 };
const open: Readonly<Record<string, Rows>> = {
  'an unexplained move': { unexplained_moves: between },
  'two unexplained moves': {
    unexplained_moves: between,
    'unexplained_moves 2': { ...between, log_index: 2, deposit_id: MOVE },
  },
  'a debt': {
    accounts: { account_id: 9001, asset_id: 9, kind: 'treasury', tier: 0 },
    debts: { account_id: 9001, amount: 5, collected: 4 },
  },
  'a debt that is collected': {
    accounts: { account_id: 9001, asset_id: 9, kind: 'treasury', tier: 0 },
    debts: { account_id: 9001, amount: 5, collected: 5 },
  },
  'a correction that waits': { corrections: { asset_id: 9, amount: 5 } },
  'a transfer that is held': {
    coin_moves: { move_id: MOVE, asset_id: 9, wallet_id: WALLET, purpose: 'send', rail: 'provider', reserved: 0 },
    provider_transfers: { move_id: MOVE, attempts: 1, first_asked_at: 'now', held_at: 'now' },
  },
};

/** By command: what makes it exit with 1. Nothing else in `open` does. */
const commands: Readonly<Record<string, readonly string[]>> = {
  'books check': ['an unexplained move', 'two unexplained moves', 'a debt', 'a correction that waits'],
  'payment import': ['an unexplained move', 'two unexplained moves'],
  'transfer held': ['a transfer that is held'],
};

afterEach(() =>
  database.admin.tx(async (tx) => {
    await tx.query(`SET LOCAL session_replication_role = 'replica'`);
    const tables = Object.keys(Object.assign({}, world, ...Object.values(open))).map((label) => label.split(' ')[0]!);
    for (const table of new Set(tables)) await tx.query(`DELETE FROM ${table}`);
  }),
);

describe.each(Object.entries(commands))('florin %s', (command, bad) => {
  it('exits with 0 when nothing is open', async () => {
    expect(await isBad(database.db, ...command.split(' '))).toBe(false);
  });

  it.each(Object.entries(open))('with %s', async (name, rows) => {
    await setUp(async (put) => {
      for (const [label, values] of Object.entries({ ...world, ...rows })) await put(label.split(' ')[0]!, values);
    });
    expect(await isBad(database.db, ...command.split(' '))).toBe(bad.includes(name));
  });
});
