/** When one of our chain transactions counts as done, and when as lost: each condition alone. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Chain } from '../../server/src/core/ports.ts';
import { endRelayTx } from '../../server/src/custody/eip3009/endRelayTx.ts';
import { loseRelayTx } from '../../server/src/custody/eip3009/relaying/passForeignNonces.ts';
import type { PolledRelayer } from '../../server/src/custody/eip3009/relaying/pollChain.ts';
import type { WaitingRelayTx } from '../../server/src/custody/eip3009/relayTxs.ts';
import type { Network } from '../../server/src/custody/network.ts';
import type { CustodyApp } from '../../server/src/custody/rail.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { ID, MOVE, WALLET } from '../support/guards/clauses/ids.ts';
import { openBare } from '../support/guards/clauses/openBare.ts';
import { putRow } from '../support/guards/clauses/putRow.ts';

let database: TestDatabase;
const db = openBare(() => database);
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.remove());

const CURSOR = 100n;
const NONCE = 7n;

beforeEach(() =>
  db.tx(async (tx) => {
    const tables = ['carrier_calls', 'authorizations', 'coin_moves', 'carriers', 'relayers', 'chain_cursors'];
    for (const table of tables) await tx.query(`DELETE FROM ${table}`);
    const move = { move_id: MOVE, asset_id: 9, wallet_id: WALLET, purpose: 'send', rail: 'eip3009', reserved: 0 };
    await putRow(tx, 'relayers', { relayer_id: 1, network_id: 9 });
    await putRow(tx, 'carriers', { carrier_id: ID, relayer_id: 1, nonce: NONCE, previous_nonce: NONCE - 1n });
    await putRow(tx, 'coin_moves', move);
    await putRow(tx, 'authorizations', { move_id: MOVE, nonce: Buffer.alloc(32), carried: true });
    await putRow(tx, 'carrier_calls', { carrier_id: ID, move_id: MOVE });
    await putRow(tx, 'chain_cursors', { network_id: 9, block_number: CURSOR });
  }),
);

const openNetwork = (chain: object): Network =>
  ({
    ...{ networkId: 9, assets: [{ assetId: 9 }], settings: { missingAfterMs: 1_000 } },
    chain: {
      ...{ blockchain: 'SOME-CHAIN', getFinalized: async () => ({ number: CURSOR }) },
      readRefusals: async () => ({ isPaused: false, blacklisted: [false, false] }),
      ...chain,
    },
  }) as unknown as Network;
const app = () => ({ db }) as unknown as CustodyApp;
const readState = async () => {
  const [relayTx] = await db.query<{ state: string; missing: boolean; failures: number }>(
    `SELECT state, missing_since IS NOT NULL AS missing, (SELECT failures FROM authorizations) AS failures FROM carriers`,
  );
  return `${relayTx!.state}${relayTx!.missing ? ' missing' : ''} ${relayTx!.failures}`;
};

describe('a mined chain transaction', () => {
  const receipt = (blockNumber: bigint) => ({ blockNumber, blockHash: 'h', hash: '0x1', gasUsed: 1n });
  const mined = (blockNumber: bigint, hash = 'h'): Partial<Chain> =>
    ({ findReceipt: async () => receipt(blockNumber), findBlock: async () => ({ hash }) }) as never;

  it.each<[name: string, chain: Partial<Chain>, isDone: boolean, state: string]>([
    ['in a block that was read', mined(CURSOR - 1n), true, 'final 1'],
    ['in the last block that was read', mined(CURSOR), true, 'final 1'],
    ['in a block that was not read yet', mined(CURSOR + 1n), false, 'pending 0'],
    ['in a block that the chain no longer has', mined(CURSOR, 'another'), false, 'pending 0'],
    ['without a receipt', { ...mined(CURSOR), findReceipt: async () => undefined }, false, 'pending 0'],
  ])('%s', async (_, chain, isDone, state) => {
    expect(await endRelayTx(app(), openNetwork(chain), { relayTxId: ID, hash: '0x1' })).toBe(isDone);
    expect(await readState()).toBe(state);
  });
});

describe('a chain transaction that is not found', () => {
  const lose = async (missingMs: number | undefined, usedNonces: bigint, isFound = false) => {
    const chain = {
      getNonce: async () => Number(usedNonces),
      findReceipt: async () => (isFound ? { blockNumber: 1n } : undefined),
    };
    const relayTx = { relayTxId: ID, relayerId: 1, nonce: NONCE, missingMs, attempts: [{ hash: '0x1' }] };
    const relayer = { relayerId: 1, address: '0x1', nextNonce: NONCE + 1n } as unknown as PolledRelayer;
    await loseRelayTx(app(), openNetwork(chain), relayer, relayTx as unknown as WaitingRelayTx);
    return (await readState()).replace(/ 0$/, '');
  };

  it.each<[name: string, asked: Parameters<typeof lose>, state: string]>([
    ['is recorded at first', [undefined, NONCE + 1n], 'pending missing'],
    ['is waited for', [999, NONCE + 1n], 'pending'],
    ['is lost when another transaction has its nonce in a final block', [1_000, NONCE + 1n], 'foreign'],
    ['is lost when later nonces are used as well', [1_000, NONCE + 5n], 'foreign'],
    ['is not lost while its nonce is not used in a final block', [1_000, NONCE], 'pending'],
    ['is not lost while an earlier nonce is not used', [1_000, NONCE - 1n], 'pending'],
    ['is not lost when it is found later', [1_000, NONCE + 1n, true], 'pending'],
  ])('%s', async (_, asked, state) => {
    expect(await lose(...asked)).toBe(state);
  });
});
