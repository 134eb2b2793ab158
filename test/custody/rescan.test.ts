/** Wallets whose past was not read: they are read again, by themselves or when an operator asks, and credited once. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../server/src/db/database.ts';
import { rescanWallet } from '../../server/src/payments/sends/rescanWallet.ts';
import { trackPayments } from '../../server/src/payments/sends/trackPayments.ts';
import { backUp } from '../support/chain/backUp.ts';
import { at, createMortal } from '../support/chain/crash.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asAdmin, urlAs } from '../support/database.ts';

let world: CustodyWorld;
beforeEach(async () => {
  world = await startCustody();
});
afterEach(() => world.stop());

async function track(): Promise<void> {
  while (await trackPayments(world, world.network));
}

async function readAvailable({ userId }: Holder): Promise<bigint | undefined> {
  const [row] = await world.db.query<{ available: bigint }>('SELECT available FROM accounts WHERE user_id = $1', [
    userId,
  ]);
  return row?.available;
}

const countRescans = async (): Promise<number> =>
  (await world.db.query<{ n: number }>('SELECT count(*)::int AS n FROM wallet_rescans'))[0]!.n;

describe('after a restored backup', () => {
  it('somebody who registers again has the coins that came in between, also when the worker dies over it', async () => {
    const { bob } = await world.fund({ bob: '100' });
    const goBack = await backUp(world);
    const first = await world.person('zoe', '30');
    await world.credit();
    expect(await readAvailable(first)).toBe(30_000_000n);
    await goBack();
    await world.mine(2);
    await track();

    const zoe = await world.person('zoe');
    expect(zoe.address).toBe(first.address);
    for (const words of ['SET next_block = $3', 'SELECT ledger_deposit', 'UPDATE wallet_rescans SET next_block']) {
      const mortal = createMortal(world, at('before', 'tx.query', words));
      await expect(trackPayments({ ...world, ...mortal }, world.network)).rejects.toThrow();
    }

    // Its nodes have forgotten old blocks: the watcher goes on, and tries again later.
    const pruned = { ...world.chain, listTokenLogs: () => Promise.reject(new Error('history has been pruned')) };
    await trackPayments(world, { ...world.network, chain: pruned });
    expect(await world.db.query('SELECT fault FROM wallet_rescans')).toEqual([{ fault: 'history has been pruned' }]);
    await track();
    expect(await readAvailable(zoe)).toBe(0n);
    await asAdmin(world.databaseUrl, 'UPDATE wallet_rescans SET retry_at = now()');
    await track();
    expect(await readAvailable(zoe)).toBe(30_000_000n);
    expect(await readAvailable(bob)).toBe(100_000_000n);
    expect(await countRescans()).toBe(0);
    expect(await world.faults()).toEqual([]);
  });
});

describe('coins that arrived before the watcher began', () => {
  it('are credited when a wallet is read again from an earlier block, once', async () => {
    const early = await world.person('early', '40');
    await world.mine(6);
    // Watching begins at the final block, after the coins.
    const { startBlock: _, ...settings } = world.network.settings;
    world.network = { ...world.network, settings };
    await track();
    expect(await readAvailable(early)).toBeUndefined();
    await world.turn('/faucet', { address: early.address, usdc: '2' });
    await world.mine(4);
    await track();
    expect(await readAvailable(early)).toBe(2_000_000n);

    expect(await rescanWallet(world, world.network, early.walletId, 0n)).toBe(true);
    expect(await readAvailable(early)).toBe(42_000_000n);
    expect(await world.faults()).toEqual([]);
    const id = await world.send({ amount: '42', walletUsername: 'early', destination: randomAddress() });
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');

    // Operators only ask; the worker does it.
    const operator = openDatabase(urlAs(world.databaseUrl, 'operator'));
    const asked = await operator.query('SELECT ask_rescan(network_id, $1, 0) AS asked FROM networks', [early.walletId]);
    expect(asked).toEqual([{ asked: true }]);
    await operator.close();
    await track();
    expect(await countRescans()).toBe(0);
    expect(await readAvailable(early)).toBe(0n);
    expect(await world.faults()).toEqual([]);
    expect(await world.db.query('SELECT scope FROM pauses')).toEqual([]);
  });
});
