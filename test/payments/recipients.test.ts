/** Address poisoning: look-alikes are refused, and the first payment to an address may have to wait. */
import { randomUUID } from 'node:crypto';
import { getAddress } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Hex } from '../../server/src/core/ports.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { approvePayment } from '../../server/src/payments/sends/approvePayment.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { getAccepted, sendToAddress } from '../../server/src/payments/sends/sendToAddress.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { eventually } from '../support/eventually.ts';
import { asOperator, nameOperators } from '../support/operators.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
let alice: Holder;
beforeAll(async () => {
  world = await startCustody();
  ({ alice } = await world.fund({ alice: '1000', bob: '1000', treasury: '1000' }));
});
beforeEach(() => {
  world.sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
});
afterAll(() => world.stop());

const send = (destination: Hex, walletUsername = 'alice', amount = '1') =>
  world.send({ amount, destination, walletUsername });
async function pay(destination: Hex): Promise<void> {
  await send(destination);
  await world.settleDown();
}
/** The same first and last digits, another middle. */
const imitate = (address: Hex, first = 4, last = 4): Hex => {
  const other = randomAddress();
  return `0x${address.slice(2, 2 + first)}${other.slice(2 + first, 42 - last)}${address.slice(42 - last)}`;
};
/** All money and payments, for comparison before and after. */
const books = async () =>
  JSON.stringify(
    await world.db.query(
      `SELECT (SELECT sum(available)::text || ' ' || sum(held)::text FROM accounts WHERE user_id IS NOT NULL) AS money,
              (SELECT count(*)::int FROM transfers) AS transfers, (SELECT count(*)::int FROM payments) AS payments,
              (SELECT count(*)::int FROM jobs) AS jobs`,
    ),
  );

