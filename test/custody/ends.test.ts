/** Property (a) itself: what has not ended is named, with its state; what ends in time is not. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, startCustody } from '../support/chain/custody.ts';
import { judgeEnd } from '../support/properties/judgeEnd.ts';
import { waitUntilEnded } from '../support/properties/waitUntilEnded.ts';

let world: CustodyWorld;
beforeAll(async () => {
  world = await startCustody();
  await world.fund({ ada: '20' });
});
afterAll(() => world.stop());

const rest = async () => {};

it('names the payment, its hold and its job while nobody works, and is content when it has ended', async () => {
  const id = await world.send({ amount: '1', walletUsername: 'ada' });
  const stuck = await waitUntilEnded({ db: world.db, step: rest }, { steps: 2 });
  expect(stuck).toEqual([
    `payment ${id} is INITIATED after 2 steps`,
    expect.stringMatching(`^job submit ETH-SEPOLIA ${id} is not done`),
  ]);
  await world.work();
  expect(await waitUntilEnded({ db: world.db, step: rest }, { steps: 0 })).toEqual([
    `payment ${id} is SENT after 0 steps`,
    `send move ${id} is open after 0 steps`,
  ]);
  expect(await judgeEnd(world)).toEqual([]);
});

it('names what two operators must decide, unless the story leaves it to them', async () => {
  world.sendRules = { approvalThreshold: parseUsdc('1'), newRecipientDelaySeconds: 0 };
  const id = await world.send({ amount: '1', walletUsername: 'ada' });
  const [waiting] = await judgeEnd(world, { steps: 3 });
  expect(waiting).toBe(`payment ${id} is INITIATED: two operators must decide after 3 steps`);
  expect(await judgeEnd(world, { steps: 0, leaves: [id] })).toEqual([]);
  await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
  expect(await judgeEnd(world)).toEqual([]);
});
