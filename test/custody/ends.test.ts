/** Tests property (a) itself: unfinished work is reported with its state; work that ends in time is not. */
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { observeDatabase } from '../../server/src/http/ops/observeDatabase.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, type Holder, startCustody } from '../support/chain/custody.ts';
import { judgeEnd } from '../support/properties/judgeEnd.ts';
import { waitUntilEnded } from '../support/properties/waitUntilEnded.ts';

let world: CustodyWorld;
beforeAll(async () => {
  world = await startCustody();
  await world.fund({ ada: '20' });
});
afterAll(() => world.stop());

const rest = async () => {};

it('reports the payment, its hold and its job while no worker runs, and nothing once it has ended', async () => {
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

it('reports what two operators must decide, unless the story leaves it to them', async () => {
  world.sendRules = { approvalThreshold: parseUsdc('1'), newRecipientDelaySeconds: 0 };
  const id = await world.send({ amount: '1', walletUsername: 'ada' });
  const [waiting] = await judgeEnd(world, { steps: 3 });
  expect(waiting).toBe(`payment ${id} is INITIATED: two operators must decide after 3 steps`);
  expect(await judgeEnd(world, { steps: 0, leaves: [id] })).toEqual([]);
  await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
  expect(await judgeEnd(world)).toEqual([]);
});

it('shows operators the age of unfinished work', async () => {
  const registry = new Registry();
  observeDatabase(registry, world.db);
  expect(await registry.metrics()).not.toMatch(/^florin_unended_oldest_seconds\{/m);
  await world.person('ben');
  const [ada] = await world.db.query<{ user_id: string }>(`SELECT user_id FROM usernames WHERE username = 'ada'`);
  await world.payUser({ userId: ada!.user_id } as Holder, 'ben', '2');
  expect((await settleWallets(world, world.network, world.usdc)).transfers).toBe(1);
  await world.db.query(
    'INSERT INTO open_arrivals (network_id, provider_id) SELECT network_id, gen_random_uuid() FROM networks',
  );
  const shown = (await registry.metrics()).match(/^florin_unended_oldest_seconds\{.*\}/gm);
  expect(shown?.toSorted()).toEqual([
    'florin_unended_oldest_seconds{blockchain="ETH-SEPOLIA",what="arrival"}',
    'florin_unended_oldest_seconds{blockchain="ETH-SEPOLIA",what="settlement"}',
  ]);
  await world.db.query('DELETE FROM open_arrivals');
  expect(await judgeEnd(world)).toEqual([]);
});
