/** A second token on the same network: another asset, one cursor, the same relayers, side by side with USDC. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Operator, operateToken } from '../../sandbox/src/chain/operateToken.ts';
import { parseUsdc, type Usdc } from '../../server/src/core/money.ts';
import type { Hex } from '../../server/src/core/ports.ts';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { type NetworkAsset, openNetwork } from '../../server/src/custody/network.ts';
import { openOverview } from '../../server/src/overview/openOverview.ts';
import { refreshBalances } from '../../server/src/overview/refreshBalances.ts';
import { submitJob } from '../../server/src/payments/sends/sendCommand.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asAdmin, TEMPLATE } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { transfer } from '../support/ledger/moveMoney.ts';
import { openUserAccount } from '../support/ledger/openUserAccount.ts';
import { HOME } from '../support/values.ts';

const EURC = { symbol: 'EURC', decimals: 6, contract: '0x08210F9170F89Ab7658F0B5E3fF39b0E03C594D4' } as const;

let world: CustodyWorld;
let eurc: NetworkAsset;
let euros: Operator;
let alice: Holder;
let bob: Holder;
let treasury: Holder;
beforeAll(async () => {
  world = await startCustody({}, { moreTokens: [EURC] });
  // Granted only in databases that the previous release migrated.
  await asAdmin(world.databaseUrl, `GRANT EXECUTE ON FUNCTION accept_send TO ${TEMPLATE}_server`);
  eurc = world.network.assets[1]!;
  euros = operateToken({ ...world.local, place: { ...world.local.place, usdc: EURC.contract } });
  alice = await world.person('alice', '10');
  bob = await world.person('bob');
  treasury = await world.treasury('10');
  await euros.mint(alice.address, parseUsdc('7'));
  await euros.mint(treasury.address, parseUsdc('20'));
  await world.mine(4);
  await world.work();
});
afterAll(() => world.stop());

/** What a person is owed of both, in millionths. */
async function owed({ userId }: Holder): Promise<bigint[]> {
  const rows = await world.db.query<{ asset_id: number; available: bigint }>(
    'SELECT asset_id, available FROM accounts WHERE user_id = $1',
    [userId],
  );
  return [world.usdc, eurc].map(({ assetId }) => rows.find((row) => row.asset_id === assetId)?.available ?? 0n);
}

const balances = async (address: Hex) => {
  const head = await world.chain.getHead();
  const read = ({ contract }: NetworkAsset) => world.chain.readBalances(contract, [address], head);
  return (await Promise.all([world.usdc, eurc].map(read))).flat();
};

/** No interface offers it yet, so the test calls the function that accepts every send. */
async function sendEuros(amount: string, destination: Hex, from: Holder = treasury): Promise<string> {
  const id = randomUUID();
  const [row] = await world.db.query<{ outcome: string }>(
    `SELECT outcome FROM accept_send($1, $2, $3, 'wallet', $4, $5, $6)`,
    [id, eurc.assetId, from.walletId, destination, parseUsdc(amount), submitJob(HOME)],
  );
  expect(row!.outcome).toBe('applied');
  return id;
}
const states = (...ids: string[]) => Promise.all(ids.map(async (id) => (await world.get(id)).state));

