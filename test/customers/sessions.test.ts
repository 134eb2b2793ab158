/** The statement that pays also checks the session: a session cannot pay from the moment it ends. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { type Callers, openCallers } from '../../server/src/customers/sessions/openCallers.ts';
import { openSession } from '../../server/src/customers/sessions/sessions.ts';
import { openUserPayments, type UserPayments } from '../../server/src/payments/users/openUserPayments.ts';
import { sendToUser } from '../../server/src/payments/users/sendToUser.ts';
import { eventually } from '../support/eventually.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { HOME } from '../support/values.ts';

const RULES = { accessTokenSeconds: 900, refreshTokenSeconds: 9_000, sessionSeconds: 90_000 };

describe('a payment in a session', () => {
  let florin: PaymentsServer;
  let shop: Person;
  let callers: Callers;
  let app: { userPayments: UserPayments };
  beforeAll(async () => {
    florin = await startPayments();
    const { db, databaseUrl } = florin;
    callers = openCallers(databaseUrl);
    const { sessions } = callers;
    app = { userPayments: openUserPayments({ databaseUrl, db, homeBlockchain: HOME, currency: 'USDC', sessions }) };
    shop = await createPerson(florin.db, 'shop');
  });
  afterAll(async () => {
    await app.userPayments.close();
    await callers.close();
    await florin.stop();
  });

  async function arrive(name: string) {
    const person = await createPerson(florin.db, name, '10');
    const { accessToken, sessionId } = await florin.db.tx((tx) => openSession(tx, RULES, person.userId, null));
    const caller = await callers.recall(accessToken);
    const pay = (text: string = randomUUID()) =>
      sendToUser(app, {
        senderId: person.userId,
        receiver: 'shop',
        amount: 1_000_000n as Usdc,
        caller,
        key: { caller: person.userId, route: '/api/v1/send_usdc', text },
      }).then(
        ({ result }) => ('refusal' in result ? result.refusal.code : 'paid'),
        (error) => `${error.code}: ${error.details.reason}`,
      );
    const change = (sql: string) => florin.db.query(sql, [sessionId]);
    return { person, pay, change };
  }
  const END = `UPDATE sessions SET ended_at = now(), ended_because = 'revoked' WHERE session_id = $1`;

  it('is refused when the session has ended, expired or lost its token, with the reason', async () => {
    const [ended, lapsed, lost] = [await arrive('ended_one'), await arrive('lapsed_one'), await arrive('lost_one')];
    for (const one of [ended, lapsed, lost]) expect(await one.pay()).toBe('paid');
    await ended.change(END);
    await lapsed.change(`UPDATE session_tokens SET expires_at = now() WHERE session_id = $1`);
    await lost.change(`DELETE FROM session_tokens WHERE session_id = $1`);
    expect(await ended.pay()).toBe('auth.invalid: revoked');
    expect(await lapsed.pay()).toBe('auth.invalid: expired');
    expect(await lost.pay()).toBe('auth.invalid: unknown');
  });

  it('is refused when the session ends while the payment waits for an account', async () => {
    const one = await arrive('overtaken_one');
    expect(await one.pay()).toBe('paid');
    const paying = await florin.admin.tx(async (tx) => {
      await tx.query('SELECT FROM accounts WHERE account_id = $1 FOR UPDATE', [one.person.accountId]);
      const outcome = one.pay();
      await eventually(async () => {
        const waiting = await florin.admin.query(
          `SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'florin-payments' AND wait_event_type = 'Lock'`,
        );
        expect(waiting).toHaveLength(1);
      });
      await one.change(END);
      return { outcome };
    });
    expect(await paying.outcome).toBe('auth.invalid: revoked');
    const [account] = await florin.db.query<{ available: bigint }>(
      'SELECT available FROM accounts WHERE account_id = $1',
      [one.person.accountId],
    );
    expect(account!.available).toBe(9_000_000n);
  });

  it('is not affected by ended sessions in the same batch', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, (_, i) => arrive(`batch${'abcdefghijkl'[i]}`)));
    for (const [i, one] of people.entries()) if (i % 3 === 0) await one.change(END);
    const before = await florin.db.query<{ available: bigint }>(
      'SELECT available FROM accounts WHERE account_id = $1',
      [shop.accountId],
    );
    const outcomes = await Promise.all(people.map((one) => one.pay()));
    expect(outcomes).toEqual(people.map((_, i) => (i % 3 === 0 ? 'auth.invalid: revoked' : 'paid')));
    const after = await florin.db.query<{ available: bigint }>('SELECT available FROM accounts WHERE account_id = $1', [
      shop.accountId,
    ]);
    expect(after[0]!.available - before[0]!.available).toBe(8_000_000n);
  });

  it('is refused after a restore to a state older than the process’s cache, until a new login', async () => {
    const one = await arrive('restored_one');
    expect(await one.pay()).toBe('paid');
    await florin.admin.query('UPDATE ledger_state SET sessions_epoch = sessions_epoch - 1');
    // A lost commit may have ended it.
    expect(await one.pay()).toMatch(/^auth\.invalid/);
    const again = await arrive('restored_two');
    expect(await again.pay()).toBe('paid');
    await again.change(END);
    expect(await again.pay()).toBe('auth.invalid: revoked');
  });

  it('stores nothing under its key when refused: after a new login the same key can pay', async () => {
    const one = await arrive('again_one');
    await one.change(END);
    const key = randomUUID();
    expect(await one.pay(key)).toBe('auth.invalid: revoked');
    const key2 = { caller: one.person.userId, route: '/api/v1/send_usdc', text: key };
    const request = { senderId: one.person.userId, receiver: 'shop', amount: 1_000_000n as Usdc, key: key2 };
    expect((await sendToUser(app, request)).replayed).toBe(false);
  });
});

describe('over HTTP', () => {
  let florin: TestServer;
  beforeAll(async () => {
    florin = await startTestServer();
  });
  afterAll(() => florin.stop());

  it('an ended session is refused, although the process has cached it', async () => {
    const { body } = await florin.logIn('mallory@example.com');
    const headers = { authorization: `Bearer ${body.access_token}` };
    const pay = () =>
      florin.call(
        'POST',
        '/api/v1/send_usdc',
        { sender_user_id: body.user.user_id, receiver_username: 'nobody_here', amount: 1 },
        headers,
      );
    const name = { user_id: body.user.user_id, username: 'mallory' };
    await florin.call('POST', '/api/v1/set_username', name, headers);
    const read = (name: string, query: string) =>
      florin.call('GET', `/api/v1/latest_transactions_by_username/${name}${query}`, undefined, headers);
    for (let i = 0; i < 2; i++) {
      expect((await pay()).status).not.toBe(401);
      expect((await read('mallory', '')).status).toBe(200);
    }
    const sessions = await florin.call('GET', '/api/v1/sessions', undefined, headers);
    // On a busy machine a person may have logged in more than once.
    const own = sessions.body.sessions.find(({ current }: { current: boolean }) => current);
    await florin.call('DELETE', `/api/v1/sessions/${own.session_id}`, undefined, headers);
    for (let i = 0; i < 2; i++) {
      const pages = [
        ['mallory', ''],
        ['mallory', '?min_amount=1'],
        ['nobody_here', ''],
        ['no-name', ''],
      ] as const;
      for (const refused of [...(await Promise.all(pages.map(([name, query]) => read(name, query)))), await pay()]) {
        expect([refused.status, refused.body.code, refused.body.reason]).toEqual([401, 'auth.invalid', 'revoked']);
        expect(refused.headers.get('www-authenticate')).toContain('invalid_token');
      }
    }
  });
});
