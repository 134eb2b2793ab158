/** What became of a payment's key, and whose an address is: people ask before they pay. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { type OwnView, serveOwnView } from '../support/people/ownView.ts';

let world: CustodyWorld;
let api: OwnView;
let alice: Holder;
let bob: Holder;
beforeAll(async () => {
  world = await startCustody();
  ({ alice, bob } = await world.fund({ alice: '1000', bob: '1000', treasury: '1000' }));
  await world.db.query('SELECT ledger_set_home_asset($1)', [world.usdc.assetId]);
  api = await serveOwnView(world);
});
afterAll(async () => {
  await api.close();
  await world.stop();
});

const get = (who: Holder, path: string) => api.call(who.userId!, 'GET', `/api/v1${path}`);
const send = (who: Holder, body: Record<string, unknown>, headers?: Record<string, string>) =>
  api.call(who.userId!, 'POST', '/api/v1/send_to_address', body, headers);

describe('GET /api/v1/me/keys', () => {
  const find = async (who: Holder, key: string) => {
    const { body } = await get(who, `/me/keys?idempotency_key=${encodeURIComponent(key)}`);
    return [body.outcome, body.transaction_id];
  };
  const pay = (key: string, receiver: string, amount: number) =>
    api.call(
      alice.userId!,
      'POST',
      '/api/v1/send_usdc',
      { sender_user_id: alice.userId, receiver_username: receiver, amount },
      { 'idempotency-key': key },
    );

  it('says what became of a key, to the person who sent it', async () => {
    const [paid, refused, sent, denied] = [randomUUID(), randomUUID(), `a b/%2F ${randomUUID()}`, randomUUID()];
    expect(await find(alice, paid)).toEqual(['none', null]);
    const { transaction_id: paymentId } = (await pay(paid, 'bob', 1)).body;
    expect((await pay(refused, 'nobody_here', 1)).status).toBe(404);
    const address = randomAddress();
    const { transaction_id: sendId } = (
      await send(alice, { destination_address: address, amount: 1 }, { 'idempotency-key': sent })
    ).body;
    expect(
      (await send(alice, { destination_address: address, amount: 900_000 }, { 'idempotency-key': denied })).status,
    ).toBe(409);
    expect(await find(alice, paid)).toEqual(['accepted', paymentId]);
    expect(await find(alice, sent)).toEqual(['accepted', sendId]);
    expect(await find(alice, refused)).toEqual(['refused', null]);
    expect(await find(alice, denied)).toEqual(['refused', null]);
    for (const key of [paid, refused, sent, denied]) expect(await find(bob, key)).toEqual(['none', null]);
    // Asking has paid nothing: the repeated call gets the first answer.
    expect((await pay(paid, 'bob', 1)).body.transaction_id).toBe(paymentId);
  });

  it.each(['%20', '%C3%A4', 'x'.repeat(256)])('refuses %s, which is no key', async (key) => {
    expect((await get(alice, `/me/keys?idempotency_key=${key}`)).body.code).toBe('idempotency.invalid');
  });
});

describe('GET /api/v1/addresses/{address}', () => {
  it('names a customer only if they let others find their name', async () => {
    const find = async (who: Holder, address: string) => {
      const { body } = await get(who, `/addresses/${address}`);
      return [body.customer, body.username];
    };
    const publish = (discoverable: boolean) =>
      api.call(bob.userId!, 'PATCH', '/api/v1/me', { discoverable }).then(({ body }) => body.discoverable);
    expect(await find(alice, bob.address)).toEqual([true, null]);
    expect(await find(bob, bob.address)).toEqual([true, 'bob']);
    expect(await publish(true)).toBe(true);
    for (const written of [bob.address, bob.address.toLowerCase()])
      expect(await find(alice, written)).toEqual([true, 'bob']);
    expect((await get(bob, '/me')).body.discoverable).toBe(true);
    expect(await publish(false)).toBe(false);
    expect(await find(alice, bob.address)).toEqual([true, null]);
    expect(await find(alice, randomAddress())).toEqual([false, null]);
    for (const text of ['bob', '0x', 'x'.repeat(99)])
      expect((await get(alice, `/addresses/${text}`)).body.code, text).toBe('address.invalid');
  });
});
