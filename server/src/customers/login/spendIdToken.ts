import { PayError } from '../../core/errors.ts';
import type { Tx } from '../../db/database.ts';
import { hashOf } from '../sessions/sessions.ts';

/**
 * Makes sure that an ID token is used for only one login. We store the hash of header and claims without the signature,
 * so the same token with another valid signature is refused too. The hash is kept for as long as the token would be
 * accepted.
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
