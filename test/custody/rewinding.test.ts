/** What a replaced block takes back: in every table, what lies after the last block that the chain still has. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Network } from '../../server/src/custody/network.ts';
import type { CustodyApp } from '../../server/src/custody/rail.ts';
import { rewindChain } from '../../server/src/custody/watch/rewindChain.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { MOVE, WALLET } from '../support/guards/clauses/ids.ts';
import { openBare } from '../support/guards/clauses/openBare.ts';
import { putRow, type Values } from '../support/guards/clauses/putRow.ts';

/** The newest block that both chains share. */
const ANCESTOR = 50;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.remove());

const bare = openBare(() => database);

const move = { move_id: MOVE, asset_id: 9, wallet_id: WALLET, rail: 'eip3009', amount: 5, reserved: 0, state: 'done' };

/** Rows that were counted in a block, and what remains of them with and without a rewind. */
const COUNTED: Readonly<Record<string, { row: Values; read: string; kept: string; gone: string; coins: number }>> = {
  coin_moves: {
    row: { ...move, purpose: 'send', tx_hash: '0x1' },
    read: `SELECT state || ' ' || coalesce(tx_hash, 'nowhere') AS said FROM coin_moves`,
    kept: 'done 0x1',
    gone: 'open nowhere',
    coins: 5,
  },
  deposits: {
    row: { asset_id: 9, wallet_id: WALLET, amount: 5, state: 'credited' },
    read: 'SELECT state AS said FROM deposits',
    kept: 'credited',
    gone: 'gone',
    coins: -5,
  },
  unexplained_moves: {
    row: { asset_id: 9, wallet_id: WALLET, amount: 5, log_index: 3 },
    read: 'SELECT count(*)::text AS said FROM unexplained_moves',
    kept: '1',
    gone: '0',
    coins: 5,
  },
  held_logs: {
    row: { asset_id: 9, from_wallet: WALLET, amount: 5 },
    read: 'SELECT count(*)::text AS said FROM held_logs',
    kept: '1',
    gone: '0',
    coins: 0,
  },
};

async function rewind(table: string, block: number): Promise<{ said: string; coins: number; cursor: number }> {
  const hash = (number: number) => `h${number}`;
  await bare.tx(async (tx) => {
    const tables = [...Object.keys(COUNTED), 'holdings', 'chain_blocks', 'chain_cursors', 'pauses'];
    for (const one of tables) await tx.query(`DELETE FROM ${one}`);
    await putRow(tx, 'holdings', { asset_id: 9, wallet_id: WALLET, coins: 100 });
    await putRow(tx, 'chain_cursors', { network_id: 9, block_number: 60, block_hash: hash(60) });
    for (const number of [40, ANCESTOR, 55, 60])
      await putRow(tx, 'chain_blocks', { network_id: 9, block_number: number, block_hash: hash(number) });
    await putRow(tx, table, { ...COUNTED[table]!.row, block_number: block });
  });
  const chain = {
    blockchain: 'SOME-CHAIN',
    findBlock: async (number: bigint) => ({
      ...{ number, timeSeconds: 1n },
      hash: number > ANCESTOR ? 'replaced' : hash(Number(number)),
    }),
  };
  const network = { networkId: 9, chain, assets: [{ assetId: 9 }] } as unknown as Network;
  await rewindChain({ db: bare, rails: {} } as unknown as CustodyApp, network);
  const [[row], [holding], [cursor]] = await Promise.all([
    database.admin.query<{ said: string }>(COUNTED[table]!.read),
    database.admin.query<{ coins: bigint }>('SELECT coins FROM holdings'),
    database.admin.query<{ block_number: bigint }>('SELECT block_number FROM chain_cursors'),
  ]);
  return { said: row!.said, coins: Number(holding!.coins), cursor: Number(cursor!.block_number) };
}

describe.each(Object.entries(COUNTED))('%s', (table, { kept, gone, coins }) => {
  it.each([
    ['long before', 10, false],
    ['in the last block that both have', ANCESTOR, false],
    ['in the first block after it', ANCESTOR + 1, true],
    ['in the last block that was read', 60, true],
  ])('%s', async (_, block, isGone) => {
    expect(await rewind(table, block)).toEqual({
      said: isGone ? gone : kept,
      coins: isGone ? 100 + coins : 100,
      cursor: ANCESTOR,
    });
  });
});
