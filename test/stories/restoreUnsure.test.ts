/**
 * A restored database that no operator has checked: what it may have signed or paid is neither returned nor paid again.
 */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localWallets } from '../../server/src/adapters/wallets/local/localWallets.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { nonceOf, toBytes } from '../../server/src/custody/eip3009/authorizations.ts';
import { listUnexplained } from '../../server/src/custody/watch/unexplainedMoves.ts';
import { noteRestore } from '../../server/src/operators/restores.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { denyPayment } from '../../server/src/payments/sends/denyPayment.ts';
import { submitPayments } from '../../server/src/payments/sends/submitPayments.ts';
import { importedId, importPayment } from '../../server/src/payments/tracking/importPayment.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { backUp } from '../support/chain/backUp.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';
import { operate } from '../support/operate.ts';
import { asOperator, nameOperators } from '../support/operators.ts';
import { judgeEnd } from '../support/properties/judgeEnd.ts';

const LIMITS = ['payment', 'day', 'month'].flatMap((limit) => [`--treasury-${limit}`, '100']);

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
  it('pays once what was sent with a service key from after the backup, and again with another key of the same id', async () => {
    await nameOperators(world.databaseUrl, { anna: 'admin' });
    const createKey = async (...more: string[]) => {
      const words = ['key', 'create', 'robot', '--scope', 'send', '--treasury', ...LIMITS, ...more];
      return /Key (\S+)/.exec(await asOperator(world.databaseUrl, 'anna', (db) => operate(db, ...words)))![1]!;
    };
    const destination = randomAddress();
    const send = (keyId: string) => {
      const key = { caller: keyId, route: '/wallet/send-usdc', text: 'one' };
      return world.send({ amount: '7', destination, key, serviceKeyId: keyId });
    };
    const goBack = await backUp(world);
    const keyId = await createKey();
    const paid = await send(keyId);
    await world.settleDown();
    await goBack();

    while (await trackPayments(world, world.network));
    expect(await send(await createKey('--id', keyId))).toBe(paid);
    await expect(createKey('--id', keyId)).rejects.toThrow(/already/);
    await world.settleDown();
    expect(await listUnexplained(world.db)).toEqual([]);
    expect([(await world.get(paid)).state, await world.balance(destination)]).toEqual(['COMPLETE', 7_000_000n]);
    expect(await world.faults()).toEqual([]);
  });

  it('follows a settlement for a cancelled send, and another send of the same coins, in one poll', async () => {
    const { alice, carol } = await world.fund({ alice: '100', carol: '0' });
    await world.payUser(alice, 'carol', '30');
    const cancelled = await world.send({ walletId: carol.walletId, amount: '30' });
    await world.work();
    const goBack = await backUp(world);
    await world.db.tx((tx) => cancelPayment(tx, { paymentId: cancelled }));
    await world.settleDown();
    const paid = await world.send({ walletId: carol.walletId, amount: '30' });
    await world.settleDown();
    expect([(await world.get(cancelled)).state, (await world.get(paid)).state]).toEqual(['CANCELLED', 'COMPLETE']);
    await goBack();

    while (await trackPayments(world, world.network));
    expect((await world.get(cancelled)).state).toBe('CANCELLED');
    const [move] = await listUnexplained(world.db);
    expect(move).toMatchObject({ walletId: carol.walletId, amount: 30_000_000n });
    await world.db.tx((tx) => importPayment(tx, importedId(move!), move!));
    expect(await world.faults()).toEqual([]);
    const [account] = await world.db.query(`SELECT available, held FROM accounts WHERE user_id = $1`, [carol.userId]);
    expect(account).toEqual({ available: 0n, held: 0n });
  });

  it.each([
    { when: 'not recorded yet', isFinal: true },
    { when: 'noted', isFinal: false },
  ])(
    'denies nothing that may have been paid after the backup, although the token refuses it by now: restore $when',
    async ({ isFinal }) => {
      const destination = randomAddress();
      const paid = await world.send({ amount: '100', destination });
      const goBack = await backUp(world);
      await world.work();
      await world.mine();
      if (isFinal) await world.settleDown();
      await world.turn('/token', { blacklist: destination });
      await world.mine();
      await goBack();
      if (!isFinal) await world.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));

      // Its job runs before the watcher has seen it.
      await submitPayments(world, world.network, [paid]);
      expect((await world.get(paid)).state).toBe('INITIATED');
      await world.mine(4);
      while (await trackPayments(world, world.network));
      expect((await world.get(paid)).state).toBe('COMPLETE');
      await world.work();
      expect(await world.faults()).toEqual([]);
    },
  );

  it('fails nothing that may have been signed after the backup, although the signer refuses it by now', async () => {
    const paid = await world.send({ amount: '7' });
    const goBack = await backUp(world);
    await world.work();
    // It waits in the chain's mempools.
    await goBack();
    await world.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));
    const signer = world.openSigner({ keys: localWallets(randomBytes(64)) });
    await world.work({ signer });
    await world.db.query('UPDATE authorizations SET failures = 3 WHERE move_id = $1', [paid]);
    await world.work({ signer });
    expect((await world.get(paid)).state).toBe('QUEUED');
    await world.mine(4);
    while (await trackPayments(world, world.network));
    expect((await world.get(paid)).state).toBe('COMPLETE');
    expect(await world.faults()).toEqual([]);
  });

  it.each([
    { isPaid: false, deed: 'cancelled', outcome: 'CANCELLED', paid: 0n },
    { isPaid: true, deed: 'cancelled', outcome: 'COMPLETE', paid: 7_000_000n },
    { isPaid: false, deed: 'denied', outcome: 'CANCELLED', paid: 0n },
    { isPaid: true, deed: 'denied', outcome: 'COMPLETE', paid: 7_000_000n },
  ])('lets the chain decide about a $deed send that waits for approvals again: paid before, $isPaid', async (one) => {
    await nameOperators(world.databaseUrl, { anna: 'admin', rita: 'risk' });
    world.sendRules = { approvalThreshold: parseUsdc('5'), newRecipientDelaySeconds: 0 };
    const destination = randomAddress();
    const sent = await world.send({ amount: '7', destination });
    const goBack = await backUp(world);
    if (one.isPaid) {
      for (const name of ['anna', 'rita'] as const)
        await asOperator(world.databaseUrl, name, (db) => operate(db, 'payment', 'approve', sent));
      // It waits in the chain's mempools.
      await world.work();
    }
    await goBack();
    await world.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));
    const stop = () =>
      world.db.tx((tx) =>
        one.deed === 'denied'
          ? denyPayment(tx, sent, 'a test', 'operator:anna')
          : cancelPayment(tx, { paymentId: sent }),
      );
    expect([await stop(), await stop()]).toEqual(one.deed === 'denied' ? ['asked', 'asked'] : ['asked', 'before']);
    expect((await world.get(sent)).state).toBe('INITIATED');
    await world.settleDown();
    expect([(await world.get(sent)).state, await world.balance(destination)]).toEqual([one.outcome, one.paid]);
    // The chain has decided about the nonce that is made from the payment's id.
    expect(await world.db.query('SELECT nonce FROM authorizations WHERE move_id = $1', [sent])).toEqual([
      { nonce: toBytes(nonceOf(sent)) },
    ]);
    expect(await world.faults()).toEqual([]);
  });

  it('cancels on the chain what the signer had refused before the backup, because it may have signed it since', async () => {
    const sent = await world.send({ amount: '7' });
    await world.work({ signer: world.openSigner({ keys: localWallets(randomBytes(64)) }) });
    const goBack = await backUp(world);
    await goBack();
    await world.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));
    expect(await world.db.tx((tx) => cancelPayment(tx, { paymentId: sent }))).toBe('asked');
    await world.settleDown();
    expect((await world.get(sent)).state).toBe('CANCELLED');
    expect(await world.faults()).toEqual([]);
  });
});