describe('an address that begins and ends like one that the wallet has paid', () => {
  it('is refused, changes nothing, and gets the same refusal again under its key', async () => {
    const friend = randomAddress();
    await pay(friend);
    const before = await books();
    const request = { amount: 1n, destination: imitate(friend), walletUsername: 'alice' };
    await expect(world.send(request)).rejects.toMatchObject({ code: 'address.lookalike', status: 409 });
    const key = { caller: 'web3', route: '/wallet/send-usdc', text: randomUUID() };
    const ask = () =>
      sendToAddress(world, { ...request, amount: 1n as never, blockchain: HOME, currency: 'USDC', key });
    const first = await ask();
    const second = await ask();
    expect([first.replayed, second.replayed]).toEqual([false, true]);
    for (const { result } of [first, second]) {
      expect(result).toMatchObject({ refusal: { code: 'address.lookalike' } });
    }
    expect(await books()).toBe(before);
  });

  it('is refused in any case of its letters, and the friend is paid in any case', async () => {
    const friend: Hex = `0xabcd${'1'.repeat(32)}beef`;
    await pay(friend);
    const imitation = getAddress(`0xabcd${'2'.repeat(32)}beef`);
    expect(imitation.slice(0, 6)).not.toBe(friend.slice(0, 6));
    await expect(send(imitation)).rejects.toMatchObject({ code: 'address.lookalike' });
    await pay(getAddress(friend));
    const known = await world.db.query('SELECT address FROM recipients WHERE lower(address) = $1', [friend]);
    expect(known).toHaveLength(1);
  });

  it('is not a look-alike with one digit less in common, for another wallet, or before the friend was paid', async () => {
    const friend = randomAddress();
    const [three, other] = ['0', '1'].map((digit) => {
      const flip = (at: string) => (at === digit ? '2' : digit);
      return { front: flip(friend[5]!), back: flip(friend[38]!) };
    });
    await send(friend);
    await send(imitate(friend));
    await world.settleDown();
    const shape = imitate(friend);
    await expect(send(shape)).rejects.toMatchObject({ code: 'address.lookalike' });
    await send(`${shape.slice(0, 5)}${three!.front}${shape.slice(6)}` as Hex);
    await send(`${shape.slice(0, 38)}${other!.back}${shape.slice(39)}` as Hex);
    await send(shape, 'bob');
    // Both were paid, so both are known: neither is refused now.
    await send(friend);
    await world.settleDown();
    expect(await world.faults()).toEqual([]);
  });

  it('is refused from the moment the payment is complete, however it was relayed', async () => {
    const friend = randomAddress();
    await send(friend);
    await world.settleDown();
    const [row] = await world.db.query('SELECT look FROM recipients WHERE wallet_id = $1 AND address = $2', [
      alice.walletId,
      friend,
    ]);
    expect(row).toEqual({ look: friend.slice(2, 6) + friend.slice(-4) });
  });

  it('is found through an index, by the wallet and the look-alike key', async () => {
    // As the accepting statement does.
    const plan = await world.db.tx(async (tx) => {
      await tx.query('SET LOCAL enable_seqscan = off');
      return tx.query(
        `EXPLAIN SELECT bool_or(address = '0x') FROM recipients WHERE wallet_id = '${alice.walletId}' AND look = 'abcdabcd'`,
      );
    });
    expect(JSON.stringify(plan)).toMatch(/Index Cond: \(\(wallet_id = [^)]+\) AND \(look = /);
  });
});

describe('the first payment of a wallet to an address', () => {
  beforeEach(() => {
    world.sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 3600 };
  });

  it('waits, shows until when, and no worker reserves it before', async () => {
    const destination = randomAddress();
    const id = await send(destination);
    const [row] = await world.db.query<{ not_before: Date; run_at: Date; seconds: number }>(
      `SELECT p.not_before, j.run_at, extract(epoch FROM p.not_before - t.created_at)::float8 AS seconds
         FROM payments p JOIN jobs j ON j.key = p.payment_id::text JOIN transfers t ON t.transfer_id = p.payment_id
        WHERE p.payment_id = $1`,
      [id],
    );
    expect(row!.run_at).toEqual(row!.not_before);
    expect(row!.seconds).toBeGreaterThanOrEqual(3600);
    await world.work();
    const note = `accepted, the amount is held; waits until ${row!.not_before.toISOString()}, because this wallet has never paid this address, and can be cancelled until then`;
    expect((await readPayment(world.db, id))!.timeline).toMatchObject([{ state: 'INITIATED', note }]);
    expect((await getAccepted(world, id)).timeline).toMatchObject([{ state: 'INITIATED', note }]);
    // A job that runs early, after a clock was set back, keeps waiting, and delays none of its neighbours.
    world.sendRules = { ...world.sendRules, newRecipientDelaySeconds: 0 };
    const neighbour = await send(randomAddress());
    await world.db.query('UPDATE jobs SET run_at = now() WHERE key = $1', [id]);
    await world.work();
    expect([(await world.get(id)).state, (await world.get(neighbour)).state]).toEqual(['INITIATED', 'SENT']);
    const reserved = world.db.query(
      `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved)
       VALUES ($1, $2, $3, 'send', 'eip3009', $4, $5, 1000000, 0)`,
      [id, world.usdc.assetId, alice.walletId, alice.address, destination],
    );
    await expect(reserved).rejects.toThrow(/waits/);
    await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
    expect(await world.get(id)).toMatchObject({
      state: 'CANCELLED',
      errorReason: 'cancelled before anything was signed',
    });
    await world.settleDown();
    expect(await world.balance(destination)).toBe(0n);
    expect(await world.faults()).toEqual([]);
  });

  it('is paid when its time has come, and the second does not wait', async () => {
    world.sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 3 };
    const destination = randomAddress();
    const id = await send(destination);
    await world.work();
    await eventually(async () => {
      await world.work();
      expect((await world.get(id)).state).toBe('SENT');
    });
    const sent = await world.db.query(
      `SELECT e.at >= p.not_before AS in_time FROM payments p JOIN payment_events e USING (payment_id)
        WHERE p.payment_id = $1 AND e.state = 'SENT'`,
      [id],
    );
    expect(sent).toEqual([{ in_time: true }]);
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
    world.sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 3600 };
    const second = await send(destination, 'alice', '2');
    await world.settleDown();
    expect((await world.get(second)).state).toBe('COMPLETE');
    expect(await world.balance(destination)).toBe(3_000_000n);
  });

  it('waits for people and for its time, whichever is later', async () => {
    world.sendRules = { approvalThreshold: 1n as never, newRecipientDelaySeconds: 3600 };
    await nameOperators(world.databaseUrl, { anna: 'admin', rita: 'risk' });
    const id = await send(randomAddress());
    for (const name of ['anna', 'rita'] as const) {
      await asOperator(world.databaseUrl, name, (db) => approvePayment({ db }, id));
    }
    await world.work();
    const payment = (await readPayment(world.db, id))!;
    expect(payment.state).toBe('CLEARED');
    expect(payment.timeline[0]!.note).toMatch(/two operators, 0 of 2; waits until/);
    expect(payment.timeline.at(-1)!.note).toMatch(/^approved by two operators; waits until/);
    const [job] = await world.db.query<{ later: boolean }>('SELECT run_at > now() AS later FROM jobs WHERE key = $1', [
      id,
    ]);
    expect(job).toEqual({ later: true });
    await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
  });
});
