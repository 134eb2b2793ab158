/**
 * What a provider reports, and what the chain shows of it: every report after every other, every field of a transfer
 * alone.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Chain, Hex, TokenLog } from '../../server/src/core/ports.ts';
import type { ProviderTransfer } from '../../server/src/core/providerSays.ts';
import type { ProviderSender, Sender, SentTransfer } from '../../server/src/core/providers.ts';
import type { Network, NetworkAsset } from '../../server/src/custody/network.ts';
import { findDead } from '../../server/src/custody/provider/findDead.ts';
import { identify } from '../../server/src/custody/provider/identify.ts';
import { recordProviderState } from '../../server/src/custody/provider/transfers.ts';
import type { CustodyApp } from '../../server/src/custody/rail.ts';
import { placeOf } from '../../server/src/custody/rail.ts';
import { authorizeMoves } from '../../server/src/custody/signing/authorizeMoves.ts';
import { openTransfers } from '../../server/src/custody/signing/sendMoves.ts';
import type { SigningApp } from '../../server/src/custody/signing/signingApp.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { MOVE, WALLET } from '../support/guards/clauses/ids.ts';
import { putRow, type Values } from '../support/guards/clauses/putRow.ts';

const PROVIDER = 'prov';
const [FROM, TO, OTHER] = ['aB', 'cD', 'eF'].map((pair) => `0x${pair.repeat(20)}` as Hex) as [Hex, Hex, Hex];
const HASH: Hex = `0x${'a'.repeat(64)}`;
const asset = { assetId: 9 } as NetworkAsset;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.remove());

/** A requested transfer with these differences; the previous one is deleted. */
async function handOver(transfer: Values = {}, move: Values = {}): Promise<void> {
  const rows: Readonly<Record<string, Values>> = {
    networks: { network_id: 9, blockchain: 'SOME-CHAIN' },
    assets: { asset_id: 9, network_id: 9, symbol: 'USDC', contract: TO },
    wallets: { wallet_id: WALLET, kind: 'treasury', provider: PROVIDER, address: FROM },
    coin_moves: {
      ...{ move_id: MOVE, asset_id: 9, wallet_id: WALLET, purpose: 'send', rail: 'provider', reserved: 0 },
      ...{ from_address: FROM, to_address: TO, amount: 5, started_at: 'now', ...move },
    },
    provider_transfers: { move_id: MOVE, provider: PROVIDER, provider_id: 'p1', attempts: 1, ...transfer },
    chain_cursors: { network_id: 9, block_number: 100 },
  };
  await database.admin.tx(async (tx) => {
    await tx.query(`SET LOCAL session_replication_role = 'replica'`);
    for (const table of Object.keys(rows)) await tx.query(`DELETE FROM ${table}`);
    for (const [table, values] of Object.entries(rows)) await putRow(tx, table, values);
  });
}

const openNetwork = (chain: Partial<Chain> = {}): Network =>
  ({
    networkId: 9,
    assets: [asset],
    chain: { getHead: async () => ({ number: 120n }), ...chain },
  }) as unknown as Network;
const openApp = (find?: () => unknown): CustodyApp =>
  ({ db: database.db, signer: { transfers: { find: async () => find?.() } } }) as unknown as CustodyApp;

/** Later states of a transfer are further to the right. */
const STATES = ['new', 'submitted', 'sent', 'failed', 'cancelled', 'done'] as const;
const isEnd = (state: string) => state === 'failed' || state === 'cancelled';

describe('a report from the provider', () => {
  const pairs = STATES.flatMap((before) => STATES.slice(1).map((now) => ({ before, now })));

  it.each(pairs)('"$now" after "$before" counts unless it is older', async ({ before, now }) => {
    await handOver({ provider_state: before, ended_head: isEnd(before) ? 1 : null });
    const said = { providerId: 'p1', state: now, txHash: undefined, error: undefined } as ProviderTransfer;
    await recordProviderState(openApp(), openNetwork(), MOVE, said);
    const [row] = await database.db.query<{ state: string }>('SELECT provider_state AS state FROM provider_transfers');
    expect(row!.state).toBe(STATES[Math.max(STATES.indexOf(before), STATES.indexOf(now))]);
  });
});

describe('a transfer on the chain', () => {
  const log = { kind: 'transfer', blockNumber: 101n, blockHash: HASH, logIndex: 0, txHash: HASH } as const;
  const read = async (changes: Partial<Record<'from' | 'to' | 'amount' | 'txHash', unknown>>) => {
    const one = { ...log, token: TO, from: FROM, to: TO, amount: 5n, ...changes } as unknown as TokenLog;
    const { yes, maybe } = await identify(database.db, asset, [one], [PROVIDER]);
    return yes.has(placeOf(one)) ? 'yes' : maybe.has(placeOf(one)) ? 'maybe' : 'no';
  };

  it.each<[name: string, changes: Parameters<typeof read>[0], said: string, named: string, ended: string]>([
    // Before the provider has named a chain transaction; after it has; after it has reported a failure.
    ['as requested', {}, 'maybe', 'yes', 'yes'],
    ['in another letter case', { to: TO.toUpperCase().replace('X', 'x') }, 'maybe', 'yes', 'yes'],
    ['in another chain transaction', { txHash: `0x${'b'.repeat(64)}` }, 'maybe', 'maybe', 'yes'],
    ['to another address', { to: OTHER }, 'no', 'no', 'no'],
    ['from another wallet', { from: OTHER }, 'no', 'no', 'no'],
    ['of more', { amount: 6n }, 'no', 'no', 'no'],
    ['of less', { amount: 4n }, 'no', 'no', 'no'],
  ])('%s', async (_, changes, unnamed, named, ended) => {
    const said: string[] = [];
    for (const transfer of [{}, { tx_hash: HASH }, { provider_state: 'failed', ended_head: 1 }]) {
      await handOver(transfer);
      said.push(await read(changes));
    }
    expect(said).toEqual([unnamed, named, ended]);
    await handOver({ tx_hash: HASH }, { state: 'done' });
    expect(await read(changes)).toBe('no');
  });
});

