/** Every crash point of a payment's life: the worker dies exactly there, the next one goes on, one transfer is made. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMortal, type Step } from './support/crash.ts';
import { type CustodyWorld, randomAddress, startCustody } from './support/custody.ts';

let world: CustodyWorld;
beforeAll(async () => {
  world = await startCustody();
  await world.treasury('1000');
  await world.mine(4);
  await world.work();
});
afterAll(() => world.stop());

type When = (step: Step) => 'before' | 'after' | undefined;
const at =
  (end: 'before' | 'after', name: string, sql = ''): When =>
  (step) =>
    step.name === name && step.sql.includes(sql) ? end : undefined;

/** What §3 of the reliability notes lists, in the order of a payment's life. */
const POINTS: [string, When, 'first' | 'mined'][] = [
  ['after the hold, before its coins are promised', at('before', 'tx.query', 'reserve_sends'), 'first'],
  ['coins promised, the commit unanswered', at('after', 'db.commit'), 'first'],
  ['promised, before it is signed', at('before', 'wallets.signAuthorization'), 'first'],
  ['signed, before the signature is committed', at('after', 'wallets.signAuthorization'), 'first'],
  ['the signature committed, no carrier', at('after', 'db.query', 'INSERT INTO signatures'), 'first'],
  ['half way into a carrier', at('before', 'tx.query', 'INSERT INTO carrier_legs'), 'first'],
  ['a slot committed, its bytes not signed', at('before', 'wallets.signCarrier'), 'first'],
  ['bytes signed, not committed', at('before', 'db.query', 'INSERT INTO carrier_attempts'), 'first'],
  ['bytes committed, before the broadcast', at('before', 'chain.broadcast'), 'first'],
  ['broadcast, the answer lost', at('after', 'chain.broadcast'), 'first'],
  ['broadcast, not written down', at('before', 'db.query', 'UPDATE carrier_attempts'), 'first'],
  ['seen in a block, before it is shown', at('before', 'tx.query', `SET state = 'CONFIRMED'`), 'first'],
  ['final, before the hold is posted', at('before', 'tx.query', 'ledger_move'), 'mined'],
  ['final, half posted', at('after', 'tx.query', 'ledger_move'), 'mined'],
  ['final, before coins move', at('before', 'tx.query', 'UPDATE holdings'), 'mined'],
  ['final, the commit unanswered', at('after', 'db.commit'), 'mined'],
  ['final, before its carrier ends', at('before', 'tx.query', 'UPDATE carriers'), 'mined'],
];

describe('the worker dies', () => {
  it.each(POINTS)('%s', async (_, when, moment) => {
    const destination = randomAddress();
    const id = await world.send({ amount: '1.25', destination });
    if (moment === 'mined') {
      await world.work();
      await world.mine(4);
    }
    let died: string | undefined;
    for (let i = 0; i < 6 && !died; i++) {
      const mortal = createMortal(world, when);
      await world.work(mortal).catch((error: Error) => {
        if (!mortal.died) throw error;
      });
      died = mortal.died;
      if (!died) await world.mine();
    }
    expect(died).toBeDefined();
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
    const to = await world.chain.getHead();
    const logs = await world.chain.listTokenLogs({ from: 0n, to, wallets: [destination] });
    expect(logs.filter((log) => log.kind === 'transfer')).toHaveLength(1);
    expect(await world.balance(destination)).toBe(1_250_000n);
    expect(await world.faults()).toEqual([]);
  });
});