describe('a second token', () => {
  it('is watched by the same cursor, and its deposits are credited in their own asset', async () => {
    expect([await owed(alice), await owed(bob)]).toEqual([
      [10_000_000n, 7_000_000n],
      [0n, 0n],
    ]);
    const [counts] = await world.db.query(
      `SELECT (SELECT count(*)::int FROM chain_cursors) AS cursors, (SELECT count(*)::int FROM relayers) AS relayers,
              (SELECT count(*)::int FROM assets) AS assets, (SELECT count(*)::int FROM networks) AS networks`,
    );
    expect(counts).toEqual({ cursors: 1, relayers: 1, assets: 2, networks: 1 });
    expect(await world.faults()).toEqual([]);
  });

  it('shares a chain transaction with USDC, also to the same wallet of ours', async () => {
    const destination = randomAddress();
    const ids = [
      await world.send({ amount: '1', destination }),
      await sendEuros('2', destination),
      await world.send({ amount: '3', destination: bob.address }),
      await sendEuros('4', bob.address),
    ];
    await world.settleDown();
    expect(await states(...ids)).toEqual(ids.map(() => 'COMPLETE'));
    expect(new Set(await Promise.all(ids.map(async (id) => (await world.get(id)).txHash))).size).toBe(1);
    expect(await balances(destination)).toEqual([1_000_000n, 2_000_000n]);
    expect(await owed(bob)).toEqual([3_000_000n, 4_000_000n]);
    expect(await world.faults()).toEqual([]);
  });

  it('has a blacklist of its own', async () => {
    const destination = randomAddress();
    await euros.setBlacklisted(destination, true);
    await world.mine();
    const ids = [await world.send({ amount: '1', destination }), await sendEuros('1', destination)];
    await world.settleDown();
    expect(await states(...ids)).toEqual(['COMPLETE', 'DENIED']);
    expect(await world.faults()).toEqual([]);
  });

  it('is settled and reconciled separately', async () => {
    const accounts = await Promise.all(
      [alice, bob].map(({ userId }) => openUserAccount(world.db, eurc.assetId, userId!)),
    );
    const [debitAccount, creditAccount] = accounts as [bigint, bigint];
    const paid = { transferId: randomUUID(), debitAccount, creditAccount, amount: 5_000_000n as Usdc };
    await world.db.tx((tx) => transfer(tx, 'internal', paid));
    expect(await settleWallets(world, world.network, world.usdc)).toEqual({ transfers: 0, amount: 0n });
    expect(await settleWallets(world, world.network, eurc)).toEqual({ transfers: 1, amount: 5_000_000n });
    await world.settleDown();
    expect(await balances(bob.address)).toEqual([3_000_000n, 9_000_000n]);
    for (const asset of world.network.assets) {
      const result = (await reconcile(world, world.network, asset))!;
      expect([result.symbol, result.difference]).toEqual([asset.symbol, 0n]);
      for (const wallet of result.wallets) expect([wallet.coins, wallet.difference]).toEqual([wallet.ledger, 0n]);
    }
    expect(await world.faults()).toEqual([]);
  });

  it('has a balance of its own in the overview', async () => {
    await refreshBalances({ db: world.db, chain: world.chain });
    const overviews = openOverview({ databaseUrl: world.databaseUrl, chains: [world.chain], currency: 'USDC' });
    const shown = async (address: Hex) =>
      (await overviews.read(address)).balances.map((one) => [one.blockchain, one.symbol, one.available, one.onchain]);
    expect(await shown(bob.address)).toEqual([
      [HOME, 'USDC', '3000000', '3000000'],
      [HOME, 'EURC', '9000000', '9000000'],
    ]);
    const stranger = randomAddress();
    await euros.mint(stranger, parseUsdc('6'));
    await world.mine();
    // The chain is asked for a second at most.
    await eventually(async () =>
      expect(await shown(stranger)).toEqual([
        [HOME, 'USDC', '0', '0'],
        [HOME, 'EURC', '0', '6000000'],
      ]),
    );
    await overviews.close();
  });
});

describe('a database', () => {
  it('refuses a chain or a contract other than the one it has recorded', async () => {
    const chain = (change: object) => ({ ...world.chain, ...change });
    await expect(openNetwork(world.db, chain({ chainId: 1 }))).rejects.toThrow(
      'ETH-SEPOLIA is chain 31337 in this database, not 1',
    );
    const tokens = [{ symbol: 'USDC', decimals: 6, contract: EURC.contract }];
    await expect(openNetwork(world.db, chain({ tokens }))).rejects.toThrow(
      `the USDC of ETH-SEPOLIA is ${world.usdc.contract} in this database, not ${EURC.contract}`,
    );
    const again = await openNetwork(world.db, world.chain);
    expect(again.assets).toEqual(world.network.assets);
  });

  it('has one asset per contract', async () => {
    const twin = [world.network.networkId, 'TWIN', EURC.contract.toLowerCase()];
    const insert = 'INSERT INTO assets (network_id, symbol, contract) VALUES ($1, $2, $3)';
    await expect(asAdmin(world.databaseUrl, insert, twin)).rejects.toThrow(/assets_contract/);
  });
});
