/** M36: a recorded restore, on unwatched chains: sends accepted before it can be cancelled and denied. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { noteRestore } from '../../server/src/operators/restores.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { denyPayment } from '../../server/src/payments/sends/denyPayment.ts';
import { startUnwatchedWorld, type UnwatchedWorld } from '../support/circle/unwatchedChain.ts';
import { findUnfinished } from '../support/restores/runStory.ts';
import { inPlace } from '../support/restores/ways.ts';

let place: UnwatchedWorld;
beforeAll(async () => {
  place = await startUnwatchedWorld('APTOS-TESTNET', {
    approvalThreshold: parseUsdc('5'),
    newRecipientDelaySeconds: 0,
  });
});
afterAll(() => place.stop());

const randomAddress = () => `0x${randomBytes(32).toString('hex')}`;
const stateOf = async (id: string) => (await readPayment(place.db, id))!.state;
const note = () => place.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));
const cancel = (id: string) => place.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
const deny = (id: string) => place.db.tx((tx) => denyPayment(tx, id, 'a test', 'operator:anna'));

async function settle(...ids: readonly string[]): Promise<string[]> {
  for (let turn = 0; turn < 4; turn++) {
    await place.work();
    await place.step();
  }
  return Promise.all(ids.map(stateOf));
}

it('M36: after a recorded restore, an earlier send is cancelled, and one that waits for approvals is denied', async () => {
  const { userId, walletId } = await place.person('ada', 2);
  const [small, large] = [
    await place.send(walletId, randomAddress(), '1'),
    await place.send(walletId, randomAddress(), '6'),
  ];
  await note();
  expect([await cancel(small), await deny(large)]).toEqual(['asked', 'asked']);
  expect(await settle(small, large)).toEqual(['CANCELLED', 'CANCELLED']);
  expect(await place.available(userId)).toBe('20');
  expect(await findUnfinished(place)).toEqual([]);
  expect(await place.faults()).toEqual([]);
});

it('M30, M36: nothing in Circle’s queue is refunded; Circle cancels it, or it is paid', async () => {
  const { userId, walletId } = await place.person('ben', 2);
  const [queued, sent] = [randomAddress(), randomAddress()];
  const ids = [await place.send(walletId, queued, '1'), await place.send(walletId, sent, '2')];
  const restore = await inPlace.backUp(place.databaseUrl);
  await place.work();
  await place.step();
  await restore();
  await note();
  for (const id of ids) expect(await cancel(id)).toBe('asked');
  expect(await settle(...ids)).toEqual(['COMPLETE', 'COMPLETE']);
  expect(await place.available(userId)).toBe('17');
  expect(await findUnfinished(place)).toEqual([]);
  expect(await place.faults()).toEqual([]);
});