describe('a transfer that the provider gave up', () => {
  const failed = { provider_state: 'failed', ended_head: 100 };
  const stands = { outcome: 'accepted', providerId: 'p1', state: 'failed', txHash: undefined };
  const mined = (blockNumber: bigint): Partial<Chain> => ({ findReceipt: async () => ({ blockNumber }) as never });
  const gone: Partial<Chain> = { findReceipt: async () => undefined, findChainTx: async () => undefined };

  it.each<[name: string, transfer: Values, chain: Partial<Chain>, answer: unknown, isDead: boolean]>([
    ['ends when final blocks do not have it', failed, {}, stands, true],
    ['waits for the blocks of that moment', { ...failed, ended_head: 101 }, {}, stands, false],
    ['waits for an answer', failed, {}, { outcome: 'unknown' }, false],
    ['continues when the provider retracts its report', failed, {}, { ...stands, state: 'sent' }, false],
    ['continues when the provider names a chain transaction', failed, {}, { ...stands, txHash: HASH }, false],
    ['ends when the provider has forgotten it', failed, {}, { outcome: 'rejected' }, true],
    [
      'ends when its chain transaction failed in a final block',
      { ...failed, tx_hash: HASH },
      mined(100n),
      stands,
      true,
    ],
    [
      'waits while the block of its chain transaction is not final',
      { ...failed, tx_hash: HASH },
      mined(101n),
      stands,
      false,
    ],
    ['ends when no pool has its chain transaction', { ...failed, tx_hash: HASH }, gone, stands, true],
    [
      'waits while a pool has its chain transaction',
      { ...failed, tx_hash: HASH },
      { ...gone, findChainTx: async () => ({}) as never },
      stands,
      false,
    ],
    [
      'ends when it was cancelled',
      { ...failed, provider_state: 'cancelled' },
      {},
      { ...stands, state: 'cancelled' },
      true,
    ],
    ['was not sent', { provider_state: 'sent' }, {}, stands, false],
  ])('%s', async (_, transfer, chain, answer, isDead) => {
    await handOver(transfer);
    const dead = await findDead(
      openApp(() => answer),
      openNetwork(chain),
    );
    expect(dead.map(({ moveId }) => moveId)).toEqual(isDead ? [MOVE] : []);
  });
});

describe('a wish that is repeated', () => {
  /** The keys under which the provider was asked. */
  async function ask(...wishes: ((transfers: Sender<string>) => Promise<unknown>)[]): Promise<string[]> {
    const keys: string[] = [];
    const note = (name: 'cancelKey' | 'accelerateKey') => async (sent: SentTransfer) => {
      keys.push(sent[name]);
      return { outcome: 'accepted' } as const;
    };
    const sender = { accelerate: note('accelerateKey'), cancel: note('cancelKey') } as unknown as ProviderSender;
    const app = { db: database.db, senders: { [PROVIDER]: sender } } as unknown as SigningApp;
    const posts = { [PROVIDER]: { take: async () => true } } as never;
    for (const wish of wishes) await wish(openTransfers(app, posts));
    return keys;
  }
  const faster = (times: number) => async (transfers: Sender<string>) => {
    await database.admin.query('UPDATE provider_transfers SET accelerations = $1', [times]);
    await transfers.accelerate(MOVE);
  };
  const stop = (transfers: Sender<string>) => transfers.cancel(MOVE);

  it('has the same key, and the next request another one', async () => {
    await handOver({}, { cancel_wanted_at: 'now' });
    const [first, again, second, cancelled, cancelledAgain] = await ask(faster(1), faster(1), faster(2), stop, stop);
    expect([again, cancelledAgain]).toEqual([first, cancelled]);
    expect(new Set([first, second, cancelled]).size).toBe(3);
    await handOver({ cancel_refusals: 1 }, { cancel_wanted_at: 'now' });
    expect(await ask(stop)).not.toEqual([cancelled]);
    await handOver({ cancel_refusals: 1 });
    expect(await ask(stop)).toEqual([]);
  });
});

describe('a signature', () => {
  const NOW = Math.floor(Date.now() / 1000);

  it.each([
    ['for an hour', NOW + 3_600, /nothing is committed/],
    ['for two hours', NOW + 7_100, /nothing is committed/],
    ['for longer', NOW + 7_200 + 3_600, /long/],
    ['for a year', NOW + 31_536_000, /long/],
    ['until a time in milliseconds', NOW * 1_000, /long/],
  ])('that is wanted %s', async (_, until, says) => {
    const app = { db: database.db } as unknown as SigningApp;
    const [refused] = await authorizeMoves(app, {}, [MOVE.replaceAll('d', '7')], BigInt(until));
    expect(refused!.reason).toMatch(says);
  });
});
