import { PayError } from '../../core/errors.ts';
import { isSameSecret } from '../../core/isSameSecret.ts';
import type { Db, Tx } from '../../db/database.ts';
import { recordAudit } from '../../operators/recordAudit.ts';
import { hashOf, type IssuedTokens, issueTokens, type SessionRules } from './sessions.ts';

interface RefreshRow {
  generation: number;
  expired: boolean;
  spent_at: Date | null;
  spent_under: Buffer | null;
  successor_spent: boolean | null;
}

type Refusal = { readonly refused: 'unknown' | 'expired' | 'revoked' | 'reused' };

/**
 * A refresh token is exchanged once. If it is used again, there is a copy of it, and the whole session ends. One case
 * is not theft: the answer got lost and the client asks again. It is recognized by the same Idempotency-Key, as long as
 * the tokens of the lost answer were not used; those are replaced by new ones.
 */
export async function refreshSession(
  app: { readonly db: Db; readonly sessions: SessionRules },
  request: { refreshToken: string; idempotencyKey: string | undefined },
): Promise<IssuedTokens> {
  const outcome = await app.db.tx((tx) => exchange(tx, app.sessions, request.refreshToken, request.idempotencyKey));
  // Thrown after the commit: a rollback would undo the end of the stolen session.
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
  const [session] = await tx.query<{ session_id: string; user_id: string; is_ended: boolean }>(
    `SELECT session_id, user_id, ended_at IS NOT NULL OR created_at < credentials_from('sessions') AS is_ended FROM sessions
      WHERE session_id = (SELECT session_id FROM session_tokens WHERE hash = $1 AND kind = 'refresh') FOR UPDATE`,
    [hash],
  );
  if (!session) return { refused: 'unknown' };
  if (session.is_ended) return { refused: 'revoked' };
  const sessionId = session.session_id;
  // Read after the session is locked: of two concurrent exchanges, the second must see the first.
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
    const isRetry = keyHash !== null && isSameSecret(token.spent_under, keyHash) && !token.successor_spent;
    if (!isRetry) {
      await tx.query(`UPDATE sessions SET ended_at = now(), ended_because = 'reused' WHERE session_id = $1`, [
        sessionId,
      ]);
      const { user_id: userId } = session;
      // We do not know which of the two holders is the person; the entry names the session's owner.
      const details = { session_id: sessionId };
      await recordAudit(tx, { actor: `user:${userId}`, action: 'session.reused', userId, details });
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
