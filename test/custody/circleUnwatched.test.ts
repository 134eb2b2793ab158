/** Solana and Aptos: Circle sends there, and what it says is complete is paid. The double keeps their coins. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeBase58 } from '../../sandbox/src/circle/keys.ts';
import { listOtherAddresses } from '../../server/src/customers/wallets/listOtherAddresses.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type Elsewhere, startElsewhere, wholePages } from '../support/circle/unwatchedChain.ts';
import { asAdmin } from '../support/database.ts';
import { operate } from '../support/operate.ts';
import { onePart } from '../support/run/thorough.ts';

/** A turn that ends by what it has read, however slow the machine is. */
const PATIENT_MS = 3_600_000;
const DAY_MS = 86_400_000;

const newAddress = {
  'SOL-DEVNET': () => encodeBase58(randomBytes(32)),
  'APTOS-TESTNET': () => `0x${randomBytes(32).toString('hex')}`,
};

describe.each(onePart(['SOL-DEVNET', 'APTOS-TESTNET'] as const, 2))('on %s', (blockchain) => {
  let place: Elsewhere;
  beforeAll(async () => {
    place = await startElsewhere(blockchain);
  });
  afterEach(() => {
    place.double.control.reset();
    place.cutPages(wholePages);
  });
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

  it('a person is shown their address, and operators find the person by it', async () => {
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
    // In which case it is written counts on Solana, and not on Aptos.
    const written = `0x${address.slice(2).toUpperCase()}`;
    if (blockchain === 'APTOS-TESTNET') expect(await show('user', written)).toMatchObject({ username: 'joy' });
    else await expect(show('user', address.toLowerCase())).rejects.toThrow(/there is no person/);
  });

  it('a send is COMPLETE by Circle’s word, once, and the timeline says whose word it is', async () => {
    const { userId, walletId } = await place.person('ben', 1);
    const id = await place.send(walletId, randomAddress(), '2.5');
    await place.finish(id);
    const payment = (await readPayment(place.db, id))!;
    expect(payment).toMatchObject({ state: 'COMPLETE', txHash: outbound(id)[0]!.txHash });
    expect(payment.timeline.map(({ note }) => note).join()).toMatch(/its word counts/);
    expect(outbound(id)).toHaveLength(1);
    expect(await operate(place.db, 'payment', 'show', payment.txHash!)).toContain(id);
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

  it('what Circle lists before it tells all of it is asked for until it does', async () => {
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

  it('a list that is longer than a turn is read to its end by the next ones', async () => {
    const kim = await place.person('kim');
    for (let i = 0; i < 3; i++) await place.drip(kim.walletId);
    place.cutPages(() => 1);
    const arrived = place.double.control.transactions().length;
    for (let i = 0; i < 2 * arrived && (await place.available(kim.userId)) !== '30'; i++)
      await place.track({ mostPages: 1, passMs: PATIENT_MS });
    expect(await place.available(kim.userId)).toBe('30');
    // A place that Circle does not know is given up.
    await asAdmin(place.databaseUrl, 'UPDATE arrival_cursors SET page_after = gen_random_uuid(), reached = now()');
    await place.drip(kim.walletId);
    place.cutPages(wholePages);
    await place.track();
    await place.track();
    expect(await place.available(kim.userId)).toBe('40');
  });

  it('looking at a long past keeps nothing new waiting, and comes to its end', async () => {
    const [lee, may] = [await place.person('lee'), await place.person('may')];
    place.double.control.turn({ arrivals: { late_ms: DAY_MS } });
    for (let i = 0; i < 5; i++) await place.drip(lee.walletId);
    place.double.control.turn({ arrivals: null });
    await place.work();
    expect(await place.available(lee.userId)).toBe('0');
    await asAdmin(place.databaseUrl, `UPDATE arrival_cursors SET looked_back_at = now() - interval '2 hours'`);
    await place.drip(may.walletId);
    // Of the past one fits on a page.
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

  it('many arrivals keep no send waiting: what does not fit into a turn is for the next one', async () => {
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
    'a send of ours is credited once where Circle says of its source: %s',
    async (source) => {
      const [pam, quy] = [await place.person(`pam_${source}`, 1), await place.person(`quy_${source}`)];
      const id = await place.send(pam.walletId, quy.address, '10');
      place.double.control.turn({ arrivals: { source } });
      await place.work();
      await place.step();
      await place.drip(quy.walletId);
      // Circle tells of the arrival before we have asked what became of the send. What others send looks the same until then.
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

  it('a send that a restored database has forgotten credits nothing that was credited as an arrival', async () => {
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

  it('a send that was complete before its receiver was known is credited when they are', async () => {
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
