import { hash, randomBytes } from 'node:crypto';
import { PayError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { lockAccountsOf } from '../../ledger/lockAccounts.ts';
import { recordAudit } from '../../operators/recordAudit.ts';

export interface SessionRules {
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
  /** From login to the end, however often the session is refreshed. */
  readonly sessionSeconds: number;
}

export interface IssuedTokens {
  readonly sessionId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
}

export interface Caller {
  readonly userId: string;
  readonly sessionId: string;
}

interface SessionRow {
  readonly session_id: string;
  readonly user_agent: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
}

/**
 * Tokens are opaque: 256 random bits after a prefix that secret scanners recognize. The database stores only their
 * SHA-256 hash, so a stolen backup contains no usable token. A session ends as soon as its row says so.
 */
const newToken = (prefix: 'fla_' | 'flr_'): string => prefix + randomBytes(32).toString('base64url');
export const hashOf = (text: string): Buffer => hash('sha256', text, 'buffer');

export async function openSession(
  tx: Tx,
  rules: SessionRules,
  userId: string,
  userAgent: string | null,
): Promise<IssuedTokens> {
  const sessionId = newId();
  await tx.query(
    `INSERT INTO sessions (session_id, user_id, user_agent, created_at, last_used_at, expires_at)
     VALUES ($1, $2, $3, now(), now(), now() + make_interval(secs => $4))`,
    [sessionId, userId, userAgent?.slice(0, 200) ?? null, Math.min(rules.refreshTokenSeconds, rules.sessionSeconds)],
  );
  await endOldest(tx, userId);
  return issueTokens(tx, rules, sessionId, 0);
}

/** A login beyond this limit ends the least recently used session, so that the list always shows every open session. */
const MAX_SESSIONS = 50;

const OLDEST = `
  SELECT session_id FROM sessions WHERE user_id = $1 AND ended_at IS NULL AND expires_at > now()
   ORDER BY last_used_at DESC, created_at DESC OFFSET $2`;

async function endOldest(tx: Tx, userId: string): Promise<void> {
  // Most logins end no session and must not keep the person's payments waiting.
  const oldest = await tx.query(OLDEST, [userId, MAX_SESSIONS]);
  if (oldest.length === 0) return;
  await lockAccountsOf(tx, userId);
  const ended = await tx.query<{ session_id: string }>(
    `UPDATE sessions SET ended_at = now(), ended_because = 'replaced' WHERE session_id IN (${OLDEST})
     RETURNING session_id`,
    [userId, MAX_SESSIONS],
  );
  for (const details of ended) {
    await recordAudit(tx, { actor: `user:${userId}`, action: 'session.replaced', userId, details });
  }
}

export async function issueTokens(
  tx: Tx,
  rules: SessionRules,
  sessionId: string,
  generation: number,
): Promise<IssuedTokens> {
  const accessToken = newToken('fla_');
  const refreshToken = newToken('flr_');
  // No token outlives its session.
  const [access] = await tx.query<{ seconds: number }>(
    `INSERT INTO session_tokens (hash, session_id, kind, generation, expires_at)
     SELECT t.hash, s.session_id, t.kind, $4,
            least(now() + make_interval(secs => t.seconds), s.created_at + make_interval(secs => $7))
       FROM sessions s, (VALUES ($1::bytea, 'access', $5::integer), ($2, 'refresh', $6)) AS t(hash, kind, seconds)
      WHERE s.session_id = $3
     RETURNING floor(extract(epoch FROM expires_at - now()))::integer AS seconds`,
    [
      hashOf(accessToken),
      hashOf(refreshToken),
      sessionId,
      generation,
      rules.accessTokenSeconds,
      rules.refreshTokenSeconds,
      rules.sessionSeconds,
    ],
  );
  return { sessionId, accessToken, refreshToken, expiresInSeconds: access!.seconds };
}

export const listSessions = (db: Queryable, userId: string): Promise<SessionRow[]> =>
  db.query<SessionRow>(
    `SELECT session_id, user_agent, created_at, last_used_at, expires_at FROM sessions
      WHERE user_id = $1 AND ended_at IS NULL AND expires_at > now() ORDER BY created_at DESC, session_id`,
    [userId],
  );

/** Finds the session that a refresh token belongs to, whether it is still open or not. Does not use up the token. */
export async function findRefreshed(db: Queryable, refreshToken: string): Promise<Caller | undefined> {
  const [row] = await db.query<{ user_id: string; session_id: string }>(
    `SELECT user_id, session_id FROM sessions
      WHERE session_id = (SELECT session_id FROM session_tokens WHERE hash = $1 AND kind = 'refresh')`,
    [hashOf(refreshToken)],
  );
  return row && { userId: row.user_id, sessionId: row.session_id };
}

/**
 * Ends one of the caller's own sessions. After the commit, no payment of that session is committed any more. Another
 * person's session and an unknown session give the same answer.
 */
export async function revokeSession(tx: Tx, caller: Caller, sessionId: string): Promise<void> {
  const { userId } = caller;
  await lockAccountsOf(tx, userId);
  const ended = await tx.query(
    `UPDATE sessions SET ended_at = now(), ended_because = 'revoked'
      WHERE session_id = $1 AND user_id = $2 AND ended_at IS NULL RETURNING 1`,
    [sessionId, userId],
  );
  if (ended.length === 0) throw new PayError('session.unknown');
  const details = { session_id: sessionId };
  await recordAudit(tx, { actor: `user:${userId}`, action: 'session.revoked', userId, details });
}

/** Ends all sessions and account keys of the caller. Returns how many sessions were open. */
export async function logOutEverywhere(tx: Tx, userId: string): Promise<number> {
  const [row] = await tx.query<{ ended: number }>('SELECT log_out_everywhere($1) AS ended', [userId]);
  return row!.ended;
}

/**
 * For operators: ends all sessions and account keys of a person. Every process refuses them from then on. Returns how many were open.
 */
export async function endSessions(db: Queryable, userId: string, reason: string): Promise<number> {
  const [row] = await db.query<{ ended: number }>('SELECT end_sessions($1, $2) AS ended', [userId, reason]);
  return row!.ended;
}
