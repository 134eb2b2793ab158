/**
 * Tests when a session may be refreshed again, for how long, and when it ends permanently. Only the database's clock
 * counts.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { useTestDatabase } from '../../../../test/support/database/useTestDatabase.ts';
import { newId } from '../../core/ids.ts';
import { type Callers, openCallers } from './openCallers.ts';
import { refreshSession } from './refreshSession.ts';
import { listSessions, openSession } from './sessions.ts';

const database = useTestDatabase();
const RULES = { accessTokenSeconds: 900, refreshTokenSeconds: 3_600, sessionSeconds: 90_000 };
let callers: Callers;
beforeAll(() => {
  callers = openCallers(database.url);
});
afterAll(() => callers.close());

const reason = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'accepted',
    (error) => error.details?.reason ?? error.message,
  );
const refresh = (refreshToken: string, idempotencyKey?: string, sessions = RULES) =>
  refreshSession({ db: database.db, sessions }, { refreshToken, idempotencyKey });

async function arrive(rules = RULES) {
  const userId = newId();
  await database.db.query(`INSERT INTO users (user_id, issuer, subject) VALUES ($1, 'test', $2)`, [userId, userId]);
  return { userId, ...(await database.db.tx((tx) => openSession(tx, rules, userId, null))) };
}

/** Moves the session's last exchange and its start this far into the past. */
const age = async (sessionId: string, seconds: number): Promise<void> => {
  await database.db.query(
    'UPDATE session_tokens SET spent_at = spent_at - make_interval(secs => $2) WHERE session_id = $1',
    [sessionId, seconds],
  );
  await database.db.query(
    'UPDATE sessions SET created_at = created_at - make_interval(secs => $2) WHERE session_id = $1',
    [sessionId, seconds],
  );
};

const endOf = async (sessionId: string) => {
  const [row] = await database.db.query<{ ended_because: string | null; entries: string[] }>(
    `SELECT ended_because, ARRAY(SELECT details->>'why' FROM audit_log WHERE action = 'session.reused'
                                  AND details->>'session_id' = session_id::text) AS entries
       FROM sessions WHERE session_id = $1`,
    [sessionId],
  );
  return row;
};

describe('a refresh repeated under its key', () => {
  it('gets tokens for about a minute, however often; later the session ends', async () => {
    const { sessionId, refreshToken } = await arrive();
    await refresh(refreshToken, 'lost');
    await age(sessionId, 40);
    expect(await reason(refresh(refreshToken, 'lost'))).toBe('accepted');
    // The minute begins with the first exchange, not with each repetition.
    await age(sessionId, 40);
    expect(await reason(refresh(refreshToken, 'lost'))).toBe('reused');
    expect(await endOf(sessionId)).toEqual({ ended_because: 'reused', entries: ['late'] });
  });

  it('ends the session when the access token of its successor was used', async () => {
    const { sessionId, refreshToken } = await arrive();
    const next = await refresh(refreshToken, 'lost');
    expect(await reason(callers.get(next.accessToken))).toBe('accepted');
    expect(await reason(refresh(refreshToken, 'lost'))).toBe('reused');
    expect(await reason(callers.get(next.accessToken))).toBe('revoked');
    expect(await endOf(sessionId)).toEqual({ ended_because: 'reused', entries: ['successor used'] });
  });

  it('cannot take a session over unnoticed: the replaced tokens end it', async () => {
    const { sessionId, refreshToken } = await arrive();
    const owners = await refresh(refreshToken, 'key');
    const thiefs = await refresh(refreshToken, 'key');
    expect(await reason(callers.get(owners.accessToken))).toBe('unknown');
    expect(await reason(refresh(owners.refreshToken, 'next'))).toBe('reused');
    expect(await reason(callers.get(thiefs.accessToken))).toBe('revoked');
    expect(await reason(refresh(thiefs.refreshToken))).toBe('revoked');
    expect(await endOf(sessionId)).toEqual({ ended_because: 'reused', entries: ['replaced'] });
  });
});

describe('a session', () => {
  it('ends after its lifetime, however often it is refreshed', async () => {
    const { userId, sessionId, refreshToken } = await arrive();
    await age(sessionId, RULES.sessionSeconds - 100);
    const last = await refresh(refreshToken);
    expect(last.expiresInSeconds).toBeLessThanOrEqual(100);
    const [listed] = await listSessions(database.db, userId);
    expect(listed!.expires_at.getTime() - listed!.created_at.getTime()).toBe(RULES.sessionSeconds * 1_000);
    await age(sessionId, 100);
    expect(await reason(refresh(last.refreshToken))).toBe('expired');
  });

  it('that is older than a shortened lifetime gets no new tokens', async () => {
    const { sessionId, refreshToken } = await arrive();
    await age(sessionId, 600);
    expect(await reason(refresh(refreshToken, undefined, { ...RULES, sessionSeconds: 500 }))).toBe('expired');
  });
});

describe('a server whose clock is an hour off', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([-3_600_000, 3_600_000])('by %d ms issues, accepts and repeats the same tokens', async (offMs) => {
    const first = await arrive();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs });
    expect(await reason(callers.get(first.accessToken))).toBe('accepted');
    const lost = await refresh(first.refreshToken, 'lost');
    expect(lost.expiresInSeconds).toBe(RULES.accessTokenSeconds);
    vi.useRealTimers();
    const next = await refresh(first.refreshToken, 'lost');
    expect(await reason(callers.get(next.accessToken))).toBe('accepted');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs });
    expect(await reason(callers.get(next.accessToken))).toBe('accepted');
    await age(first.sessionId, 61);
    expect(await reason(refresh(first.refreshToken, 'lost'))).toBe('reused');
  });
});
