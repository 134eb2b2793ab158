/** Which wallets are read again, and which cached balances are recent enough. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Chain, Hex } from '../../server/src/core/ports.ts';
import { openAssets } from '../../server/src/ledger/assets.ts';
import { refreshBalances } from '../../server/src/overview/refreshBalances.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { putRow } from '../support/guards/clauses/putRow.ts';

const TOKEN: Hex = `0x${'9'.repeat(40)}`;
/** By the block in which they were last read; the newest block then was 10, and 8 was final. */
const READ_AT: Readonly<Record<string, number | null>> = { never: null, old: 5, final: 8, young: 9, newest: 10 };
const names = Object.keys(READ_AT);
const addressOf = (name: string): Hex => `0x${String(names.indexOf(name) + 1).repeat(40)}`;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.remove());

/** The wallets that are read when the chain has reached this block. */
async function listRead(head: number, isReorged: boolean, pending?: string, touched?: string): Promise<string[]> {
  const { networkId, assetIds } = await openAssets(database.db, 'SOME-CHAIN', ['USDC']);
  await database.admin.tx(async (tx) => {
    await tx.query(`SET LOCAL session_replication_role = 'replica'`);
    for (const table of ['onchain_balances', 'chain_heads', 'wallets']) await tx.query(`DELETE FROM ${table}`);
    await putRow(tx, 'chain_heads', { network_id: networkId, block_number: 10, block_hash: 'h10', final_number: 8 });
    for (const [i, name] of names.entries()) {
      const id = `${i}0000000-0000-4000-8000-000000000000`;
      await putRow(tx, 'wallets', {
        ...{ wallet_id: id, kind: 'treasury', provider: 'local', reference: name, replaced_at: 'now' },
        address: addressOf(name),
      });
      const pendingIn = name === pending ? 1 : 0;
      const balance = { wallet_id: id, asset_id: assetIds[0], block_number: READ_AT[name], pending_in: pendingIn };
      if (READ_AT[name] !== null) await putRow(tx, 'onchain_balances', balance);
    }
  });
  const read: string[] = [];
  const block = (number: number) => ({
    number: BigInt(number),
    hash: number === 10 && isReorged ? 'another' : `h${number}`,
    timeSeconds: 1n,
  });
  const chain = {
    blockchain: 'SOME-CHAIN',
    tokens: [{ symbol: 'USDC', decimals: 6, contract: TOKEN }],
    getHead: async () => block(head),
    getFinalized: async () => block(Math.max(8, head - 2)),
    findBlock: async (number: bigint) => block(Number(number)),
    listTokenLogs: async () =>
      touched
        ? [
            {
              kind: 'transfer',
              token: TOKEN,
              from: addressOf(touched),
              to: TOKEN,
              amount: 1n,
              blockNumber: 11n,
              blockHash: 'h11',
              logIndex: 0,
              txHash: '0x1',
            },
          ]
        : [],
    readBalances: async (_: Hex, addresses: readonly Hex[]) => {
      read.push(...addresses);
      return addresses.map(() => 0n);
    },
  } as unknown as Chain;
  await refreshBalances({ db: database.db, chain });
  return names.filter((name) => read.includes(addressOf(name)));
}

it.each<[name: string, asked: Parameters<typeof listRead>, read: string[]]>([
  ['after a block', [11, false], ['never']],
  ['after no block', [10, false], ['never']],
  ['with something pending', [11, false, 'old'], ['never', 'old']],
  ['that occur in a log', [11, false, undefined, 'final'], ['never', 'final']],
  ['after a reorg', [11, true], ['never', 'young', 'newest']],
  ['after a reorg to the same height', [10, true], ['never', 'young', 'newest']],
  ['after a long absence', [6_000, false], names],
])('%s', async (_, asked, read) => {
  expect(await listRead(...asked)).toEqual(read);
});
