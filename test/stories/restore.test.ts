/** A database restored from an old backup while the chain continued: nothing is paid twice, nothing is lost. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { restartRelayer } from '../../server/src/custody/eip3009/restartRelayer.ts';
import { listUnexplained } from '../../server/src/custody/watch/unexplainedMoves.ts';
import { noteRestore } from '../../server/src/operators/restores.ts';
import { approvePayment } from '../../server/src/payments/sends/approvePayment.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { importedId, importPayment } from '../../server/src/payments/tracking/importPayment.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { backUp } from '../support/chain/backUp.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asOperator, nameOperators } from '../support/operators.ts';
import { judgeEnd } from '../support/properties/judgeEnd.ts';

let world: CustodyWorld;
beforeEach(async () => {
  world = await startCustody({ missingAfterMs: 0 });
  await world.fund({ treasury: '1000' });
});
afterEach(async () => {
  const faults = await judgeEnd(world);
  await world.stop();
  expect(faults).toEqual([]);
});

describe('a restored database', () => {
  it('recognizes what it paid before, pauses for what it does not know, and continues when that is imported', async () => {
    const destination = randomAddress();
    const key = { caller: 'web3', route: '/wallet/send-usdc', text: randomUUID() };
    const waiting = randomAddress();
    const early = await world.send({ amount: '5', destination: waiting });
    const goBack = await backUp(world);
    const keyed = await world.send({ amount: '7', destination, key });
    const other = randomAddress();
    await world.send({ amount: '11', destination: other });
    await world.settleDown();
    await goBack();

    // The payment in the backup is found by its nonce in the chain's logs, and completes.
    while (await trackPayments(world, world.network));
    expect((await world.get(early)).state).toBe('COMPLETE');
    await expect(world.send({ amount: '1' })).rejects.toMatchObject({ code: 'service.paused' });
    expect(await listUnexplained(world.db)).toHaveLength(2);

    // The client repeats its key, and gets the answer that it was paid.
    expect(await world.send({ amount: '7', destination, key })).toBe(keyed);
    expect((await world.get(keyed)).state).toBe('COMPLETE');
    await expect(world.send({ amount: '8', destination, key })).rejects.toMatchObject({ code: 'idempotency.mismatch' });

    for (const move of await listUnexplained(world.db)) {
      await world.db.tx((tx) => importPayment(tx, importedId(move), move));
    }
    expect(await world.faults()).toEqual([]);
    const { address } = await world.wallets.create({ kind: 'relayer', number: 0 });
    await restartRelayer(world, world.network, address, 'operator:test');
    const later = randomAddress();
    const last = await world.send({ amount: '3', destination: later });
    await world.settleDown();
    expect((await world.get(last)).state).toBe('COMPLETE');
    for (const [address, amount] of [
      [destination, 7_000_000n],
      [other, 11_000_000n],
      [waiting, 5_000_000n],
      [later, 3_000_000n],
    ] as const) {
      expect(await world.balance(address)).toBe(amount);
    }
    expect(await world.faults()).toEqual([]);
  });

  it('recognizes a payment that was approved and paid, and a cancelled one, after the backup', async () => {
    await nameOperators(world.databaseUrl, { anna: 'admin', rita: 'risk' });
    world.sendRules = { approvalThreshold: parseUsdc('10'), newRecipientDelaySeconds: 0 };
    const [paidTo, cancelledTo] = [randomAddress(), randomAddress()];
    const paid = await world.send({ amount: '10', destination: paidTo });
    const cancelled = await world.send({ amount: '9', destination: cancelledTo });
    const goBack = await backUp(world);
    for (const name of ['anna', 'rita'] as const) {
      await asOperator(world.databaseUrl, name, (db) => approvePayment({ db }, paid));
    }
    await world.work();
    await world.db.tx((tx) => cancelPayment(tx, { paymentId: cancelled }));
    await world.settleDown();
    expect([(await world.get(paid)).state, (await world.get(cancelled)).state]).toEqual(['COMPLETE', 'CANCELLED']);
    await goBack();

    while (await trackPayments(world, world.network));
    expect([(await world.get(paid)).state, (await world.get(cancelled)).state]).toEqual(['COMPLETE', 'CANCELLED']);
    const known = await world.db.query<{ move_id: string; state: string }>(
      'SELECT move_id, state FROM coin_moves JOIN authorizations USING (move_id)',
    );
    expect(new Map(known.map((one) => [one.move_id, one.state]))).toEqual(
      new Map([
        [paid, 'done'],
        [cancelled, 'dead'],
      ]),
    );
    expect(await world.db.query('SELECT FROM authorizations WHERE NOT carried')).toEqual([]);
    await world.settleDown();
    expect([await world.balance(paidTo), await world.balance(cancelledTo)]).toEqual([10_000_000n, 0n]);
    expect(await world.faults()).toEqual([]);
  });

  it('ends a payment that was cancelled after the backup, when the client repeats its key', async () => {
    const destination = randomAddress();
    const key = { caller: 'web3', route: '/wallet/send-usdc', text: randomUUID() };
    const goBack = await backUp(world);
    const id = await world.send({ amount: '7', destination, key });
    await world.work();
    await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
    await world.settleDown();
    expect((await world.get(id)).state).toBe('CANCELLED');
    await goBack();

    while (await trackPayments(world, world.network));
    expect(await world.send({ amount: '7', destination, key })).toBe(id);
    await world.settleDown();
    expect(await world.get(id)).toMatchObject({ state: 'CANCELLED', errorReason: 'cancelled on chain' });
    expect(await world.balance(destination)).toBe(0n);
    expect(await world.faults()).toEqual([]);
  });

  it('releases nothing that may have been signed after the backup, but cancels it on the chain', async () => {
    const [late, early] = [randomAddress(), randomAddress()];
    const paid = await world.send({ amount: '7', destination: late });
    const goBack = await backUp(world);
    await world.work();
    // It waits in the chain's mempools, and this database has no record of it.
    await goBack();
    const other = await world.send({ amount: '8', destination: early });
    await world.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));
    const cancel = (paymentId: string) => world.db.tx((tx) => cancelPayment(tx, { paymentId }));
    expect([await cancel(paid), await cancel(other)]).toEqual(['asked', 'asked']);
    expect([await cancel(paid), (await world.get(paid)).state]).toEqual(['before', 'INITIATED']);
    await world.mine(4);
    while (await trackPayments(world, world.network));
    // The relayed payment was faster than its cancellation.
    expect((await world.get(paid)).state).toBe('COMPLETE');
    const { address } = await world.wallets.create({ kind: 'relayer', number: 0 });
    await restartRelayer(world, world.network, address, 'operator:test');
    await world.settleDown();
    expect((await world.get(other)).state).toBe('CANCELLED');
    expect([await world.balance(late), await world.balance(early)]).toEqual([7_000_000n, 0n]);
    expect(await world.faults()).toEqual([]);

    // After two hours of the chain's time it is certain again that an unknown signature does not exist.
    const last = await world.send({ amount: '9', destination: randomAddress() });
    await world.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));
    await world.mine(5, 7_300);
    while (await trackPayments(world, world.network));
    expect(await cancel(last)).toBe('released');
  });

  it('recognizes a settlement made after the backup: coins move, and no one is credited', async () => {
    const { alice, bob } = await world.fund({ alice: '100', bob: '0' });
    await world.payUser(alice, 'bob', '40');
    const goBack = await backUp(world);
    await settleWallets(world, world.network, world.usdc);
    await world.settleDown();
    expect(await world.balance(bob.address)).toBe(40_000_000n);
    await goBack();

    while (await trackPayments(world, world.network));
    expect(await owed(alice, bob)).toEqual([60_000_000n, 40_000_000n]);
    expect(await listUnexplained(world.db)).toEqual([]);
    expect(await world.db.query('SELECT FROM pauses')).toEqual([]);
    expect(await world.db.query('SELECT FROM deposits WHERE wallet_id = $1', [bob.walletId])).toEqual([]);
    // All value is where it belongs: nothing is left to be settled.
    expect(await settleWallets(world, world.network, world.usdc)).toEqual({ transfers: 0, amount: 0n });
    expect(await world.faults()).toEqual([]);
  });

  it('credits no one for an unknown transfer between wallets of ours, until it is imported for both', async () => {
    const { alice, bob } = await world.fund({ alice: '100', bob: '10' });
    const goBack = await backUp(world);
    await world.send({ amount: '40', destination: bob.address, walletUsername: 'alice' });
    await world.settleDown();
    expect(await owed(alice, bob)).toEqual([60_000_000n, 50_000_000n]);
    await goBack();

    while (await trackPayments(world, world.network));
    expect(await owed(alice, bob)).toEqual([100_000_000n, 10_000_000n]);
    await expect(world.send({ amount: '1' })).rejects.toMatchObject({ code: 'service.paused' });
    const moves = await listUnexplained(world.db);
    expect(moves).toHaveLength(1);
    for (const move of moves) await world.db.tx((tx) => importPayment(tx, importedId(move), move));
    expect(await owed(alice, bob)).toEqual([60_000_000n, 50_000_000n]);
    // A repeated import changes nothing.
    for (const move of moves) await world.db.tx((tx) => importPayment(tx, importedId(move), move));
    expect(await owed(alice, bob)).toEqual([60_000_000n, 50_000_000n]);
    expect(await world.faults()).toEqual([]);
  });

  it('recognizes payments and settlements to a person who registered after the backup, when they come back', async () => {
    const { alice } = await world.fund({ alice: '100' });
    const goBack = await backUp(world);
    const xena = await world.person('xena');
    await world.send({ amount: '15', destination: xena.address, walletUsername: 'alice' });
    await world.payUser(alice, 'xena', '40');
    await world.settleDown();
    await settleWallets(world, world.network, world.usdc);
    await world.settleDown();
    expect(await world.balance(xena.address)).toBe(55_000_000n);
    await goBack();

    while (await trackPayments(world, world.network));
    const moves = await listUnexplained(world.db);
    expect(moves.map(({ amount, isSettlement }) => [amount, isSettlement])).toEqual([
      [15_000_000n, false],
      [40_000_000n, true],
    ]);
    // A settlement is not a payment: it is not imported, and waits for its wallet.
    expect(await world.db.tx((tx) => importPayment(tx, importedId(moves[1]!), moves[1]!))).toBeUndefined();
    const again = await world.person('xena');
    expect(again.address).toBe(xena.address);
    // Until her wallet has been read, an import would not credit her.
    expect(await world.db.tx((tx) => importPayment(tx, importedId(moves[0]!), moves[0]!))).toBeUndefined();
    while (await trackPayments(world, world.network));
    expect(await owed(alice, again)).toEqual([100_000_000n, 0n]);
    const [left, ...others] = await listUnexplained(world.db);
    expect([left!.amount, others]).toEqual([15_000_000n, []]);
    await world.db.tx((tx) => importPayment(tx, importedId(left!), left!));
    expect(await owed(alice, again)).toEqual([85_000_000n, 15_000_000n]);
    expect(await world.db.query('SELECT FROM pauses')).toEqual([]);
    // The payment between people is lost with the backup. Repeated, it restores the old state.
    await world.payUser(alice, 'xena', '40');
    expect(await settleWallets(world, world.network, world.usdc)).toEqual({ transfers: 0, amount: 0n });
    expect(await world.faults()).toEqual([]);
  });

  it('debits a person who registered after the backup for a settlement that was credited as a deposit meanwhile', async () => {
    const { bob } = await world.fund({ bob: '0' });
    const goBack = await backUp(world);
    const first = await world.person('alice', '100');
    await world.credit();
    await world.payUser(first, 'bob', '40');
    await settleWallets(world, world.network, world.usdc);
    await world.settleDown();
    expect(await world.balance(bob.address)).toBe(40_000_000n);
    await goBack();

    // Alice's address now counts as a stranger's: coins from it belong to Bob.
    while (await trackPayments(world, world.network));
    expect(await owed(bob)).toEqual([40_000_000n]);
    const alice = await world.person('alice');
    expect(alice.address).toBe(first.address);
    while (await trackPayments(world, world.network));
    const moves = await listUnexplained(world.db);
    expect(moves.map(({ amount, isSettlement }) => [amount, isSettlement])).toEqual([[40_000_000n, false]]);
    for (const move of moves) await world.db.tx((tx) => importPayment(tx, importedId(move), move));
    expect(await owed(alice, bob)).toEqual([60_000_000n, 40_000_000n]);
    expect(await world.db.query('SELECT FROM pauses')).toEqual([]);
    expect(await world.faults()).toEqual([]);
  });

  it('imports for both owners what was relayed together with a transfer that the receiver was credited for', async () => {
    const { alice } = await world.fund({ alice: '100' });
    const goBack = await backUp(world);
    const xena = await world.person('xena');
    await world.person('yves', '10');
    await world.credit();
    const sends = [
      await world.send({ amount: '5', destination: xena.address, walletUsername: 'yves' }),
      await world.send({ amount: '15', destination: xena.address, walletUsername: 'alice' }),
    ];
    await world.settleDown();
    const [one, other] = [await world.get(sends[0]!), await world.get(sends[1]!)];
    expect(one.txHash).toBe(other.txHash);
    await goBack();

    while (await trackPayments(world, world.network));
    // Yves has not come back: his transfer counts as a stranger's deposit.
    const again = await world.person('xena');
    while (await trackPayments(world, world.network));
    expect(await owed(alice, again)).toEqual([100_000_000n, 5_000_000n]);
    const moves = await listUnexplained(world.db);
    expect(moves.map(({ amount, toWallet }) => [amount, toWallet])).toEqual([[15_000_000n, again.walletId]]);
    for (const move of moves) await world.db.tx((tx) => importPayment(tx, importedId(move), move));
    expect(await owed(alice, again)).toEqual([85_000_000n, 20_000_000n]);
    expect(await world.faults()).toEqual([]);
    // And now he does.
    const yves = await world.person('yves');
    while (await trackPayments(world, world.network));
    for (const move of await listUnexplained(world.db)) {
      await world.db.tx((tx) => importPayment(tx, importedId(move), move));
    }
    expect(await owed(alice, again, yves)).toEqual([85_000_000n, 20_000_000n, 5_000_000n]);
    expect(await world.faults()).toEqual([]);
  });

  it.each([
    ['alice', 'bob'],
    ['bob', 'alice'],
  ])(
    'recognizes a settlement between two people who registered after the backup, in either order of return: %s',
    async (...order) => {
      const goBack = await backUp(world);
      const first = await world.person('alice', '100');
      const bob = await world.person('bob');
      await world.credit();
      await world.payUser(first, 'bob', '40');
      await settleWallets(world, world.network, world.usdc);
      await world.settleDown();
      expect(await world.balance(bob.address)).toBe(40_000_000n);
      await goBack();

      while (await trackPayments(world, world.network));
      const back = new Map<string, Holder>();
      for (const name of order) back.set(name, await world.person(name));
      while (await trackPayments(world, world.network));
      expect(await owed(back.get('alice')!, back.get('bob')!)).toEqual([100_000_000n, 0n]);
      expect(await listUnexplained(world.db)).toEqual([]);
      await world.payUser(back.get('alice')!, 'bob', '40');
      expect(await settleWallets(world, world.network, world.usdc)).toEqual({ transfers: 0, amount: 0n });
      expect(await world.faults()).toEqual([]);
    },
  );
});

/** What the ledger owes each of them. */
async function owed(...holders: readonly Holder[]): Promise<bigint[]> {
  const rows = await world.db.query<{ user_id: string; owed: bigint }>(
    'SELECT user_id, available + held AS owed FROM accounts WHERE asset_id = $1',
    [world.usdc.assetId],
  );
  return holders.map(({ userId }) => rows.find((row) => row.user_id === userId)?.owed ?? 0n);
}
