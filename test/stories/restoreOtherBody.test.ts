/**
 * M31: after a restore a client repeats its key with another amount or destination, and the chain makes the earlier
 * payment. The transfer is not the new payment: it is unexplained, and the new payment ends unpaid.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listUnexplained } from '../../server/src/custody/watch/unexplainedMoves.ts';
import { noteRestore } from '../../server/src/operators/restores.ts';
import { importedId, importPayment } from '../../server/src/payments/tracking/importPayment.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { findUnfinished } from '../support/restores/runStory.ts';
import { readAvailable } from '../support/restores/stage.ts';
import { inPlace } from '../support/restores/ways.ts';

let world: CustodyWorld;
beforeAll(async () => {
  world = await startCustody({ missingAfterMs: 0 });
});
afterAll(() => world.stop());

const silent = () => ({
  chain: { ...world.chain, broadcast: async () => ({ outcome: 'unknown' as const, message: '' }) },
});

const send = (from: Holder, destination: string, amount: string, key: string) =>
  world.send({
    walletId: from.walletId,
    destination,
    amount,
    key: { caller: 'robot', route: '/wallet/send-usdc', text: key },
  });

/** 40 USDC to an address are in the chain's mempool, and the database is from before. */
async function restoreBefore(from: Holder, destination: string, key: string): Promise<void> {
  const restore = await inPlace.backUp(world.databaseUrl);
  await send(from, destination, '40', key);
  await world.work();
  await restore();
  await world.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));
}

async function track(): Promise<void> {
  await world.mine(5);
  while (await trackPayments(world, world.network));
}

it.each([
  ['accepted', async () => {}],
  ['signed', () => world.work(silent())],
] as const)(
  'M31: another payment under the key, %s when the old one is mined, is not paid by it',
  async (when, work) => {
    const payer = (await world.fund({ [`ann${when}`]: '100' }))[`ann${when}`]!;
    const [x, y] = [randomAddress(), randomAddress()];
    await restoreBefore(payer, x, when);
    const other = await send(payer, y, '1', when);
    await work();
    await track();
    expect(await listUnexplained(world.db)).toMatchObject([{ walletId: payer.walletId, amount: 40_000_000n }]);
    expect((await world.get(other)).state).not.toBe('COMPLETE');
    for (const move of await listUnexplained(world.db))
      await world.db.tx((tx) => importPayment(tx, importedId(move), move));
    await world.settleDown();
    expect(await world.get(other)).toMatchObject({ state: 'FAILED', errorDetail: expect.stringContaining('another') });
    expect(await world.balance(y)).toBe(0n);
    expect(await readAvailable(world.db, world.usdc.assetId, [payer])).toEqual([60_000_000n]);
    expect(await findUnfinished(world)).toEqual([]);
    expect(await world.faults()).toEqual([]);
  },
);

it('M31: a key whose payment was imported returns only that payment', async () => {
  const { bea } = await world.fund({ bea: '100' });
  const x = randomAddress();
  await restoreBefore(bea, x, 'imported');
  await track();
  const [move] = await listUnexplained(world.db);
  await world.db.tx((tx) => importPayment(tx, importedId(move!), move!));
  await expect(send(bea, x, '1', 'imported')).rejects.toMatchObject({ code: 'idempotency.mismatch' });
  await expect(send(bea, randomAddress(), '40', 'imported')).rejects.toMatchObject({ code: 'idempotency.mismatch' });
  expect(await send(bea, x, '40', 'imported')).toBe(importedId(move!));
  await world.settleDown();
  expect(await findUnfinished(world)).toEqual([]);
});
