/**
 * Solana and Aptos: Circle sends there, and a transfer that it reports as complete is paid. The double keeps their
 * coins.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeBase58 } from '../../sandbox/src/circle/keys.ts';
import { listOtherAddresses } from '../../server/src/customers/wallets/listOtherAddresses.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { startUnwatchedWorld, type UnwatchedWorld, wholePages } from '../support/circle/unwatchedChain.ts';
import { asAdmin } from '../support/database.ts';
import { operate } from '../support/operate.ts';
import { onePart } from '../support/run/thorough.ts';

/** A pass that ends by what it has read, however slow the machine is. */
const PATIENT_MS = 3_600_000;
const DAY_MS = 86_400_000;

const newAddress = {
  'SOL-DEVNET': () => encodeBase58(randomBytes(32)),
  'APTOS-TESTNET': () => `0x${randomBytes(32).toString('hex')}`,
};

describe.each(onePart(['SOL-DEVNET', 'APTOS-TESTNET'] as const, 2))('on %s', (blockchain) => {
  let place: UnwatchedWorld;
  beforeAll(async () => {
    place = await startUnwatchedWorld(blockchain);
  });
  afterEach(() => {
    place.double.control.reset();
    place.cutPages(wholePages);
  });
  afterAll(() => place.stop());
  const randomAddress = () => newAddress[blockchain]();
  const outbound = (id: string) => place.double.control.transactions().filter(({ refId }) => refId === id);

  it('an arrival is credited once, at COMPLETE, and only if it is USDC', async () => {
    const { userId, walletId } = await place.person('ada');
    await place.drip(walletId, 'native');
    expect(await place.available(userId)).toBe('0');
    await place.drip(walletId);
    await place.work();
    await place.work();
    expect(await place.available(userId)).toBe('10');
    expect(await place.coins(walletId)).toBe('10');
    // Losing the read position credits nothing again.
    await asAdmin(place.databaseUrl, `UPDATE arrival_cursors SET since = '2020-01-01'`);
    await place.work();
    expect(await place.available(userId)).toBe('10');
    expect(await place.faults()).toEqual([]);
  });

  it('a person sees their address, and operators find the person by it', async () => {
    const { userId, walletId, address } = await place.person('joy');
    expect(await listOtherAddresses(place.db, userId, [blockchain])).toEqual([{ blockchain, address }]);
    const show = async (noun: string, text: string) =>
      JSON.parse(await operate(place.db, noun, 'show', text, '--json')) as Record<string, unknown>;
    expect(await show('user', address)).toMatchObject({
      username: 'joy',
      balances: [{ blockchain, available: '0', wallet_id: walletId, address }],
    });
    expect(await show('wallet', address)).toMatchObject({ wallet_id: walletId, user_id: userId, others: [] });
    await place.drip(walletId);
    await place.work();
    expect(await show('user', address)).toMatchObject({
      balances: [{ blockchain, available: '10' }],
      payments: [{ kind: 'deposit', state: 'COMPLETE' }],
    });
    const [deposit] = (await show('deposit', address)) as unknown as { transaction_id: string; tx_hash: string }[];
    expect(deposit).toMatchObject({ username: 'joy', state: 'credited', block_number: null });
    expect(await show('deposit', deposit!.tx_hash)).toEqual([deposit]);
    // Case matters on Solana, and not on Aptos.
    const written = `0x${address.slice(2).toUpperCase()}`;
    if (blockchain === 'APTOS-TESTNET') expect(await show('user', written)).toMatchObject({ username: 'joy' });
    else await expect(show('user', address.toLowerCase())).rejects.toThrow(/there is no person/);
  });

  it('a send is COMPLETE when Circle reports it, once, and the timeline names Circle as the source', async () => {
    const { userId, walletId } = await place.person('ben', 1);
    const id = await place.send(walletId, randomAddress(), '2.5');
    await place.finish(id);
    const payment = (await readPayment(place.db, id))!;
    expect(payment).toMatchObject({ state: 'COMPLETE', txHash: outbound(id)[0]!.txHash });
    expect(payment.timeline.map(({ note, detail = note }) => detail).join()).toMatch(/its report is decisive/);
    expect(outbound(id)).toHaveLength(1);
    expect(await operate(place.db, 'payment', 'show', payment.txHash!)).toContain(id);
    expect(await place.available(userId)).toBe('7.5');
    expect(await place.coins(walletId)).toBe('7.5');
    expect(await place.faults()).toEqual([]);
  });

  it('a lost answer makes no second transfer', async () => {
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

  it('a transfer that Circle reports as failed is FAILED, and the money is returned', async () => {
    const { userId, walletId } = await place.person('dot', 1);
    place.double.control.turn({ fate: { state: 'FAILED', reason: 'ESTIMATION_ERROR', count: 1 } });
    const id = await place.send(walletId, randomAddress(), '4');
    await place.finish(id);
    expect((await readPayment(place.db, id))!).toMatchObject({
      state: 'FAILED',
      errorDetail: expect.stringMatching(/the token would refuse it/),
    });
    expect(await place.available(userId)).toBe('10');
    expect(await place.faults()).toEqual([]);
  });

  it('a transfer that Circle has not sent yet is cancelled at Circle', async () => {
    const { userId, walletId } = await place.person('eve', 1);
    place.double.control.turn({ hold: 'QUEUED' });
    const id = await place.send(walletId, randomAddress(), '4');
    await place.work();
    expect(await place.db.tx((tx) => cancelPayment(tx, { paymentId: id }))).toBe('asked');
    await place.finish(id);
    expect((await readPayment(place.db, id))!.state).toBe('CANCELLED');
    expect(await place.available(userId)).toBe('10');
  });

  it('a send to one of our wallets is credited once, although Circle reports both ends', async () => {
    const [fay, gil] = [await place.person('fay', 1), await place.person('gil')];
    const id = await place.send(fay.walletId, gil.address, '3');
    await place.finish(id);
    await place.work();
    expect([await place.available(fay.userId), await place.available(gil.userId)]).toEqual(['7', '3']);
    expect([await place.coins(fay.walletId), await place.coins(gil.walletId)]).toEqual(['7', '3']);
    expect(await place.faults()).toEqual([]);
  });

  it('coins that arrive before their owner is known are credited when the owner is known', async () => {
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

  it('an incomplete entry of Circle’s list is requested again until it is complete', async () => {
    const jan = await place.person('jan');
    const behind = ['CONFIRMED', 'SETTLING', 'no_token', 'no_hash', 'no_destination', 'no_amount'] as const;
    for (const [i, what] of behind.entries()) {
      place.double.control.turn({ arrivals: { by_id: what } });
      await place.drip(jan.walletId);
      await place.work();
      await place.work();
      expect([what, await place.available(jan.userId)]).toEqual([what, String(10 * i)]);
      place.double.control.turn({ arrivals: null });
      await place.work();
      expect([what, await place.available(jan.userId)]).toEqual([what, String(10 * i + 10)]);
    }
    expect(await place.faults()).toEqual([]);
  });

  it('a list that is too long for one pass is finished by the next passes', async () => {
    const kim = await place.person('kim');
    for (let i = 0; i < 3; i++) await place.drip(kim.walletId);
    place.cutPages(() => 1);
    const arrived = place.double.control.transactions().length;
    for (let i = 0; i < 2 * arrived && (await place.available(kim.userId)) !== '30'; i++)
      await place.track({ mostPages: 1, passMs: PATIENT_MS });
    expect(await place.available(kim.userId)).toBe('30');
    // A position that Circle does not know is given up.
    await asAdmin(place.databaseUrl, 'UPDATE arrival_cursors SET page_after = gen_random_uuid(), reached = now()');
    await place.drip(kim.walletId);
    place.cutPages(wholePages);
    await place.track();
    await place.track();
    expect(await place.available(kim.userId)).toBe('40');
  });

  it('reading a long history delays nothing new, and ends', async () => {
    const [lee, may] = [await place.person('lee'), await place.person('may')];
    place.double.control.turn({ arrivals: { late_ms: DAY_MS } });
    for (let i = 0; i < 5; i++) await place.drip(lee.walletId);
    place.double.control.turn({ arrivals: null });
    await place.work();
    expect(await place.available(lee.userId)).toBe('0');
    await asAdmin(place.databaseUrl, `UPDATE arrival_cursors SET looked_back_at = now() - interval '2 hours'`);
    await place.drip(may.walletId);
    // A page holds one entry of the history.
    place.cutPages((since) => (since.getTime() < Date.now() - DAY_MS ? 1 : 50));
    const pace = { mostPages: 2, passMs: PATIENT_MS };
    await place.track(pace);
    expect(await place.available(may.userId)).toBe('10');
    const isLookingBack = async () =>
      (await place.db.query('SELECT FROM arrival_cursors WHERE back_since IS NOT NULL')).length > 0;
    expect(await isLookingBack()).toBe(true);
    for (let i = place.double.control.transactions().length; i > 0 && (await isLookingBack()); i--)
      await place.track(pace);
    expect(await isLookingBack()).toBe(false);
    await place.track(pace);
    expect(await place.available(lee.userId)).toBe('50');
  });

  it('many arrivals delay no send: what does not fit into a pass is left for the next one', async () => {
    const [ned, oda] = [await place.person('ned', 1), await place.person('oda')];
    const id = await place.send(ned.walletId, randomAddress(), '1');
    await place.work();
    await place.step();
    for (let i = 0; i < 3; i++) await place.drip(oda.walletId);
    for (const credited of ['10', '20', '30']) {
      await place.work({ mostPages: 1, passMs: 0 });
      expect((await readPayment(place.db, id))!.state).toBe('COMPLETE');
      expect(await place.available(oda.userId)).toBe(credited);
    }
  });

  it.each(['none', 'token_account'] as const)(
    'one of our sends is credited once when Circle reports its source as: %s',
    async (source) => {
      const [pam, quy] = [await place.person(`pam_${source}`, 1), await place.person(`quy_${source}`)];
      const id = await place.send(pam.walletId, quy.address, '10');
      place.double.control.turn({ arrivals: { source } });
      await place.work();
      await place.step();
      await place.drip(quy.walletId);
      // Circle reports the arrival before we poll the send. Until then, transfers from strangers look the same.
      await place.track();
      expect(await place.available(quy.userId)).toBe('0');
      await place.finish(id);
      await place.work();
      expect([await place.available(pam.userId), await place.available(quy.userId)]).toEqual(['0', '20']);
      expect([await place.coins(pam.walletId), await place.coins(quy.walletId)]).toEqual(['0', '20']);
      const again = asAdmin(
        place.databaseUrl,
        `INSERT INTO deposits (asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash, transfer_id)
       SELECT asset_id, tx_hash, wallet_id, 0, from_address, amount, block_number, block_hash, gen_random_uuid()
         FROM deposits WHERE tx_hash = '${outbound(id)[0]!.txHash}'`,
      );
      await expect(again).rejects.toThrow(/credited already/);
      expect(await place.faults()).toEqual([]);
    },
  );

  it('a send lost in a restore credits nothing that was credited as an arrival', async () => {
    const [rae, sam] = [await place.person('rae', 1), await place.person('sam')];
    const id = await place.send(rae.walletId, sam.address, '4');
    place.double.control.turn({ arrivals: { source: 'none' } });
    await place.moveByHand(rae.walletId, sam.address, '4', id);
    await place.track();
    expect(await place.available(sam.userId)).toBe('4');
    await place.finish(id);
    expect((await readPayment(place.db, id))!.state).toBe('COMPLETE');
    expect(outbound(id)).toHaveLength(1);
    expect([await place.available(rae.userId), await place.available(sam.userId)]).toEqual(['6', '4']);
    expect(await place.faults()).toEqual([]);
  });

  it('a send that completed before its receiver was known is credited when they are', async () => {
    const ted = await place.person('ted', 1);
    const id = await place.send(ted.walletId, await place.makeAtCircle('una'), '5');
    await place.finish(id);
    await place.work();
    const una = await place.person('una');
    await place.work();
    await place.work();
    expect([await place.available(ted.userId), await place.available(una.userId)]).toEqual(['5', '5']);
    expect(await place.faults()).toEqual([]);
  });

  it('too few coins according to Circle pause sends; too many do not', async () => {
    const ivy = await place.person('ivy', 1);
    await place.compareAll();
    expect(await place.pauses()).toEqual([]);
    await place.moveByHand(ivy.walletId, randomAddress(), '1');
    await place.compareAll();
    await place.compareAll();
    expect(await place.pauses()).toEqual([expect.stringMatching(/differs by -1 USDC by the provider's word/)]);
  });
});
