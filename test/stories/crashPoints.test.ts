/**
 * Every crash point of a payment's life, and of its cancellation: the worker dies exactly there, the next one
 * continues, and one transfer is made, or none.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Hex } from '../../server/src/core/ports.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { at, createMortal, createMortalSigner, type When, workUntilDeath } from '../support/chain/crash.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';
import { expectOneEnd } from '../support/chain/expectOneEnd.ts';
import { judgeEnd } from '../support/properties/judgeEnd.ts';
import { onePart } from '../support/run/thorough.ts';

let world: CustodyWorld;
beforeAll(async () => {
  world = await startCustody();
  await world.fund({ treasury: '1000' });
});
afterAll(() => world.stop());

/** The crash points in the order of a payment's life. */
const POINTS: [string, When, 'first' | 'mined'][] = [
  ['after the hold, before its coins are reserved', at('before', 'tx.query', 'queue_payments'), 'first'],
  ['coins reserved, the commit unanswered', at('after', 'db.commit'), 'first'],
  ['reserved, before it is signed', at('before', 'signer.signAuthorizations'), 'first'],
  ['signed, before the signature is committed', at('before', 'db.query', 'commit_signatures'), 'first'],
  ['the signature committed, no relay transaction', at('after', 'db.query', 'commit_signatures'), 'first'],
  ['signed, the signer’s answer lost', at('after', 'signer.signAuthorizations'), 'first'],
  ['half way into a relay transaction', at('before', 'tx.query', 'INSERT INTO carrier_calls'), 'first'],
  ['a relay transaction committed, its bytes not signed', at('before', 'signer.signRelayTx'), 'first'],
  ['bytes signed, not committed', at('before', 'db.query', 'INSERT INTO carrier_attempts'), 'first'],
  ['bytes committed, before the broadcast', at('before', 'chain.broadcast'), 'first'],
  ['broadcast, the answer lost', at('after', 'chain.broadcast'), 'first'],
  ['broadcast, not recorded', at('before', 'db.query', 'UPDATE carrier_attempts'), 'first'],
  ['seen in a block, before it is shown', at('before', 'tx.query', 'payments_advance', 'CONFIRMED'), 'first'],
  ['final, before the hold is posted', at('before', 'tx.query', 'post_holds'), 'mined'],
  ['final, half posted', at('after', 'tx.query', 'post_holds'), 'mined'],
  ['final, before coins move', at('before', 'tx.query', 'UPDATE holdings'), 'mined'],
  ['final, the commit unanswered', at('after', 'db.commit'), 'mined'],
  ['final, before its relay transaction ends', at('before', 'tx.query', 'UPDATE carriers'), 'mined'],
];

const cancel = (id: string, db = world.db) => db.tx((tx) => cancelPayment(tx, { paymentId: id }));
const countTransfers = async (destination: Hex) => (await world.listTransfers(destination)).length;

describe('the worker dies', () => {
  it.each(onePart(POINTS, 4))('%s', async (_, when, moment) => {
    const destination = randomAddress();
    const id = await world.send({ amount: '1.25', destination });
    if (moment === 'mined') {
      await world.work();
      await world.mine(4);
    }
    await workUntilDeath(world, when);
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
    expect(await countTransfers(destination)).toBe(1);
    expect(await world.balance(destination)).toBe(1_250_000n);
    expect(await world.faults()).toEqual([]);
  });
});

/** The worker keeps running and gets no answer; another signer is there at its next pass. */
const SIGNER_POINTS: [string, When, 'sends' | 'cancels'][] = [
  ['before it reads the move', at('before', 'db.query', 'FROM coin_moves m JOIN assets'), 'sends'],
  ['before it signs', at('before', 'keys.signAuthorization'), 'sends'],
  ['signed, before the signature is committed', at('before', 'db.query', 'commit_signatures'), 'sends'],
  ['the signature committed, unanswered', at('after', 'db.query', 'commit_signatures'), 'sends'],
  ['before the bytes of a relay transaction are signed', at('before', 'keys.signRelayTx'), 'sends'],
  ['bytes signed, not committed', at('before', 'db.query', 'INSERT INTO carrier_attempts'), 'sends'],
  ['bytes committed, unanswered', at('after', 'db.query', 'INSERT INTO carrier_attempts'), 'sends'],
  ['a cancellation signed, not committed', at('before', 'db.query', 'INSERT INTO cancellations'), 'cancels'],
  ['a cancellation committed, unanswered', at('after', 'db.query', 'INSERT INTO cancellations'), 'cancels'],
];

