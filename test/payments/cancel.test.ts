/** Cancelled payments: before anything is signed, after it, and too late. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Chain, Hex } from '../../server/src/core/ports.ts';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { pauseSends } from '../../server/src/operators/pauses.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { type CancelPayment, cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { endBackoffs } from '../support/chain/endBackoffs.ts';
import { asAdmin } from '../support/database.ts';
import { operate } from '../support/operate.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
let alice: Holder;
/** A chain that receives nothing: bytes are committed and never arrive. */
let deaf: Chain;

beforeAll(async () => {
  world = await startCustody();
  ({ alice } = await world.fund({ alice: '1000', bob: '1000', treasury: '1000' }));
  deaf = { ...world.chain, broadcast: async () => ({ outcome: 'unknown', message: 'no answer' }) };
});
afterAll(() => world.stop());
beforeEach(() => asAdmin(world.databaseUrl, 'DELETE FROM pauses'));

const cancel = (paymentId: string, more: Partial<CancelPayment> = {}) =>
  world.db.tx((tx) => cancelPayment(tx, { paymentId, ...more }));
const heldBy = async (holder: Holder) => {
  const [row] = await world.db.query<{ held: bigint }>('SELECT held FROM accounts WHERE user_id = $1', [holder.userId]);
  return row!.held;
};
const endsOf = (id: string) => world.db.query<{ kind: string }>('SELECT kind FROM transfers WHERE hold_id = $1', [id]);

async function expectCancelled(id: string, destination: Hex): Promise<void> {
  expect((await world.get(id)).state).toBe('CANCELLED');
  expect(await world.listTransfers(destination)).toEqual([]);
  expect(await endsOf(id)).toEqual([{ kind: 'release' }]);
  expect(await world.faults()).toEqual([]);
  expect((await reconcile(world, world.network, world.usdc))!.difference).toBe(0n);
}

describe('cancelled before anything was signed', () => {
  it('returns the money in the same commit', async () => {
    const destination = randomAddress();
    const id = await world.send({ amount: '5', destination, walletUsername: 'alice' });
    expect(await heldBy(alice)).toBe(5_000_000n);
    expect(await cancel(id)).toBe('released');
    expect(await heldBy(alice)).toBe(0n);
    expect(await cancel(id)).toBe('before');
    await world.settleDown();
    await expectCancelled(id, destination);
  });

  it('also when its coins are reserved: the reservation ends, and a signature is refused', async () => {
    const destination = randomAddress();
    const id = await world.send({ amount: '5', destination, walletUsername: 'alice' });
    await pauseSends(world.db, HOME, 'gas', 'a test');
    // Reserved and not signed: the keys are locked away.
    const locked = { ...world.signer, signAuthorizations: () => Promise.reject(new Error('locked')) };
    await expect(world.work({ signer: locked })).rejects.toThrow('locked');
    expect((await world.get(id)).state).toBe('QUEUED');
    expect(await cancel(id)).toBe('released');
    await expect(
      world.db.query('INSERT INTO signatures VALUES ($1, 99999999999, $2)', [id, Buffer.alloc(65)]),
    ).rejects.toThrow(/ended/);
    await world.settleDown();
    await expectCancelled(id, destination);
  });
});

