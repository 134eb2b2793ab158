/** Old data is deleted in parts; a payment's id and the answer under its key never are. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { idFromKey } from '../../server/src/core/ids.ts';
import { openSession } from '../../server/src/customers/sessions/sessions.ts';
import { hashRequest, replayOrRun } from '../../server/src/db/idempotency.ts';
import { forgetAudit } from '../../server/src/operators/forgetAudit.ts';
import { forgetOld, type Retention } from '../../server/src/operators/forgetOld.ts';
import { recordAudit } from '../../server/src/operators/recordAudit.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';

const DAYS: Retention = {
  answers: 90,
  carriers: 0,
  deliveries: 30,
  events: 0,
  notes: 0,
  refusals: 90,
  sessions: 90,
  spendings: 60,
};
const ROUTE = '/api/v1/send_usdc';

let florin: PaymentsServer;
let alice: Person;
beforeAll(async () => {
  florin = await startPayments();
  alice = await createPerson(florin.db, 'alice', '100');
  await createPerson(florin.db, 'bob');
});
afterAll(() => florin.stop());

const count = async (sql: string, values: unknown[] = []) =>
  (await florin.admin.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`, values))[0]!.n;
/** As if it had been written this many days ago. */
const age = (sql: string, values: unknown[]) =>
  florin.admin.tx(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(sql, values);
  });
/** The next pass begins immediately. */
const pass = async () => {
  await florin.admin.query('UPDATE retention SET finished_at = NULL');
  while (await forgetOld(florin.admin, DAYS));
};
const send = (key: string, receiver: string) =>
  florin.send({ sender_user_id: alice.userId, receiver_username: receiver, amount: 1 }, { 'idempotency-key': key });
/** A call whose answer has the id of a payment, or not. */
const ask = (key: string, answer: string) =>
  florin.db.tx((tx) =>
    replayOrRun(tx, { caller: 'web3', route: '/wallet/send-usdc', key, hash: hashRequest('a') }, async () => answer),
  );
const recordOf = (key: string) => idFromKey('web3', '/wallet/send-usdc', key);

it('a payment and its key are kept forever, a refusal for its retention time', async () => {
  const [paid, refused, fresh] = [randomUUID(), randomUUID(), randomUUID()];
  const first = await send(paid, 'bob');
  expect(first.status).toBe(200);
  for (const key of [refused, fresh]) expect((await send(key, 'nobody_here')).status).toBe(404);
  const old = idFromKey(alice.userId, ROUTE, refused);
  await age(`UPDATE refusals SET created_at = now() - interval '91 days' WHERE payment_id = $1`, [old]);
  await age(`UPDATE transfers SET created_at = now() - interval '5 years' WHERE transfer_id = $1`, [
    first.body.transaction_id,
  ]);
  await pass();
  expect(await count('refusals WHERE payment_id = $1', [old])).toBe(0);
  expect((await send(fresh, 'nobody_here')).headers.get('idempotency-replayed')).toBe('true');
  const again = await send(paid, 'bob');
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  expect(again.body.transaction_id).toBe(first.body.transaction_id);
  expect(await count(`transfers WHERE kind = 'user' AND debit_account = $1`, [alice.accountId])).toBe(1);
});

it('the answer of a send stays, whether its record or its answer has the id; other answers are deleted', async () => {
  const payment = (await send(randomUUID(), 'bob')).body.transaction_id as string;
  const [own, imported, other, young] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  await ask(own, 'whatever');
  await ask(imported, payment);
  await ask(other, randomUUID());
  await ask(young, randomUUID());
  // The record of a send has the id of its payment.
  await age('UPDATE transfers SET transfer_id = $2 WHERE transfer_id = $1', [payment, recordOf(own)]);
  await age('INSERT INTO transfers SELECT (jsonb_populate_record(t, $2)).* FROM transfers t WHERE transfer_id = $1', [
    recordOf(own),
    { transfer_id: payment, seq: 77, debit_entry: 7777, credit_entry: 7777 },
  ]);
  await age(`UPDATE idempotency_records SET created_at = now() - interval '91 days' WHERE record_id <> $1`, [
    recordOf(young),
  ]);
  await pass();
  const left = [own, imported, other, young].map((key) =>
    count('idempotency_records WHERE record_id = $1', [recordOf(key)]),
  );
  expect(await Promise.all(left)).toEqual([1, 1, 0, 1]);
  expect((await ask(imported, 'another')).replayed).toBe(true);
  // Not even by hand.
  for (const key of [own, imported, young]) {
    const byHand = florin.admin.query('DELETE FROM idempotency_records WHERE record_id = $1', [recordOf(key)]);
    await expect(byHand).rejects.toThrow('the answer of an idempotency key is kept');
  }
});

