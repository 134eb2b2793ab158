/** An operator ends a person's sessions: every process refuses them from the next request on. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { openCallers } from '../../server/src/customers/sessions/openCallers.ts';
import { refreshSession } from '../../server/src/customers/sessions/refreshSession.ts';
import { endSessions, openSession } from '../../server/src/customers/sessions/sessions.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { openUserPayments } from '../../server/src/payments/users/openUserPayments.ts';
import { sendToUser } from '../../server/src/payments/users/sendToUser.ts';
import { urlAs } from '../support/database.ts';
import { asOperator, nameOperators } from '../support/operators.ts';
import { createPerson, type PaymentsServer, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

const RULES = { accessTokenSeconds: 900, refreshTokenSeconds: 9_000, sessionSeconds: 90_000 };

let florin: PaymentsServer;
beforeAll(async () => {
  florin = await startPayments();
  await nameOperators(florin.databaseUrl, { anna: 'admin', sven: 'support' });
});
afterAll(() => florin.stop());

/** A server's session cache and its payments. */
function openProcess() {
  const { databaseUrl, db } = florin;
  const callers = openCallers(databaseUrl);
  const userPayments = openUserPayments({
    databaseUrl,
    db,
    homeBlockchain: HOME,
    currency: 'USDC',
    sessions: callers.sessions,
  });
  return {
    async pay(accessToken: string, senderId: string): Promise<string> {
      try {
        const caller = await callers.recall(accessToken);
        const request = { senderId, receiver: 'shop', amount: 1n as Usdc, caller };
        const { result } = await sendToUser({ userPayments }, request);
        return 'refusal' in result ? result.refusal.code : 'paid';
      } catch (error) {
        return `${(error as { code: string }).code}: ${(error as { details: { reason: string } }).details.reason}`;
      }
    },
    async close() {
      await userPayments.close();
      await callers.close();
    },
  };
}

it('in all processes that cache them, also for refreshes, and records who did it and why', async () => {
  await createPerson(florin.db, 'shop');
  const ada = await createPerson(florin.db, 'ada', '10');
  const bob = await createPerson(florin.db, 'bob', '10');
  const open = (userId: string) => florin.db.tx((tx) => openSession(tx, RULES, userId, null));
  const [phone, laptop, others] = [await open(ada.userId), await open(ada.userId), await open(bob.userId)];
  const processes = [openProcess(), openProcess()];
  for (const one of processes) {
    expect(await one.pay(phone.accessToken, ada.userId)).toBe('paid');
    expect(await one.pay(laptop.accessToken, ada.userId)).toBe('paid');
    expect(await one.pay(others.accessToken, bob.userId)).toBe('paid');
  }
  const ended = await asOperator(florin.databaseUrl, 'sven', (db) =>
    endSessions(db, ada.userId, 'her phone was stolen'),
  );
  expect(ended).toBe(2);
  for (const one of processes) {
    expect(await one.pay(phone.accessToken, ada.userId)).toBe('auth.invalid: revoked');
    expect(await one.pay(laptop.accessToken, ada.userId)).toBe('auth.invalid: revoked');
    expect(await one.pay(others.accessToken, bob.userId)).toBe('paid');
  }
  const refresh = { refreshToken: phone.refreshToken, idempotencyKey: undefined };
  await expect(refreshSession({ db: florin.db, sessions: RULES }, refresh)).rejects.toMatchObject({
    details: { reason: 'revoked' },
  });
  const again = await open(ada.userId);
  for (const one of processes) expect(await one.pay(again.accessToken, ada.userId)).toBe('paid');
  const audit = await florin.db.query<{ actor: string; user_id: string; details: object }>(
    `SELECT actor, user_id, details FROM audit_log WHERE action = 'sessions.ended'`,
  );
  expect(audit).toEqual([
    {
      actor: expect.stringMatching(/^operator:.*sven$/),
      user_id: ada.userId,
      details: { sessions: 2, keys: 0, reason: 'her phone was stolen' },
    },
  ]);
  for (const one of processes) await one.close();
});

it('is refused to strangers, and to a compromised server', async () => {
  const eve = await createPerson(florin.db, 'eve');
  await expect(
    asOperator(florin.databaseUrl, 'mallory', (db) => endSessions(db, eve.userId, 'a test')),
  ).rejects.toThrow(/not an operator/);
  const server = openDatabase(urlAs(florin.databaseUrl, 'server'), { maxConnections: 1 });
  await expect(endSessions(server, eve.userId, 'a test')).rejects.toThrow(/permission denied/);
  await server.close();
});