describe('the signer dies alone', () => {
  it.each(onePart(SIGNER_POINTS, 3))('%s', async (_, when, what) => {
    const destination = randomAddress();
    const id = await world.send({ amount: '1.25', destination });
    if (what === 'cancels') {
      await world.work();
      await cancel(id);
    }
    const mortal = createMortalSigner(world, when);
    await world.work({ signer: mortal.signer });
    expect(mortal.died).toBeDefined();
    await world.settleDown();
    await expectOneEnd(world, id, destination, what === 'sends' ? 'COMPLETE' : 'CANCELLED');
  });
});

/** The row "cancel wanted" of the same list, for a payment that is signed and broadcast. */
const CANCEL_POINTS: [string, When, 'asked' | 'mined'][] = [
  ['requested, before it is signed', at('before', 'signer.signCancellations'), 'asked'],
  ['signed, before the signature is committed', at('before', 'db.query', 'INSERT INTO cancellations'), 'asked'],
  ['the signature committed, unanswered', at('after', 'db.query', 'INSERT INTO cancellations'), 'asked'],
  ['half way into the relay transaction', at('after', 'tx.query', 'SET version = version + 1'), 'asked'],
  [
    'before the rewritten relay transaction is committed',
    at('after', 'tx.query', 'UPDATE carriers SET target'),
    'asked',
  ],
  ['the rewritten relay transaction committed, its bytes not signed', at('before', 'signer.signRelayTx'), 'asked'],
  ['bytes signed, not committed', at('before', 'db.query', 'INSERT INTO carrier_attempts'), 'asked'],
  ['bytes committed, before the broadcast', at('before', 'chain.broadcast'), 'asked'],
  ['broadcast, the answer lost', at('after', 'chain.broadcast'), 'asked'],
  ['broadcast, not recorded', at('before', 'db.query', 'UPDATE carrier_attempts'), 'asked'],
  ['final, before its coins are free', at('before', 'tx.query', `SET state = 'dead'`), 'mined'],
  ['final, before the hold is released and shown', at('before', 'tx.query', 'payment_release'), 'mined'],
  ['final, released and not committed', at('after', 'tx.query', 'payment_release'), 'mined'],
  ['final, the commit unanswered', at('after', 'db.commit'), 'mined'],
  [
    'final, before its relay transaction ends',
    at('before', 'tx.query', `UPDATE carriers SET state = 'final'`),
    'mined',
  ],
];

describe('a cancellation is requested, and the worker dies', () => {
  it.each(onePart(CANCEL_POINTS, 4))('%s', async (_, when, moment) => {
    const destination = randomAddress();
    const id = await world.send({ amount: '1.25', destination });
    await world.work();
    await cancel(id);
    if (moment === 'mined') {
      await world.work();
      await world.mine(4);
    }
    await workUntilDeath(world, when);
    await world.settleDown();
    await expectOneEnd(world, id, destination, 'CANCELLED');
  });

  it.each(onePart(CANCEL_POINTS.filter(([, , moment]) => moment === 'asked').slice(0, 5), 2))(
    'too late: the payment is mined before, %s',
    async (_, when) => {
      const destination = randomAddress();
      const id = await world.send({ amount: '1.25', destination });
      await world.work();
      await world.mine();
      await cancel(id);
      await workUntilDeath(world, when);
      await world.settleDown();
      await expectOneEnd(world, id, destination, 'COMPLETE');
    },
  );

  it.each(['before', 'after'] as const)(
    'the process that requests it dies %s the commit, and requests it again',
    async (end) => {
      for (const signed of [false, true]) {
        const destination = randomAddress();
        const id = await world.send({ amount: '1.25', destination });
        if (signed) await world.work();
        const last = end === 'before' ? at('after', 'tx.query', 'record_audit') : at('after', 'db.commit');
        const mortal = createMortal(world, last);
        await expect(cancel(id, mortal.db)).rejects.toThrow();
        expect(mortal.died).toBeDefined();
        const [audit] = await world.db.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM audit_log WHERE details->>'payment_id' = $1`,
          [id],
        );
        expect(audit!.n).toBe(end === 'before' ? 0 : 1);
        await cancel(id);
        await world.settleDown();
        await expectOneEnd(world, id, destination, 'CANCELLED');
      }
    },
  );
});

it('in the end everything has ended, and every balance is explained', async () => {
  expect(await judgeEnd(world)).toEqual([]);
});
