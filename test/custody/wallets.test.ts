/** Which wallet holds whose coins, and what happens to a replaced wallet. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';

let world: CustodyWorld;
let alice: Holder;
beforeAll(async () => {
  world = await startCustody();
  alice = await world.person('alice', '10');
  await world.person('bob', '10');
  await world.treasury('10');
  await world.mine(4);
  await world.work();
});
afterAll(() => world.stop());

interface NewWallet {
  readonly kind?: string;
  readonly userId?: string | null;
  readonly provider?: string;
  readonly family?: string;
  readonly address?: string;
}

/** Directly to the table: its checks apply to every writer. */
async function insert(wallet: NewWallet): Promise<string> {
  const walletId = randomUUID();
  await world.db.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, family, reference, address)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      walletId,
      wallet.kind ?? 'user',
      wallet.userId === undefined ? alice.userId : wallet.userId,
      wallet.provider ?? 'local',
      wallet.family ?? 'evm',
      randomUUID(),
      wallet.address ?? randomAddress(),
    ],
  );
  return walletId;
}

describe('a wallet', () => {
  it.each([
    ['a second current wallet of an owner', {}, /wallets_one_current/],
    ['a second current wallet of the treasury', { kind: 'treasury', userId: null }, /wallets_one_treasury/],
    ['a wallet without an owner', { userId: null }, /wallets_check/],
    ['an invalid provider name', { provider: 'Two Words' }, /wallets_provider_check/],
    ['an unknown family', { family: 'doge' }, /wallets_family_check/],
    ['an address of another family', { provider: 'other', address: 'somewhere' }, /wallets_address_of_family/],
  ])('is refused by PostgreSQL: %s', async (_, wallet, message) => {
    await expect(insert(wallet)).rejects.toThrow(message);
  });

  it('has an address that no other of its family has, in any case', async () => {
    const address = alice.address.toUpperCase().replace('0X', '0x');
    await expect(insert({ provider: 'other', address })).rejects.toThrow(/wallets_evm_address/);
  });

  it.each([
    ['forgotten', 'DELETE FROM wallets WHERE wallet_id = $1'],
    ['given to another owner', `UPDATE wallets SET kind = 'treasury', user_id = NULL WHERE wallet_id = $1`],
    ['moved', `UPDATE wallets SET address = '0x0000000000000000000000000000000000000001' WHERE wallet_id = $1`],
  ])('is never %s', async (_, statement) => {
    await expect(asAdmin(world.databaseUrl, statement, [alice.walletId])).rejects.toThrow(/append-only/);
  });

  it('of another provider or family may exist beside it, and holds none of the coins of this network', async () => {
    await insert({ provider: 'other' });
    await insert({ family: 'solana', address: 'SoAddress11111111111111111111111111111111' });
    const rows = await world.db.query('SELECT wallet_id FROM owner_wallets WHERE user_id = $1', [alice.userId]);
    expect(rows).toEqual([{ wallet_id: alice.walletId }]);
    await world.work();
    expect(await world.faults()).toEqual([]);
  });
});

describe('a replaced wallet', () => {
  it('still receives for its owner, and settlement moves its coins to the current one', async () => {
    const next = await world.wallets.create({ kind: 'user', issuer: 'test', subject: 'alice, the second' });
    const walletId = randomUUID();
    // No process replaces wallets yet.
    await asAdmin(world.databaseUrl, 'UPDATE wallets SET replaced_at = now() WHERE wallet_id = $1', [alice.walletId]);
    await world.db.query(
      `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
       VALUES ($1, 'user', $2, 'local', $3, $4)`,
      [walletId, alice.userId, next.reference, next.address],
    );
    await world.turn('/faucet', { address: alice.address, usdc: '5' });
    await world.mine(4);
    await world.work();
    const [account] = await world.db.query<{ available: bigint }>('SELECT available FROM accounts WHERE user_id = $1', [
      alice.userId,
    ]);
    expect(account!.available).toBe(15_000_000n);
    const positions = async () => {
      const { wallets, difference } = (await reconcile(world, world.network, world.usdc))!;
      expect(difference).toBe(0n);
      return new Map(wallets.map((one) => [one.walletId, [one.ledger, one.coins, one.difference]]));
    };
    expect((await positions()).get(alice.walletId)).toEqual([0n, 15_000_000n, 0n]);
    expect((await positions()).get(walletId)).toEqual([15_000_000n, 0n, 0n]);

    // A send that names the old wallet is paid by the current one, with coins that are still in the old one.
    const destination = randomAddress();
    const id = await world.send({ amount: '2', destination, walletId: alice.walletId });
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
    expect(await world.balance(destination)).toBe(2_000_000n);
    const [payment] = await world.db.query('SELECT wallet_id FROM payments WHERE payment_id = $1', [id]);
    expect(payment).toEqual({ wallet_id: walletId });

    expect(await settleWallets(world, world.network, world.usdc)).toEqual({ transfers: 1, amount: 13_000_000n });
    await world.settleDown();
    expect(await world.balance(alice.address)).toBe(0n);
    expect(await world.balance(next.address)).toBe(13_000_000n);
    expect((await positions()).get(walletId)).toEqual([13_000_000n, 13_000_000n, 0n]);
    expect(await world.faults()).toEqual([]);
  });
});
