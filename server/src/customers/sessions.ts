import { createHash, randomBytes } from 'node:crypto';
import { PayError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { Db, Queryable, Tx } from '../db/database.ts';

export interface SessionRules {
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
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

export interface SessionRow {
  readonly session_id: string;
  readonly user_agent: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
}

/**
 * Tokens are opaque: 256 random bits behind a prefix that secret scanners can know. The database keeps only their
 * SHA-256, so a stolen backup opens nothing, and a session ends the moment its row says so.
 */
const newToken = (prefix: 'fla_' | 'flr_'): string => prefix + randomBytes(32).toString('base64url');
const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

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
    [sessionId, userId, userAgent?.slice(0, 200) ?? null, rules.refreshTokenSeconds],
  );
  return issueTokens(tx, rules, sessionId, 0);
}

async function issueTokens(tx: Tx, rules: SessionRules, sessionId: string, generation: number): Promise<IssuedTokens> {
  const accessToken = newToken('fla_');
  const refreshToken = newToken('flr_');
  await tx.query(
    `INSERT INTO session_tokens (hash, session_id, kind, generation, expires_at) VALUES
       ($1, $3, 'access', $4, now() + make_interval(secs => $5)),
       ($2, $3, 'refresh', $4, now() + make_interval(secs => $6))`,
    [
      hashOf(accessToken),
      hashOf(refreshToken),
      sessionId,
      generation,
      rules.accessTokenSeconds,
      rules.refreshTokenSeconds,
    ],
  );
  return { sessionId, accessToken, refreshToken, expiresInSeconds: rules.accessTokenSeconds };
}

interface RefreshRow {
  generation: number;
  expired: boolean;
  spent_at: Date | null;
  spent_under: Buffer | null;
  successor_spent: boolean | null;
}

type Refusal = { readonly refused: 'unknown' | 'expired' | 'revoked' | 'reused' };

/**
 * A refresh token is exchanged once. If it comes back, somebody else has a copy, and the whole session ends. One
 * case is not theft: the answer got lost and the client asks again. It proves itself by the same Idempotency-Key,
 * as long as nobody has used the tokens of the lost answer; those are replaced by new ones.
 */
export async function refreshSession(
  app: { readonly db: Db; readonly sessions: SessionRules },
  request: { refreshToken: string; idempotencyKey: string | undefined },
): Promise<IssuedTokens> {
  const outcome = await app.db.tx((tx) => exchange(tx, app.sessions, request.refreshToken, request.idempotencyKey));
  // Thrown only now: the end of a stolen session must be committed, not rolled back with the refusal.
  if ('refused' in outcome) throw new PayError('auth.invalid', { reason: outcome.refused });
  return outcome;
}

async function exchange(
  tx: Tx,
  rules: SessionRules,
  refreshToken: string,
  key: string | undefined,
): Promise<IssuedTokens | Refusal> {
  const hash = hashOf(refreshToken);
  const keyHash = key === undefined ? null : hashOf(key);
  const [session] = await tx.query<{ session_id: string; ended_because: 'revoked' | 'reused' | null }>(
    `SELECT session_id, ended_because FROM sessions
      WHERE session_id = (SELECT session_id FROM session_tokens WHERE hash = $1 AND kind = 'refresh') FOR UPDATE`,
    [hash],
  );
  if (!session) return { refused: 'unknown' };
  if (session.ended_because) return { refused: 'revoked' };
  const sessionId = session.session_id;
  // Read after the session is locked: of two exchanges at once, the second must see the first.
  const [token] = await tx.query<RefreshRow>(
    `SELECT t.generation, t.expires_at <= now() AS expired, t.spent_at, t.spent_under, next.spent_at IS NOT NULL AS successor_spent
       FROM session_tokens t
       LEFT JOIN session_tokens next
         ON next.session_id = t.session_id AND next.kind = 'refresh' AND next.generation = t.generation + 1
      WHERE t.hash = $1`,
    [hash],
  );
  if (!token || token.expired) return { refused: 'expired' };
  const next = token.generation + 1;
  if (token.spent_at) {
    const isRetry = keyHash !== null && token.spent_under?.equals(keyHash) && !token.successor_spent;
    if (!isRetry) {
      await endSession(tx, sessionId, 'reused');
      return { refused: 'reused' };
    }
    await tx.query('DELETE FROM session_tokens WHERE session_id = $1 AND generation = $2', [sessionId, next]);
  }
  await tx.query('UPDATE session_tokens SET spent_at = now(), spent_under = $2 WHERE hash = $1', [hash, keyHash]);
  await tx.query('DELETE FROM session_tokens WHERE session_id = $1 AND expires_at <= now()', [sessionId]);
  await tx.query(
    `UPDATE sessions SET last_used_at = now(), expires_at = now() + make_interval(secs => $2) WHERE session_id = $1`,
    [sessionId, rules.refreshTokenSeconds],
  );
  return issueTokens(tx, rules, sessionId, next);
}

const endSession = (tx: Queryable, sessionId: string, because: 'revoked' | 'reused') =>
  tx.query(
    `UPDATE sessions SET ended_at = now(), ended_because = $2 WHERE session_id = $1 AND ended_at IS NULL RETURNING 1`,
    [sessionId, because],
  );

/** Who sends this access token. Throws `auth.invalid`. */
export async function getCaller(db: Queryable, accessToken: string): Promise<Caller> {
  const [row] = await db.query<{ user_id: string; session_id: string; expired: boolean; ended: boolean }>(
    `SELECT s.user_id, s.session_id, t.expires_at <= now() AS expired, s.ended_at IS NOT NULL AS ended
       FROM session_tokens t JOIN sessions s USING (session_id)
      WHERE t.hash = $1 AND t.kind = 'access'`,
    [hashOf(accessToken)],
  );
  if (!row) throw new PayError('auth.invalid', { reason: 'unknown' });
  if (row.ended) throw new PayError('auth.invalid', { reason: 'revoked' });
  if (row.expired) throw new PayError('auth.invalid', { reason: 'expired' });
  return { userId: row.user_id, sessionId: row.session_id };
}

export const listSessions = (db: Queryable, userId: string): Promise<SessionRow[]> =>
  db.query<SessionRow>(
    `SELECT session_id, user_agent, created_at, last_used_at, expires_at FROM sessions
      WHERE user_id = $1 AND ended_at IS NULL AND expires_at > now() ORDER BY created_at DESC, session_id LIMIT 100`,
    [userId],
  );

/** Ends one of the caller's own sessions; another's looks exactly like one that does not exist. */
export async function revokeSession(db: Queryable, caller: Caller, sessionId: string): Promise<void> {
  const ended = await db.query(
    `UPDATE sessions SET ended_at = now(), ended_because = 'revoked'
      WHERE session_id = $1 AND user_id = $2 AND ended_at IS NULL RETURNING 1`,
    [sessionId, caller.userId],
  );
  if (ended.length === 0) throw new PayError('session.unknown');
}
