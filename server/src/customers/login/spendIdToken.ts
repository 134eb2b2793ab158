import { PayError } from '../../core/errors.ts';
import type { Tx } from '../../db/database.ts';
import { hashOf } from '../sessions/sessions.ts';

/**
 * An ID token buys one session. What is remembered is the hash of header and claims, which is what was signed: the same
 * token with another valid signature is still the same. Kept for as long as the token could be shown.
 */
export async function spendIdToken(tx: Tx, idToken: string, expiresAt: Date): Promise<void> {
  const spent = await tx.query(
    `INSERT INTO spent_id_tokens (hash, expires_at) VALUES ($1, $2::timestamptz + interval '2 minutes')
     ON CONFLICT (hash) DO NOTHING RETURNING 1`,
    [hashOf(idToken.slice(0, idToken.lastIndexOf('.'))), expiresAt],
  );
  if (spent.length === 0) throw new PayError('auth.invalid', { reason: 'spent' });
  await tx.query(
    `DELETE FROM spent_id_tokens WHERE hash IN (
       SELECT hash FROM spent_id_tokens WHERE expires_at < now() LIMIT 10 FOR UPDATE SKIP LOCKED)`,
  );
}
