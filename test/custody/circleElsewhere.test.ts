/** Solana and Aptos: Circle sends there, and what it says is complete is paid. The double keeps their coins. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeBase58 } from '../../sandbox/src/circle/keys.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type Elsewhere, startElsewhere } from '../support/circle/elsewhere.ts';
import { asAdmin } from '../support/database.ts';

const newAddress = {
  'SOL-DEVNET': () => encodeBase58(randomBytes(32)),
  'APTOS-TESTNET': () => `0x${randomBytes(32).toString('hex')}`,
};

describe.each(['SOL-DEVNET', 'APTOS-TESTNET'] as const)('on %s', (blockchain) => {
  let place: Elsewhere;
  beforeAll(async () => {
    place = await startElsewhere(blockchain);
  });
  afterEach(() => place.double.control.reset());
  afterAll(() => place.stop());
  const randomAddress = () => newAddress[blockchain]();
  const outbound = (id: string) => place.double.control.transactions().filter(({ refId }) => refId === id);

  it('what arrives is credited once, at COMPLETE, and only if it is USDC', async () => {
    const { userId, walletId } = await place.person('ada');
    await place.drip(walletId, 'native');
    expect(await place.available(userId)).toBe('0');
    await place.drip(walletId);
    await place.work();
    await place.work();
    expect(await place.available(userId)).toBe('10');
    expect(await place.coins(walletId)).toBe('10');
    // Forgetting how far it was read credits nothing again.
    await asAdmin(place.databaseUrl, `UPDATE arrival_cursors SET since = '2020-01-01'`);
    await place.work();
    expect(await place.available(userId)).toBe('10');
    expect(await place.faults()).toEqual([]);
  });

  it('a send is COMPLETE by Circle’s word, once, and the timeline says whose word it is', async () => {
    const { userId, walletId } = await place.person('ben', 1);
    const id = await place.send(walletId, randomAddress(), '2.5');
    await place.finish(id);
    const payment = (await readPayment(place.db, id))!;
    expect(payment).toMatchObject({ state: 'COMPLETE', txHash: outbound(id)[0]!.txHash });
    expect(payment.timeline.map(({ note }) => note).join()).toMatch(/its word counts/);
    expect(outbound(id)).toHaveLength(1);
    expect(await place.available(userId)).toBe('7.5');
    expect(await place.coins(walletId)).toBe('7.5');
    expect(await place.faults()).toEqual([]);
  });

  it('an answer that is lost makes no second transfer', async () => {
    const { walletId } = await place.person('cyd', 1);
    place.double.control.turn({
      answers: { kind: 'cut_after', only: 'POST /v1/w3s/developer/transactions', count: 1 },
    });
    const id = await place.send(walletId, randomAddress(), '1');
    await place.finish(id);
    expect((await readPayment(place.db, id))!.state).toBe('COMPLETE');
    expect(outbound(id)).toHaveLength(1);
    expect(await place.coins(walletId)).toBe('9');
  });

  it('what Circle says has failed is FAILED, and the money is back', async () => {
    const { userId, walletId } = await place.person('dot', 1);
    place.double.control.turn({ fate: { state: 'FAILED', reason: 'ESTIMATION_ERROR', count: 1 } });
    const id = await place.send(walletId, randomAddress(), '4');
    await place.finish(id);
    expect((await readPayment(place.db, id))!).toMatchObject({
      state: 'FAILED',
      errorReason: expect.stringMatching(/the token would refuse it/),
    });
    expect(await place.available(userId)).toBe('10');
    expect(await place.faults()).toEqual([]);
  });

  it('what Circle has not sent yet is cancelled there', async () => {
    const { userId, walletId } = await place.person('eve', 1);
    place.double.control.turn({ hold: 'QUEUED' });
    const id = await place.send(walletId, randomAddress(), '4');
    await place.work();
    expect(await place.db.tx((tx) => cancelPayment(tx, { paymentId: id }))).toBe('asked');
    await place.finish(id);
    expect((await readPayment(place.db, id))!.state).toBe('CANCELLED');
    expect(await place.available(userId)).toBe('10');
  });

  it('a send to a wallet of ours is credited there once, although Circle tells of both ends', async () => {
    const [fay, gil] = [await place.person('fay', 1), await place.person('gil')];
    const id = await place.send(fay.walletId, gil.address, '3');
    await place.finish(id);
    await place.work();
    expect([await place.available(fay.userId), await place.available(gil.userId)]).toEqual(['7', '3']);
    expect([await place.coins(fay.walletId), await place.coins(gil.walletId)]).toEqual(['7', '3']);
    expect(await place.faults()).toEqual([]);
  });

  it('coins that came before their owner is known are credited when they are', async () => {
    const address = await place.makeAtCircle('hal');
    await place.dripAt(address);
    await place.work();
    expect(await place.verdicts()).toContain('unowned');
    const hal = await place.person('hal');
    expect(hal.address).toBe(address);
    await place.work();
    await place.work();
    expect(await place.available(hal.userId)).toBe('10');
  });

  it('too few coins by Circle’s word pause sends; too many do not', async () => {
    const ivy = await place.person('ivy', 1);
    await place.compareAll();
    expect(await place.pauses()).toEqual([]);
    await place.moveByHand(ivy.walletId, randomAddress(), '1');
    await place.compareAll();
    await place.compareAll();
    expect(await place.pauses()).toEqual([expect.stringMatching(/differs by -1 USDC by the provider's word/)]);
  });
});
