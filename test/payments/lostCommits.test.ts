/**
 * Commits are lost under running servers: by a failover, or by a backup that is restored. The servers' caches then
 * describe events that never happened. They pay no one by them.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { openCallers } from '../../server/src/customers/sessions/openCallers.ts';
import { openSession } from '../../server/src/customers/sessions/sessions.ts';
import { setUsername } from '../../server/src/customers/usernames/setUsername.ts';
import { openUserPayments } from '../../server/src/payments/users/openUserPayments.ts';
import { sendToUser } from '../../server/src/payments/users/sendToUser.ts';
import { backUp } from '../support/database/turnBack.ts';
import { createPerson, type PaymentsServer, type Person, readBalances, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

const RULES = { accessTokenSeconds: 900, refreshTokenSeconds: 9_000, sessionSeconds: 90_000 };
const USDC = 1_000_000n;

let florin: PaymentsServer;
/** Two servers, each with its own cache. */
let servers: ReturnType<typeof openServer>[];
let payer: Person;
beforeAll(async () => {
  florin = await startPayments();
  servers = [openServer(), openServer()];
  payer = await createPerson(florin.db, 'payer', '1000');
});
afterAll(async () => {
  for (const { callers, userPayments } of servers) {
    await userPayments.close();
    await callers.close();
  }
  await florin.stop();
});

function openServer() {
  const { databaseUrl, db } = florin;
  const callers = openCallers(databaseUrl);
  const userPayments = openUserPayments({
    databaseUrl,
    db,
    homeBlockchain: HOME,
    currency: 'USDC',
    sessions: callers.sessions,
  });
  return { callers, userPayments };
}

async function pay(server: number, receiver: string, as: { userId: string; accessToken?: string } = payer) {
  const { callers, userPayments } = servers[server]!;
  try {
    const caller = as.accessToken === undefined ? undefined : await callers.recall(as.accessToken);
    const key = { caller: as.userId, route: '/api/v1/send_usdc', text: randomUUID() };
    const { result } = await sendToUser(
      { userPayments },
      { senderId: as.userId, receiver, amount: USDC as Usdc, caller, key },
    );
    return 'refusal' in result ? result.refusal.code : 'paid';
  } catch (error) {
    return (error as { code: string }).code;
  }
}
const rename = (person: Person, username: string) =>
  florin.db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId: person.userId, username }));
const available = async (...people: Person[]) => (await readBalances(florin.db, people)).map(([amount]) => amount);
const logIn = async ({ userId }: Person) => {
  const { accessToken, sessionId } = await florin.db.tx((tx) => openSession(tx, RULES, userId, null));
  return { userId, accessToken, sessionId };
};
const endSession = (sessionId: string) =>
  florin.db.query(`UPDATE sessions SET ended_at = now(), ended_because = 'revoked' WHERE session_id = $1`, [sessionId]);
const counters = async () =>
  (
    await florin.db.query<{ names: bigint; sessions: bigint }>(
      'SELECT names_epoch AS names, sessions_epoch AS sessions FROM ledger_state',
    )
  )[0]!;

