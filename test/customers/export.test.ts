/** The export of an account has everything about its owner, and about others only what payments show. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { urlAs } from '../support/database.ts';
import { type Answer, bearer } from '../support/http/answer.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { HOME } from '../support/values.ts';

let florin: TestServer;
let db: Db;
beforeAll(async () => {
  florin = await startTestServer({ FLORIN_RATE_LIMITS: 'ask=5, export=5' });
  db = openDatabase(urlAs(florin.databaseUrl, 'tester'));
});
afterAll(async () => {
  await db.close();
  await florin.stop();
});

async function arrive(name: string) {
  const { body } = await florin.logIn(`${name}@example.com`);
  const headers = bearer(body.access_token);
  const userId: string = body.user.user_id;
  await florin.call('POST', '/api/v1/set_username', { user_id: userId, username: name }, headers);
  return { name, userId, headers, wallet: body.wallet, sessionId: body.session_id as string };
}

it('gives a person all their own data, page after page', async () => {
  const [eva, otto] = [await arrive('eva_export'), await arrive('otto_export')];
  const deposit = { depositId: randomUUID(), userId: eva.userId, blockchain: HOME, amount: parseUsdc('1000') };
  await db.tx((tx) => recordDeposit(tx, { ...deposit, fromAddress: `0x${'c'.repeat(40)}` }));
  const dust = { ...deposit, depositId: randomUUID(), amount: parseUsdc('0.000001') };
  await db.tx((tx) => recordDeposit(tx, { ...dust, fromAddress: `0x${'b'.repeat(40)}` }));
  const payments = 430;
  const paid = await Promise.all(
    Array.from({ length: payments }, (_, i) =>
      florin.call(
        'POST',
        '/api/v1/send_usdc',
        { sender_user_id: eva.userId, receiver_username: otto.name, amount: (i + 1) / 1_000 },
        eva.headers,
      ),
    ),
  );
  expect(new Set(paid.map(({ status }) => status))).toEqual(new Set([200]));
  const asked = await florin.call(
    'POST',
    '/api/v1/requests',
    { payer_username: eva.name, amount: 3, note: 'For “lunch”' },
    otto.headers,
  );
  expect(asked.status).toBe(200);
  await florin.call('POST', `/api/v1/requests/${asked.body.request_id}/pay`, undefined, eva.headers);
  const answer = await florin.call('GET', '/api/v1/me/export', undefined, eva.headers);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  const { body } = answer;
  expect(body.profile).toMatchObject({
    user_id: eva.userId,
    email: 'eva_export@example.com',
    email_verified: true,
    discoverable: false,
  });
  expect(body.usernames).toMatchObject([{ username: eva.name, until: null }]);
  expect(body.wallets).toMatchObject([{ wallet_id: eva.wallet.wallet_id, address: eva.wallet.address }]);
  expect(body.kyc).toMatchObject({ status: 'none' });
  expect(body.sessions).toContainEqual(expect.objectContaining({ session_id: eva.sessionId, ended_at: null }));
  expect(body.activity[0]).toMatchObject({ action: 'login', by: 'user' });
  expect(body.activity.at(-1)).toMatchObject({ action: 'username.changed' });
  expect(body.requests).toMatchObject([
    {
      request_id: asked.body.request_id,
      state: 'paid',
      direction: 'incoming',
      note: 'For “lunch”',
      asker_username: otto.name,
    },
  ]);
  const ids = new Set(body.transactions.map((one: { transaction_id: string }) => one.transaction_id));
  expect([body.transactions.length, ids.size]).toEqual([payments + 3, payments + 3]);
  expect(body.transactions[0]).toMatchObject({
    transaction_id: asked.body.request_id,
    amount: '3',
    available_after: body.balances[0].available,
  });
  expect(body.transactions.at(-1)).toMatchObject({ kind: 'deposit', amount: '1000', available_after: '1000' });
  const text = JSON.stringify(body);
  for (const secret of [otto.userId, otto.wallet.address, otto.sessionId, 'otto_export@example.com'])
    expect(text).not.toContain(secret);
  expect((await florin.call('GET', '/api/v1/me/export')).body.code).toBe('auth.required');
});

it('limits how often a person exports or polls', async () => {
  const { headers } = await arrive('busy_export');
  const repeat = async (ask: () => Promise<Answer>) => {
    for (;;) {
      const { status, body } = await ask();
      if (status !== 200) return body;
    }
  };
  const limited = { code: 'rate.limited', limit: 5 };
  const exported = await repeat(() => florin.call('GET', '/api/v1/me/export', undefined, headers));
  expect(exported).toMatchObject({ ...limited, policy: 'export' });
  const asked = await repeat(() => florin.call('POST', '/api/v1/requests', { amount: 1 }, headers));
  expect(asked).toMatchObject({ ...limited, policy: 'ask' });
});
