/** Coins on a real chain: sends, deposits, settlement. */
import { afterEach, describe, expect, it } from 'vitest';
import { type CustodyWorld, randomAddress, startCustody } from './support/custody.ts';

let world: CustodyWorld;
afterEach(async () => {
  await world.stop();
});

describe('a send to an address', () => {
  it('is carried, mined, final and exact', async () => {
    world = await startCustody();
    const alice = await world.person('alice', '100');
    await world.mine(4);
    await world.work();
    expect(await world.faults()).toEqual([]);
    const destination = randomAddress();
    const id = await world.send({ amount: '12.5', destination, walletUsername: 'alice' });
    expect((await world.get(id)).state).toBe('INITIATED');
    await world.work();
    const sent = await world.get(id);
    expect(sent.state).toBe('SENT');
    await world.mine();
    await world.work();
    expect((await world.get(id)).state).toBe('CONFIRMED');
    expect(await world.faults()).toEqual([]);
    await world.mine(3);
    await world.work();
    const done = await world.get(id);
    expect(done.state).toBe('COMPLETE');
    expect(done.txHash).toMatch(/^0x/);
    expect(await world.balance(destination)).toBe(12_500_000n);
    expect(await world.balance(alice.address)).toBe(87_500_000n);
    expect(await world.faults()).toEqual([]);
  });
});
