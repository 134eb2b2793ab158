/** M35: what Circle refuses is neither repeated forever nor given up. Every payment ends. */
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { observeDatabase } from '../../server/src/http/ops/observeDatabase.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { endBackoffs } from '../support/chain/endBackoffs.ts';
import { expectOneEnd } from '../support/chain/expectOneEnd.ts';
import { type SendingWorld, setUp, startSendingWorld } from '../support/circle/sendingWorld.ts';
import { asAdmin } from '../support/database.ts';
import { evaluate, readAlerts } from '../support/http/alerts.ts';
import { operate } from '../support/operate.ts';
import { onePart } from '../support/run/thorough.ts';

const KINDS = onePart(['Circle signs', 'Circle sends'] as const, 2);
const TRANSFER = 'POST /v1/w3s/developer/transactions/transfer';
const cancel = (world: CustodyWorld, id: string) => world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));

describe.each(KINDS)('a wallet that Circle has frozen, when %s', (kind) => {
  const home = setUp(kind);
  let world: CustodyWorld;
  let people: Record<'bob' | 'yan' | 'zoe', Holder>;
  beforeAll(async () => {
    world = await startCustody({}, home.options);
    people = await world.fund({ bob: '0', yan: '40', zoe: '50' });
    await world.payUser(people.zoe, 'bob', '50');
    await world.payUser(people.yan, 'bob', '40');
  });
  afterAll(() => world.stop());

  const finish = async (id: string) => {
    for (
      let turn = 0;
      turn < 40 && !['COMPLETE', 'FAILED', 'CANCELLED'].includes((await world.get(id)).state);
      turn++
    ) {
      // A request that the signer refuses is repeated with growing delays.
      await endBackoffs(world);
      await world.work();
      await world.mine();
    }
  };

  it('starves no send: another wallet funds it, operators see why, and it is tried again later', async () => {
    home.double()!.control.turn({ freeze: [people.zoe.address.toLowerCase()] });
    const destination = randomAddress();
    const id = await world.send({ amount: '30', destination, walletId: people.bob.walletId });
    await finish(id);
    await expectOneEnd(world, id, destination, 'COMPLETE');
    expect(await world.balance(people.zoe.address)).toBe(50_000_000n);
    expect(await operate(world.db, 'wallet', 'show', people.zoe.walletId, '--json')).toMatch(/frozen the wallet/);
    const registry = new Registry();
    observeDatabase(registry, world.db);
    const { expr } = readAlerts().find(({ name }) => name === 'FlorinWalletsRefused')!;
    const isFiring = async () => evaluate(expr, await registry.metrics()).length > 0;
    expect(await isFiring()).toBe(true);
    const moves = async () =>
      (await world.db.query('SELECT FROM coin_moves WHERE wallet_id = $1', [people.zoe.walletId])).length;
    const before = await moves();
    await settleWallets(world, world.network, world.usdc);
    expect(await moves()).toBe(before);

    home.double()!.control.reset();
    await asAdmin(world.databaseUrl, `UPDATE holdings SET refused_until = now() WHERE refused_until IS NOT NULL`);
    const [next, there] = [randomAddress(), '45'];
    const later = await world.send({ amount: there, destination: next, walletId: people.bob.walletId });
    await finish(later);
    await expectOneEnd(world, later, next, 'COMPLETE');
    const refused = await world.db.query('SELECT FROM holdings WHERE refusals > 0 OR refused_until IS NOT NULL');
    expect(refused).toEqual([]);
    expect(await isFiring()).toBe(false);
    expect(await world.faults()).toEqual([]);
  });
});

describe('a transfer of a smart-contract wallet', () => {
  let sending: SendingWorld;
  beforeAll(async () => {
    sending = await startSendingWorld();
    await sending.world.fund({ alice: '100' });
  });
  afterEach(async () => {
    sending.double.control.reset();
    sending.life.keyMs = 3_600_000;
    await sending.world.mine();
  });
  afterAll(() => sending.world.stop());
  const send = (destination = randomAddress()) =>
    sending.world.send({ amount: '1', destination, walletUsername: 'alice' });

  it('does not delay the next transfer of its wallet while it is held', async () => {
    const { world, double, life } = sending;
    double.control.turn({ answers: { kind: 'error', only: TRANSFER, count: 1 } });
    const held = await send();
    await world.work();
    life.keyMs = 0;
    await world.work();
    const next = await send();
    await sending.finish(next);
    expect((await world.get(next)).state).toBe('COMPLETE');
    const isHeld = await world.db.query('SELECT FROM provider_transfers WHERE move_id = $1 AND held_at IS NOT NULL', [
      held,
    ]);
    expect(isHeld).toHaveLength(1);
  });

  it('is cancelled again after a refused cancellation', async () => {
    const { world, double } = sending;
    double.control.turn({ hold: 'QUEUED', refuse_cancel: true });
    const destination = randomAddress();
    const id = await send(destination);
    await sending.until(async () =>
      double.control.transactions().some((one) => one.refId === id && one.state === 'QUEUED'),
    );
    expect(await cancel(world, id)).toBe('asked');
    for (let i = 0; i < 3; i++) await world.work();
    expect((await world.get(id)).state).not.toBe('CANCELLED');
    double.control.turn({ refuse_cancel: false });
    await sending.finish(id);
    await expectOneEnd(world, id, destination, 'CANCELLED');
  });
});

describe('a transfer of a plain wallet', () => {
  let sending: SendingWorld;
  let sue: Holder;
  beforeAll(async () => {
    sending = await startSendingWorld({ accountType: 'EOA' });
    ({ sue } = await sending.world.fund({ sue: '100' }));
    await sending.world.turn('/faucet', { address: sue.address, eth: '1' });
    await sending.world.mine();
  });
  afterEach(() => sending.double.control.reset());
  afterAll(() => sending.world.stop());

  async function sendStuck() {
    const { world, double } = sending;
    double.control.turn({ fate: { state: 'STUCK', count: 1 } });
    const destination = randomAddress();
    const id = await world.send({ amount: '1', destination, walletId: sue.walletId });
    await sending.until(async () =>
      double.control.transactions().some((one) => one.refId === id && ['SENT', 'STUCK'].includes(one.state)),
    );
    return { id, destination };
  }

  it('is accelerated and ends when no block takes it and Circle does not stop it', async () => {
    const { world, double } = sending;
    double.control.turn({ refuse_cancel: true });
    const { id, destination } = await sendStuck();
    await cancel(world, id);
    await sending.finish(id);
    await expectOneEnd(world, id, destination, 'COMPLETE');
  });

  it('ends after its cancellation, also when Circle no longer names its hash', async () => {
    const { world, double } = sending;
    double.control.turn({ hide_cancelled_hash: true });
    const { id, destination } = await sendStuck();
    await world.work();
    await cancel(world, id);
    await sending.finish(id);
    await expectOneEnd(world, id, destination, 'CANCELLED');
  });
});