describe('cancelled after it was signed', () => {
  it('while no block is mined: replaces the payment in its relay transaction, and is CANCELLED when that is final', async () => {
    const destination = randomAddress();
    const id = await world.send({ amount: '7', destination, walletUsername: 'alice' });
    await world.work();
    const sent = await world.get(id);
    expect(sent.state).toBe('SENT');
    expect(await cancel(id)).toBe('asked');
    expect(await cancel(id)).toBe('before');
    await world.work();
    expect(await heldBy(alice)).toBe(7_000_000n);
    expect(await world.get(id)).toMatchObject({ state: 'SENT', txHash: sent.txHash });
    await world.mine(3);
    await world.work();
    expect((await world.get(id)).state).toBe('SENT');
    expect(await heldBy(alice)).toBe(7_000_000n);
    await world.mine(1);
    await world.work();
    expect(await heldBy(alice)).toBe(0n);
    await expectCancelled(id, destination);

    const { timeline, txHash, errorReason } = (await readPayment(world.db, id))!;
    expect(errorReason).toBe('cancelled on chain');
    const steps = timeline.map(({ state, note }) => state ?? note);
    expect(steps).toEqual([
      'INITIATED',
      'QUEUED',
      'sent to the blockchain',
      'SENT',
      expect.stringContaining('a cancellation was asked for'),
      'its cancellation was sent to the blockchain',
      'CANCELLED',
    ]);
    expect(timeline[5]!.txHash).toBe(txHash);
    expect(timeline[6]!.txHash).toBe(txHash);
    expect(txHash).not.toBe(sent.txHash);
  });

  it('signed and in no relay transaction: it is relayed like a payment, together with others', async () => {
    const [destination, other] = [randomAddress(), randomAddress()];
    const id = await world.send({ amount: '7', destination, walletUsername: 'alice' });
    await world.db.query(`UPDATE relayers SET stopped = 'for this test'`);
    await world.work();
    await world.db.query('UPDATE relayers SET stopped = NULL');
    expect((await world.get(id)).state).toBe('QUEUED');
    expect(await cancel(id)).toBe('asked');
    const otherId = await world.send({ amount: '1', destination: other, walletUsername: 'bob' });
    await world.settleDown();
    await expectCancelled(id, destination);
    expect((await world.get(otherId)).state).toBe('COMPLETE');
    const relayTxs = await world.db.query<{ carrier_id: string }>(
      'SELECT DISTINCT carrier_id FROM carrier_calls WHERE move_id = ANY ($1)',
      [[id, otherId]],
    );
    expect(relayTxs).toHaveLength(1);
  });

  it('the other payments of the relay transaction are paid once', async () => {
    const destinations = Array.from({ length: 5 }, randomAddress);
    const ids: string[] = [];
    for (const destination of destinations) ids.push(await world.send({ amount: '2', destination }));
    await world.work();
    await cancel(ids[2]!);
    await world.settleDown();
    for (const [i, destination] of destinations.entries()) {
      if (i === 2) await expectCancelled(ids[i]!, destination);
      else
        expect([(await world.get(ids[i]!)).state, (await world.listTransfers(destination)).length]).toEqual([
          'COMPLETE',
          1,
        ]);
    }
    expect(await world.faults()).toEqual([]);
  });

  it('a send that other wallets fund: what was settled for it stays settled', async () => {
    const carol = await world.person('carol');
    await world.payUser(alice, 'carol', '30');
    const destination = randomAddress();
    const id = await world.send({ amount: '30', destination, walletUsername: 'carol' });
    await world.work({ chain: deaf });
    expect(await cancel(id)).toBe('asked');
    await world.settleDown();
    await expectCancelled(id, destination);
    const again = await world.send({ amount: '30', destination, walletUsername: 'carol' });
    await world.settleDown();
    expect((await world.get(again)).state).toBe('COMPLETE');
    expect(await world.balance(carol.address)).toBe(0n);
    expect(await world.faults()).toEqual([]);
  });

  it('continues while sends are paused, when it may matter most', async () => {
    const destination = randomAddress();
    const id = await world.send({ amount: '3', destination, walletUsername: 'alice' });
    await world.work({ chain: deaf });
    await operate(world.db, 'pause', 'add', 'chain', '--signing', '--why', 'a key may be stolen');
    await cancel(id);
    await world.settleDown();
    await expectCancelled(id, destination);
  });

  it('when no node takes the cancellation, ends when the signature has expired, by proof', async () => {
    const destination = randomAddress();
    const id = await world.send({ amount: '3', destination, walletUsername: 'alice' });
    await world.work({ chain: deaf });
    await cancel(id);
    await world.work({ chain: deaf });
    await world.mine(1, 2_000);
    await world.mine(2);
    await world.work({ chain: deaf });
    expect(await heldBy(alice)).toBe(3_000_000n);
    await world.mine(2);
    await world.work({ chain: deaf });
    await world.work({ chain: deaf });
    expect(await world.get(id)).toMatchObject({
      state: 'CANCELLED',
      errorReason: 'cancelled; what was signed has lapsed unused',
    });
    await world.settleDown();
    await expectCancelled(id, destination);
  });

  it('is retried when the token refuses it', async () => {
    const destination = randomAddress();
    const id = await world.send({ amount: '3', destination, walletUsername: 'alice' });
    await world.work({ chain: deaf });
    await world.turn('/token', { paused: true });
    await world.mine();
    await cancel(id);
    for (let i = 0; i < 6; i++) {
      await world.work();
      await world.mine();
    }
    expect(await heldBy(alice)).toBe(3_000_000n);
    await world.turn('/token', { paused: false });
    await world.mine();
    await endBackoffs(world);
    await world.settleDown();
    await expectCancelled(id, destination);
  });
});