describe('after commits were lost, with the same counters', () => {
  it('a name that another person has taken since pays that person', async () => {
    const [anna, bert] = [await createPerson(florin.db, 'anna'), await createPerson(florin.db, 'bert')];
    const restore = await backUp(florin.admin);
    await rename(anna, 'sunshine');
    for (const server of [0, 1]) expect(await pay(server, 'sunshine')).toBe('paid');
    const before = await counters();
    await restore();
    await rename(bert, 'sunshine');
    expect(await counters()).toEqual(before);
    for (const server of [0, 1, 0]) expect(await pay(server, 'sunshine')).toBe('paid');
    expect(await available(anna, bert)).toEqual([0n, 3n * USDC]);
    // Both servers have noticed the loss, and it was recorded once.
    const noted = await florin.db.query<{ reason: string }>('SELECT reason FROM restores');
    expect(noted.map(({ reason }) => reason)).toEqual([expect.stringContaining('of names')]);
    expect(await pay(0, 'anna')).toBe('paid');
    expect(await available(anna, bert)).toEqual([USDC, 3n * USDC]);
  });

  it('so does a first name, and the loss is recorded although the servers’ clock is an hour slow', async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    const carl = await createPerson(florin.db, 'carl');
    const dora = await createPerson(florin.db, 'dora');
    for (const { userId } of [carl, dora])
      await florin.admin.query('DELETE FROM usernames WHERE user_id = $1', [userId]);
    await florin.admin.query(`DELETE FROM username_skeletons WHERE skeleton IN ('carl', 'dora')`);
    const restore = await backUp(florin.admin);
    await rename(carl, 'meadow');
    for (const server of [0, 1]) expect(await pay(server, 'meadow')).toBe('paid');
    const before = await counters();
    await restore();
    await rename(dora, 'meadow');
    expect(await counters()).toEqual(before);
    for (const server of [0, 1]) expect(await pay(server, 'meadow')).toBe('paid');
    expect(await available(carl, dora)).toEqual([0n, 2n * USDC]);
    // The previous loss, and this one.
    expect(await florin.db.query('SELECT FROM restores')).toHaveLength(2);
  });

  it('a person who never registered pays nothing, although their account number now belongs to another person', async () => {
    const restore = await backUp(florin.admin);
    const emma = await createPerson(florin.db, 'emma', '5');
    const session = await logIn(emma);
    for (const server of [0, 1]) expect(await pay(server, 'payer', session)).toBe('paid');
    const before = await counters();
    await restore();
    const fred = await createPerson(florin.db, 'fred', '5');
    expect(fred.accountId).toBe(emma.accountId);
    expect(await counters()).toEqual(before);
    for (const server of [0, 1]) expect(await pay(server, 'payer', session)).not.toBe('paid');
    expect(await available(fred)).toEqual([5n * USDC]);
  });

  it('a session that has ended since pays nothing', async () => {
    const [gina, hans] = [await createPerson(florin.db, 'gina', '5'), await createPerson(florin.db, 'hans', '5')];
    const [lost, ended] = [await logIn(gina), await logIn(hans)];
    for (const server of [0, 1]) expect(await pay(server, 'payer', ended)).toBe('paid');
    const restore = await backUp(florin.admin);
    await endSession(lost.sessionId);
    for (const server of [0, 1]) expect(await pay(server, 'payer', ended)).toBe('paid');
    const before = await counters();
    await restore();
    await endSession(ended.sessionId);
    expect(await counters()).toEqual(before);
    for (const server of [0, 1]) expect(await pay(server, 'payer', ended)).toBe('auth.invalid');
    expect(await available(hans)).toEqual([3n * USDC]);
  });
});

describe('a new name or account', () => {
  it('lets a server keep its cache, and a rename does not', async () => {
    const [ida, jens] = [await createPerson(florin.db, 'ida_one'), await createPerson(florin.db, 'jens')];
    expect(await pay(0, 'ida_one')).toBe('paid');
    const asked = florin.admin.query<{ kept: boolean }>(
      `SELECT names_changed < names_epoch AND ledger_epoch_standing('names', names_epoch, names_random) = 'held' AS kept
         FROM ledger_state`,
    );
    expect(await asked).toEqual([{ kept: true }]);
    await rename(jens, 'jens_two');
    await rename(ida, 'ida_two');
    const [state] = await florin.admin.query('SELECT names_changed <= names_epoch AS moved FROM ledger_state');
    expect(state).toEqual({ moved: true });
    expect(await pay(0, 'ida_two')).toBe('paid');
    expect(await available(ida)).toEqual([2n * USDC]);
  });
});

describe('what the database reports about an epoch', () => {
  it('is held, old or lost; everything is old after all processes were invalidated', async () => {
    const standing = async (counter: bigint, random: bigint) =>
      (
        await florin.admin.query<{ standing: string }>(`SELECT ledger_epoch_standing('sessions', $1, $2) AS standing`, [
          counter,
          random,
        ])
      )[0]!.standing;
    const [now] = await florin.admin.query<{ counter: bigint; random: bigint }>(
      'SELECT sessions_epoch AS counter, sessions_random AS random FROM ledger_state',
    );
    const { counter, random } = now!;
    expect(await standing(counter, random)).toBe('held');
    expect(await standing(counter, random + 1n)).toBe('lost');
    expect(await standing(counter + 5n, random)).toBe('lost');
    await florin.admin.query('SELECT ledger_forget_epochs()');
    for (const one of [counter, counter + 5n]) expect(await standing(one, random)).toBe('old');
    const [after] = await florin.admin.query<{ random: bigint }>('SELECT sessions_random AS random FROM ledger_state');
    expect(after!.random).not.toBe(random);
    expect(await pay(0, 'payer', await logIn(await createPerson(florin.db, 'kim', '1')))).toBe('paid');
  });
});
