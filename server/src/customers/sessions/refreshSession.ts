import { PayError } from '../../core/errors.ts';
import { isSameSecret } from '../../core/isSameSecret.ts';
import type { Db, Tx } from '../../db/database.ts';
import { lockAccountsOf } from '../../ledger/lockAccounts.ts';
import { recordAudit } from '../../operators/recordAudit.ts';
import { findRefreshed, hashOf, type IssuedTokens, issueTokens, type SessionRules } from './sessions.ts';

interface RefreshRow {
  readonly generation: number;
  readonly newest: number;
  readonly expired: boolean;
  readonly is_spent: boolean;
  readonly replaced: boolean;
  readonly late: boolean;
  readonly spent_under: Buffer | null;
  readonly successor_used: boolean;
}

type Refusal = { readonly refused: 'unknown' | 'expired' | 'revoked' | 'reused' };
type Theft = 'replaced' | 'another key' | 'late' | 'successor used';

/** How long a refresh may be repeated, by the database's clock. Long enough for a client's retries, and no longer. */
const REPEATABLE_SECONDS = 60;

/**
 * A refresh token is exchanged once. If it is used again, a copy of it exists, and the whole session ends. One case is
 * not theft: the answer was lost and the client asks again. We recognize this case by the same Idempotency-Key, within
 * a minute, as long as neither token of the lost answer was used; those tokens are replaced by new ones. If the lost
 * answer did arrive, its refresh token will be used at some time, and that ends the session too.
 */
export async function refreshSession(
  app: { readonly db: Db; readonly sessions: SessionRules },
  request: { refreshToken: string; idempotencyKey: string | undefined },
): Promise<IssuedTokens> {
  const attempt = (mayEnd: boolean) => app.db.tx((tx) => exchange(tx, app.sessions, request, mayEnd));
  const outcome = (await attempt(false)) ?? (await attempt(true))!;
  // Thrown after the commit: a rollback would undo the end of the stolen session.
  if ('refused' in outcome) throw new PayError('auth.invalid', { reason: outcome.refused });
  return outcome;
}

/**
 * `mayEnd`: the exchange may end tokens, so it first waits for the person's payments and blocks new ones. Most
 * refreshes end no token, so they are tried without it first. Returns undefined if the exchange would have to end
 * tokens; nothing has changed then.
 */
async function exchange(
  tx: Tx,
  rules: SessionRules,
  { refreshToken, idempotencyKey: key }: { refreshToken: string; idempotencyKey: string | undefined },
  mayEnd: boolean,
): Promise<IssuedTokens | Refusal | undefined> {
  const owner = mayEnd ? await findRefreshed(tx, refreshToken) : undefined;
  if (owner) await lockAccountsOf(tx, owner.userId);
  const hash = hashOf(refreshToken);
  const keyHash = key === undefined ? null : hashOf(key);
  const [session] = await tx.query<{ session_id: string; user_id: string; is_ended: boolean; is_over: boolean }>(
    `SELECT session_id, user_id, ended_at IS NOT NULL OR created_at < credentials_from('sessions') AS is_ended,
            created_at <= now() - make_interval(secs => $2) AS is_over
       FROM sessions
      WHERE session_id = (SELECT session_id FROM session_tokens WHERE hash = $1 AND kind = 'refresh') FOR UPDATE`,
    [hash, rules.sessionSeconds],
  );
  if (!session) return { refused: 'unknown' };
  if (session.is_ended) return { refused: 'revoked' };
  if (session.is_over) return { refused: 'expired' };
  const { session_id: sessionId, user_id: userId } = session;
  const token = await findToken(tx, sessionId, hash);
  if (!token || token.expired) return { refused: 'expired' };
  if (token.is_spent) {
    if (!mayEnd) return undefined;
    const theft = findTheft(token, keyHash);
    if (theft) {
      await endStolen(tx, sessionId, userId, theft);
      return { refused: 'reused' };
    }
    await replaceSuccessor(tx, sessionId, token.generation);
  } else {
    await tx.query('UPDATE session_tokens SET spent_at = now(), spent_under = $2 WHERE hash = $1', [hash, keyHash]);
  }
  await tx.query('DELETE FROM session_tokens WHERE session_id = $1 AND expires_at <= now()', [sessionId]);
  await tx.query(
    `UPDATE sessions SET last_used_at = now(),
            expires_at = least(now() + make_interval(secs => $2), created_at + make_interval(secs => $3))
      WHERE session_id = $1`,
    [sessionId, rules.refreshTokenSeconds, rules.sessionSeconds],
  );
  return issueTokens(tx, rules, sessionId, token.newest + 1);
}

/** Read after the session is locked: of two concurrent exchanges, the second must see the first. */
async function findToken(tx: Tx, sessionId: string, hash: Buffer): Promise<RefreshRow | undefined> {
  const [row] = await tx.query<RefreshRow>(
    `SELECT t.generation, t.expires_at <= now() AS expired, t.spent_at IS NOT NULL AS is_spent, t.replaced, t.spent_under,
            coalesce(t.spent_at <= now() - make_interval(secs => $3), false) AS late,
            (SELECT max(generation) FROM session_tokens WHERE session_id = $2) AS newest,
            EXISTS (SELECT FROM session_tokens n WHERE n.session_id = $2 AND n.generation > t.generation
                       AND NOT n.replaced AND (n.spent_at IS NOT NULL OR n.used_at IS NOT NULL)) AS successor_used
       FROM session_tokens t WHERE t.hash = $1`,
    [hash, sessionId, REPEATABLE_SECONDS],
  );
  return row;
}

/** Returns why a spent token that is used again is not the repetition of a lost request. */
function findTheft(token: RefreshRow, keyHash: Buffer | null): Theft | undefined {
  if (token.replaced) return 'replaced';
  if (keyHash === null || !isSameSecret(token.spent_under, keyHash)) return 'another key';
  if (token.late) return 'late';
  return token.successor_used ? 'successor used' : undefined;
}

async function endStolen(tx: Tx, sessionId: string, userId: string, why: Theft): Promise<void> {
  await tx.query(`UPDATE sessions SET ended_at = now(), ended_because = 'reused' WHERE session_id = $1`, [sessionId]);
  // We cannot tell which of the two holders is the person. The entry names the session's owner.
  const details = { session_id: sessionId, why };
  await recordAudit(tx, { actor: `user:${userId}`, action: 'session.reused', userId, details });
}

/** Keeps the refresh token of the lost answer, so that it ends the session if it is used later. */
async function replaceSuccessor(tx: Tx, sessionId: string, generation: number): Promise<void> {
  await tx.query(`DELETE FROM session_tokens WHERE session_id = $1 AND generation > $2 AND kind = 'access'`, [
    sessionId,
    generation,
  ]);
  await tx.query(
    `UPDATE session_tokens SET spent_at = now(), replaced = true
      WHERE session_id = $1 AND generation > $2 AND NOT replaced`,
    [sessionId, generation],
  );
}
