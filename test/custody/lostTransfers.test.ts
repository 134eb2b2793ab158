/** Transfers that Circle accepted and then no longer knows (part 15, item 3). Each has a way to end. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type CustodyWorld, randomAddress } from '../support/chain/custody.ts';
import { expectOneEnd } from '../support/chain/expectOneEnd.ts';
import { decideTransfer } from '../support/circle/decideTransfer.ts';
import { type SendingWorld, startSendingWorld } from '../support/circle/sendingWorld.ts';
import { nameOperators } from '../support/operators.ts';

let sending: SendingWorld;
let world: CustodyWorld;
beforeAll(async () => {
  sending = await startSendingWorld();
  world = sending.world;
  await nameOperators(world.databaseUrl, { anna: 'admin', rita: 'risk' });
  await world.fund({ alice: '100' });
});
afterEach(async () => {
  sending.double.control.reset();
  sending.life.keyMs = 3_600_000;
  await world.mine();
});
afterAll(() => world.stop());

const decide = (...words: string[]) => decideTransfer(world.databaseUrl, ...words);
const circleId = (id: string) => sending.double.control.transactions().find(({ refId }) => refId === id)!.id;
const rowOf = async (id: string) => {
  const [row] = await world.db.query<{ provider_state: string; held_at: Date | null }>(
    'SELECT provider_state, held_at FROM provider_transfers WHERE move_id = $1',
    [id],
  );
  return row!;
};

/**
 * Circle keeps the transfer at `at`, we have recorded `state`, and Circle forgets it. `isDead`: Circle never sends it.
 */
async function lose(at: 'INITIATED' | 'SENT', state: 'submitted' | 'sent', { isDead = false } = {}) {
  const { control } = sending.double;
  control.turn({ hold: at, ...(isDead && { fate: { state: 'DENIED', count: 1 } }) });
  const destination = randomAddress();
  const id = await world.send({ amount: '1', destination, walletUsername: 'alice' });
  await sending.until(async () => (await rowOf(id))?.provider_state === state);
  control.turn({ lost: [circleId(id)] });
  return { id, destination };
}

const hold = (id: string): Promise<void> => {
  sending.life.keyMs = 0;
  return sending.until(async () => (await rowOf(id)).held_at !== null);
};

it('a recent transfer that Circle forgets is waited for; later it is held, and two people end it as never made', async () => {
  const { id, destination } = await lose('INITIATED', 'submitted', { isDead: true });
  for (let i = 0; i < 3; i++) await world.work();
  expect(await rowOf(id)).toMatchObject({ provider_state: 'submitted', held_at: null });
  await hold(id);
  await decide('never-made', id);
  await sending.finish(id);
  await expectOneEnd(world, id, destination, 'FAILED');
  expect(await world.faults()).toEqual([]);
});

it('a transfer that Circle knows again is no longer held, and is paid', async () => {
  const { id, destination } = await lose('INITIATED', 'submitted');
  await hold(id);
  sending.double.control.turn({ lost: [] });
  await world.work();
  expect((await rowOf(id)).held_at).toBeNull();
  sending.double.control.reset();
  await sending.finish(id);
  await expectOneEnd(world, id, destination, 'COMPLETE');
});

it('a transfer that is on the chain is paid, although two people declared it never made', async () => {
  const { id, destination } = await lose('SENT', 'sent');
  await hold(id);
  await decide('never-made', id);
  await sending.finish(id);
  await expectOneEnd(world, id, destination, 'COMPLETE');
  expect(await world.faults()).toEqual([]);
});

it('a decision holds until Circle knows the transfer again', async () => {
  const { id, destination } = await lose('INITIATED', 'submitted', { isDead: true });
  await hold(id);
  await decide('never-made', id);
  sending.double.control.turn({ lost: [] });
  for (let i = 0; i < 3; i++) await world.work();
  expect(await rowOf(id)).toMatchObject({ provider_state: 'submitted', held_at: null });
  sending.double.control.turn({ lost: [circleId(id)] });
  await hold(id);
  await world.work();
  expect((await rowOf(id)).provider_state).toBe('submitted');
  await decide('never-made', id);
  await sending.finish(id);
  await expectOneEnd(world, id, destination, 'FAILED');
});

it.each([
  ['nothing', () => randomUUID()],
  [
    'another transfer',
    () => sending.double.control.transactions().find(({ transactionType }) => transactionType === 'INBOUND')!.id,
  ],
])(
  'a transfer that was adopted under the id of %s is held again, until people name the right one',
  async (_, wrongId) => {
    const { id, destination } = await lose('INITIATED', 'submitted');
    await hold(id);
    await decide('adopt', id, wrongId());
    expect((await rowOf(id)).held_at).toBeNull();
    await hold(id);
    sending.double.control.reset();
    await decide('adopt', id, circleId(id));
    await sending.finish(id);
    await expectOneEnd(world, id, destination, 'COMPLETE');
  },
);
