/**
 * One person with only the bearer token: requests, is asked, pays, exports their account, closes it, and cannot come
 * back.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { listClosedWithMoney } from '../../server/src/customers/account/listClosed.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { urlAs } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { bearer } from '../support/http/answer.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { HOME } from '../support/values.ts';

let florin: TestServer;
let db: Db;
beforeAll(async () => {
  florin = await startTestServer();
  await florin.startWorker();
  db = openDatabase(urlAs(florin.databaseUrl, 'tester'));
});
afterAll(async () => {
  await db.close();
  await florin.stop();
});

async function arrive(name: string, amount?: string) {
  const { body } = await florin.logIn(`${name}@example.com`);
  const headers = bearer(body.access_token);
  const userId: string = body.user.user_id;
  await florin.call('POST', '/api/v1/set_username', { user_id: userId, username: name }, headers);
  if (amount) await deposit(userId, amount);
  const call = (method: string, path: string, said?: unknown, more: Record<string, string> = {}) =>
    florin.call(method, `/api/v1${path}`, said, { ...headers, ...more });
  return { name, userId, call };
}

const deposit = (userId: string, amount: string) => {
  const one = { depositId: randomUUID(), userId, blockchain: HOME, amount: parseUsdc(amount) };
  return db.tx((tx) => recordDeposit(tx, { ...one, fromAddress: `0x${'a'.repeat(40)}` }));
};

it('requests money, pays a request, exports everything and closes the account', async () => {
  const [rosa, kurt] = [await arrive('rosa_asks', '20'), await arrive('kurt_pays', '50')];

  // Rosa sends Kurt a request; her call is repeated, because the answer got lost.
  const key = { 'idempotency-key': randomUUID() };
  const wish = { payer_username: 'Kurt_Pays', amount: 12.5, note: 'Half of the rent' };
  const asked = await rosa.call('POST', '/requests', wish, key);
  expect(asked.body).toMatchObject({ state: 'open', direction: 'outgoing', payer_username: kurt.name, amount: '12.5' });
  const repeated = await rosa.call('POST', '/requests', wish, key);
  expect([repeated.body, repeated.headers.get('idempotency-replayed')]).toEqual([asked.body, 'true']);
  const other = await rosa.call('POST', '/requests', { ...wish, amount: 1 }, key);
  expect([other.status, other.body.code]).toEqual([422, 'idempotency.mismatch']);

  // She renames; Kurt sees her new name, and pays her.
  await rosa.call('POST', '/set_username', { user_id: rosa.userId, username: 'rosa_renamed' });
  const seen = await kurt.call('GET', '/requests?direction=incoming&state=open');
  expect(seen.body.requests).toMatchObject([{ asker_username: 'rosa_renamed', note: 'Half of the rent' }]);
  const id: string = asked.body.request_id;
  const paid = await kurt.call('POST', `/requests/${id}/pay`);
  expect(paid.body).toMatchObject({ transaction_id: id, to: { username: 'rosa_renamed' }, available: '37.5' });
  const again = await kurt.call('POST', `/requests/${id}/pay`);
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([paid.body, 'true']);
  expect((await kurt.call('POST', `/requests/${id}/decline`)).body).toMatchObject({
    code: 'money_request.ended',
    state: 'paid',
  });
  const history = await kurt.call('GET', `/latest_transactions_by_username/${kurt.name}`);
  expect(history.body.transactions[0]).toMatchObject({ transaction_id: id, amount: '12.5' });

  // By link: anyone who has it may pay, and it shows only names.
  const link = await kurt.call('POST', '/requests', { amount: 2 });
  const shown = await rosa.call('GET', `/requests/${link.body.request_id}`);
  expect(shown.body).toMatchObject({ by_link: true, asker_username: kurt.name, payer_username: null });
  expect(JSON.stringify(shown.body)).not.toContain(kurt.userId);
  expect((await rosa.call('POST', `/requests/${link.body.request_id}/decline`)).body.code).toBe('auth.forbidden');
  expect((await kurt.call('POST', `/requests/${link.body.request_id}/pay`)).body.code).toBe('payment.self');
  expect((await rosa.call('POST', `/requests/${link.body.request_id}/pay`)).body.amount).toBe('2');

  // Requests of other people reveal nothing.
  const stranger = await arrive('curious_one');
  const unknown = { status: 404, code: 'money_request.unknown' };
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/pay'],
    ['POST', '/decline'],
    ['POST', '/cancel'],
  ] as const) {
    expect((await stranger.call(method, `/requests/${id}${path}`)).body).toMatchObject(unknown);
    expect((await stranger.call(method, `/requests/${randomUUID()}${path}`)).body).toMatchObject(unknown);
  }

  // A request that no one pays expires by itself, and the worker records it.
  const short = await rosa.call('POST', '/requests', {
    amount: 1,
    expires_at: new Date(Date.now() + 5_000).toISOString(),
  });
  await eventually(async () =>
    expect((await rosa.call('GET', `/requests/${short.body.request_id}`)).body.state).toBe('expired'),
  );
  expect((await kurt.call('POST', `/requests/${short.body.request_id}/pay`)).body).toMatchObject({
    code: 'money_request.ended',
    state: 'expired',
  });
  await eventually(async () => {
    const events = await db.query<{ state: string }>(
      'SELECT state FROM money_request_events WHERE request_id = $1 ORDER BY seq',
      [short.body.request_id],
    );
    expect(events.map(({ state }) => state)).toEqual(['open', 'expired']);
  });

  // She wants to leave: not with money, nor with an open request.
  const last = await rosa.call('POST', '/requests', { payer_username: kurt.name, amount: 1 });
  const refused = await rosa.call('POST', '/me/close');
  expect(refused.body).toMatchObject({ status: 409, code: 'account.not_empty', available: '30.5', open_requests: 1 });
  await rosa.call('POST', `/requests/${last.body.request_id}/cancel`);
  await rosa.call('POST', '/send_usdc', { sender_user_id: rosa.userId, receiver_username: kurt.name, amount: 30.5 });
  const taken = await rosa.call('GET', '/me/export');
  expect(taken.body).toMatchObject({ profile: { email: 'rosa_asks@example.com' }, balances: [{ available: '0' }] });
  expect(taken.body.usernames.map((one: { username: string }) => one.username)).toEqual(['rosa_asks', 'rosa_renamed']);
  expect(taken.body.requests.map((one: { state: string }) => one.state)).toEqual([
    'cancelled',
    'expired',
    'paid',
    'paid',
  ]);
  const closed = await rosa.call('POST', '/me/close');
  expect(closed.body).toMatchObject({ success: true, username_held_until: expect.any(String) });

  // Her session is over, her login gives the reason, and Kurt finds no one under her name; his history stays.
  expect((await rosa.call('GET', '/sessions')).body).toMatchObject({ code: 'auth.invalid', reason: 'revoked' });
  expect((await florin.logIn('rosa_asks@example.com')).body).toMatchObject({ status: 403, code: 'account.closed' });
  const lost = await kurt.call('POST', '/send_usdc', {
    sender_user_id: kurt.userId,
    receiver_username: 'rosa_renamed',
    amount: 1,
  });
  expect(lost.body.code).toBe('username.unknown');
  const kept = await kurt.call('GET', `/latest_transactions_by_username/${kurt.name}`);
  expect(kept.body.transactions.map((one: { amount: string }) => one.amount)).toEqual(['30.5', '2', '12.5', '50']);

  // Later deposits to her address are booked, and an operator sees them.
  await deposit(rosa.userId, '4');
  expect(await listClosedWithMoney(db)).toMatchObject([{ userId: rosa.userId, available: 4_000_000n }]);
});

it('in the end everything has ended, and every balance is explained', async () => {
  expect(await judgeEndOf(florin)).toEqual([]);
});
