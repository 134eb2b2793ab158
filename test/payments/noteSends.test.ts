/** The note of a send to an address: only its payer reads it, and it is compared even after it was removed. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';
import { type OwnView, serveOwnView } from '../support/people/ownView.ts';

let world: CustodyWorld;
let api: OwnView;
let bob: Holder;
let carol: Holder;
beforeAll(async () => {
  world = await startCustody();
  ({ bob, carol } = await world.fund({ bob: '1000', carol: '10' }));
  api = await serveOwnView(world);
});
afterAll(async () => {
  await api.close();
  await world.stop();
});

const get = (who: Holder, path: string) => api.call(who.userId!, 'GET', `/api/v1${path}`);
const send = (who: Holder, body: Record<string, unknown>, headers: Record<string, string>) =>
  api.call(who.userId!, 'POST', '/api/v1/send_to_address', body, headers);

it('keeps the note, compares it after it was removed too, and stores nothing that it could be guessed from', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const body = { destination_address: randomAddress(), amount: 1, payment_note: 'rent' };
  const first = await send(bob, body, headers);
  const id = first.body.transaction_id;
  expect(first.body.payment_note).toBe('rent');
  expect((await send(bob, body, headers)).body).toEqual(first.body);
  expect((await get(bob, `/transactions/${id}`)).body.payment_note).toBe('rent');
  expect((await get(carol, `/transactions/${id}`)).status).toBe(404);
  // The same request under another key has another hash, because the hash contains the key.
  await send(bob, body, { 'idempotency-key': randomUUID() });
  const hashes = await asAdmin<{ hash: string }>(
    world.databaseUrl,
    `SELECT DISTINCT request_hash::text AS hash FROM idempotency_records JOIN payment_notes ON payment_id = record_id`,
  );
  expect(hashes.length).toBe(2);
  await asAdmin(world.databaseUrl, 'UPDATE payment_notes SET note = NULL');
  expect((await get(bob, `/transactions/${id}`)).body).not.toHaveProperty('payment_note');
  expect((await send(bob, body, headers)).body.transaction_id).toBe(id);
  for (const payment_note of ['Rent', null])
    expect((await send(bob, { ...body, payment_note }, headers)).body.code).toBe('idempotency.mismatch');
});

it('is another request with a note than without', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const body = { destination_address: randomAddress(), amount: 1 };
  const first = await send(bob, body, headers);
  expect(first.body).not.toHaveProperty('payment_note');
  expect((await send(bob, { ...body, payment_note: 'rent' }, headers)).body.code).toBe('idempotency.mismatch');
  expect((await send(bob, { ...body, payment_note: null }, headers)).body).toEqual(first.body);
});

it('is refused under a misspelt name, because the operation is our own', async () => {
  const body = { destination_address: randomAddress(), amount: 1, payment_notes: 'rent' };
  const refused = await send(bob, body, { 'idempotency-key': randomUUID() });
  expect(refused.status).toBe(422);
  expect(JSON.stringify(refused.body)).toContain("Did you mean 'payment_note'?");
});

it('of a refused send is part of the stored refusal', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const body = { destination_address: randomAddress(), amount: 999, payment_note: 'too much' };
  expect((await send(carol, body, headers)).body.code).toBe('balance.insufficient');
  expect((await send(carol, body, headers)).body.code).toBe('balance.insufficient');
  expect((await send(carol, { ...body, payment_note: 'less' }, headers)).body.code).toBe('idempotency.mismatch');
  expect(await asAdmin(world.databaseUrl, `SELECT FROM payment_notes WHERE note = 'too much'`)).toEqual([]);
});