it('ended and expired sessions are deleted, open ones stay; so does the audit log, unless the owner deletes entries older than a year', async () => {
  const rules = { accessTokenSeconds: 900, refreshTokenSeconds: 9_000, sessionSeconds: 90_000 };
  const [ended, expired, open] = await Promise.all(
    [1, 2, 3].map(async () => (await florin.db.tx((tx) => openSession(tx, rules, alice.userId, null))).sessionId),
  );
  await age(`UPDATE session_tokens SET expires_at = now() - interval '91 days' WHERE session_id = ANY ($1)`, [
    [ended, expired],
  ]);
  await age(`UPDATE sessions SET expires_at = now() - interval '91 days' WHERE session_id = ANY ($1)`, [
    [ended, expired],
  ]);
  await age(
    `UPDATE sessions SET ended_at = now() - interval '92 days', ended_because = 'revoked' WHERE session_id = $1`,
    [ended],
  );
  const spend = (hours: number) =>
    age('INSERT INTO spendings (account_id, hour, payments, spent) VALUES ($1, hour_of(now()) - $2::int, 1, 1)', [
      alice.accountId,
      hours,
    ]);
  await spend(29 * 24);
  await spend(61 * 24);
  await florin.db.tx((tx) => recordAudit(tx, { actor: 'operator:anna', action: 'login' }));
  await age(
    `INSERT INTO audit_log (at, actor, action) SELECT now() - i * interval '1 day', 'operator:old', 'login'
       FROM unnest(ARRAY[10, 399, 401]) i`,
    [],
  );
  await pass();
  expect(await count(`audit_log WHERE actor = 'operator:old'`)).toBe(3);
  expect(await forgetAudit(florin.adminUrl, 400)).toBe(1);
  const rows = await florin.db.query<{ session_id: string }>('SELECT session_id FROM sessions');
  expect(rows.map(({ session_id }) => session_id)).toEqual([open]);
  // Not those of an hour that has just ended.
  expect(await count('spendings WHERE hour < hour_of(now()) - 24')).toBe(1);
  expect(await count(`audit_log WHERE actor = 'operator:old'`)).toBe(2);
  expect(await count(`audit_log WHERE action = 'audit.forgotten' AND details ->> 'entries' = '1'`)).toBe(1);
  await expect(florin.admin.query('DELETE FROM audit_log')).rejects.toThrow('append-only');
  await expect(forgetAudit(florin.adminUrl, 365)).rejects.toThrow('are not valid');
  for (const what of ['audit', null]) {
    await expect(florin.db.query('SELECT forget_some($1, 400, 1)', [what])).rejects.toThrow('are not valid');
  }
  await expect(florin.db.query('SELECT forget_audit(400)')).rejects.toMatchObject({ code: '42501' });
  await expect(florin.admin.query(`DELETE FROM sessions WHERE session_id = $1`, [open])).rejects.toThrow('append-only');
});

it('goes through a table in parts, continues where it stopped, and refuses to delete recent rows', async () => {
  await age(
    `INSERT INTO refusals (payment_id, receiver, amount, code, details, created_at)
     SELECT gen_random_uuid(), repeat('x', 1000), 1, 'username.unknown', '{}', now() - interval '1 year'
       FROM generate_series(1, 100)`,
    [],
  );
  await florin.admin.query(`UPDATE retention SET finished_at = NULL, next_page = 0 WHERE what = 'refusals'`);
  const step = async () =>
    (await florin.admin.query<{ more: boolean }>(`SELECT forget_some('refusals', 90, 5) AS more`))[0]!.more;
  expect(await step()).toBe(true);
  const left = await count('refusals WHERE length(receiver) = 1000');
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(100);
  while (await step());
  expect(await count('refusals WHERE length(receiver) = 1000')).toBe(0);
  // A pass a day.
  expect(await step()).toBe(false);
  for (const [what, days] of [
    ['refusals', 6],
    ['answers', 1],
    ['spendings', 30],
  ] as const) {
    const asked = florin.admin.query('SELECT forget_some($1, $2, 1)', [what, days]);
    await expect(asked).rejects.toThrow('must be kept');
  }
});

it('deliveries are deleted after their retention time, except those that an existing endpoint waits for', async () => {
  const [off, removed] = [randomUUID(), randomUUID()];
  await florin.admin.query(
    `INSERT INTO webhook_endpoints (endpoint_id, url, description, types, in_order, place, state, removed_at)
     VALUES ($1, 'https://example.com', '', '{*}', false, 0, 'off', NULL),
            ($2, 'https://example.com', '', '{*}', false, 0, 'off', now())`,
    [off, removed],
  );
  await florin.admin.query(
    `INSERT INTO webhook_deliveries (endpoint_id, event_id, place, type, happened_at, data, state, due_at, created_at)
     SELECT e.id, s.state || s.days, 1, 'kyc.approved', now(), '{}', s.state, CASE WHEN s.state = 'waiting' THEN now() END,
            now() - make_interval(days => s.days)
       FROM unnest($1::uuid[]) e(id), (VALUES ('delivered', 31), ('delivered', 29), ('waiting', 31)) s(state, days)`,
    [[off, removed]],
  );
  await pass();
  const left = (endpointId: string) =>
    florin.admin.query<{ event_id: string }>(
      'SELECT event_id FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY 1',
      [endpointId],
    );
  expect((await left(off)).map((one) => one.event_id)).toEqual(['delivered29', 'waiting31']);
  expect((await left(removed)).map((one) => one.event_id)).toEqual(['delivered29']);
});

it('the text of a note is removed after its time; without one, only when no open account reads it', async () => {
  const note = { payment_note: 'dinner' };
  const { body } = await florin.send({ sender_user_id: alice.userId, receiver_username: 'bob', amount: 1, ...note });
  const noteOf = async () => (await florin.get(`/circle/transaction/${body.transaction_id}`)).body.payment_note;
  await age(`UPDATE payment_notes SET created_at = now() - interval '31 days' WHERE payment_id = $1`, [
    body.transaction_id,
  ]);
  await pass();
  expect(await noteOf()).toBe('dinner');
  await florin.admin.query('UPDATE retention SET finished_at = NULL');
  while (await forgetOld(florin.admin, { ...DAYS, notes: 30 }));
  expect(await noteOf()).toBeUndefined();
  expect(await count('payment_notes WHERE payment_id = $1 AND note IS NULL', [body.transaction_id])).toBe(1);
  const short = florin.admin.query(`SELECT forget_some('notes', 6, 1)`);
  await expect(short).rejects.toThrow('notes must be kept for at least 7 days');
});
