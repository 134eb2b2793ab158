/** The chain replaces blocks that were final. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CustodyWorld, randomAddress, startCustody } from './support/custody.ts';

let world: CustodyWorld;
beforeAll(async () => {
  world = await startCustody();
});
afterAll(() => world.stop());

it('keeps what is COMPLETE, carries it again, bears the deposit that vanished, and says so', async () => {
  const alice = await world.person('alice', '100');
  await world.treasury('100');
  await world.mine(4);
  await world.work();
  await world.mine(12);
  await world.work();
  const destination = randomAddress();
  const id = await world.send({ amount: '5', destination });
  await world.work();
  await world.turn('/faucet', { address: alice.address, usdc: '7' });
  await world.mine();
  for (let i = 0; i < 4; i++) {
    await world.mine();
    await world.work();
  }
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await world.faults()).toEqual([]);

  await world.turn('/reorg', { depth: 7, orphans: 'drop' });
  expect(await world.balance(destination)).toBe(0n);
  await world.mine(5);
  for (let i = 0; i < 10; i++) {
    await world.work();
    await world.mine();
  }
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await world.balance(destination)).toBe(5_000_000n);
  const pauses = await world.db.query<{ cause: string; reason: string }>('SELECT cause, reason FROM send_pauses');
  expect(pauses.map((pause) => pause.cause).sort()).toEqual(['reorg', 'strange']);
  expect(pauses.find((pause) => pause.cause === 'strange')!.reason).toMatch(/deposit of 7 USDC vanished/);
  const [loss] = await world.db.query<{ available: bigint }>(`SELECT available FROM accounts WHERE kind = 'loss'`);
  expect(loss!.available).toBe(-7_000_000n);
  expect(await world.faults()).toEqual([]);
  await expect(world.send({ amount: '1' })).rejects.toMatchObject({ code: 'service.paused' });
});