describe('cancelled too late', () => {
  it('is COMPLETE when the payment was faster, and can no longer be cancelled', async () => {
    const destination = randomAddress();
    const id = await world.send({ amount: '9', destination, walletUsername: 'alice' });
    await world.work();
    await world.mine();
    expect(await cancel(id)).toBe('asked');
    await world.settleDown();
    const payment = (await readPayment(world.db, id))!;
    expect(payment.state).toBe('COMPLETE');
    expect(payment.timeline.map((step) => step.note).join('\n')).toMatch(/a cancellation was asked for/);
    expect(await world.listTransfers(destination)).toHaveLength(1);
    expect(await endsOf(id)).toEqual([{ kind: 'post' }]);
    await expect(cancel(id)).rejects.toMatchObject({ code: 'payment.ended', details: { state: 'COMPLETE' } });
    expect(await world.faults()).toEqual([]);
  });

  it('succeeds after all when a reorg reverts the payment', async () => {
    const destination = randomAddress();
    const id = await world.send({ amount: '9', destination, walletUsername: 'alice' });
    await world.work();
    await world.mine();
    await world.work();
    expect((await world.get(id)).state).toBe('CONFIRMED');
    await cancel(id);
    await world.turn('/reorg', { depth: 1, orphans: 'drop' });
    await world.settleDown();
    await expectCancelled(id, destination);
  });
});

describe('PostgreSQL refuses', () => {
  it('to sign, release or forget a payment that is being cancelled', async () => {
    const destination = randomAddress();
    const id = await world.send({ amount: '4', destination, walletUsername: 'alice' });
    await world.work({ chain: deaf });
    const insert = 'INSERT INTO cancellations (move_id, signature) VALUES ($1, $2)';
    await expect(world.db.query(insert, [id, Buffer.alloc(65)])).rejects.toThrow(/no cancellation of move/);
    const [before] = await world.db.query<{ carrier_id: string }>(
      'SELECT carrier_id FROM carrier_calls WHERE move_id = $1',
      [id],
    );
    await cancel(id);
    // Not even a superuser.
    const refuses = async (sql: string, ...values: unknown[]) =>
      expect(asAdmin(world.databaseUrl, sql, values), sql).rejects.toThrow();
    await refuses('INSERT INTO signatures VALUES ($1, 99999999999, $2)', id, Buffer.alloc(65));
    await refuses('UPDATE coin_moves SET cancel_wanted_at = NULL WHERE move_id = $1', id);
    for (const state of ['CANCELLED', 'DENIED', 'FAILED']) {
      await refuses('UPDATE payments SET state = $2 WHERE payment_id = $1', id, state);
    }
    await world.work({ chain: deaf });
    await refuses('UPDATE cancellations SET signature = $2 WHERE move_id = $1', id, Buffer.alloc(65));
    await refuses('DELETE FROM cancellations WHERE move_id = $1', id);
    await refuses(
      `INSERT INTO carrier_attempts (hash, carrier_id, version, raw, max_fee_wei, priority_fee_wei)
       VALUES ('0xold', $1, 1, '', 1, 1)`,
      before!.carrier_id,
    );
    await world.settleDown();
    await expectCancelled(id, destination);
    await refuses(insert, id, Buffer.alloc(65));
  });
});
