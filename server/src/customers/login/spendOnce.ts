import type { Tx } from '../../db/database.ts';
import { hashOf } from '../sessions/sessions.ts';

/** False if the text was spent before. Only its hash is kept, until it would no longer be accepted anyway. */
export async function spendOnce(tx: Tx, text: string, expiresAt: Date): Promise<boolean> {
  const spent = await tx.query(
    `INSERT INTO spent_id_tokens (hash, expires_at) VALUES ($1, $2::timestamptz + interval '2 minutes')
     ON CONFLICT (hash) DO NOTHING RETURNING 1`,
    [hashOf(text), expiresAt],
  );
  if (spent.length === 0) return false;
  await tx.query(
    `DELETE FROM spent_id_tokens WHERE hash IN (
       SELECT hash FROM spent_id_tokens WHERE expires_at < now() LIMIT 10 FOR UPDATE SKIP LOCKED)`,
  );
  return true;
}
