import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../server/src/db/database.ts';
import type { Person } from './ledgerWorld.ts';

export type LoggedIn = Person & { readonly accessToken: string };

/** Gives every person a session, as a login would. */
export async function logIn(db: Db, people: readonly Person[]): Promise<LoggedIn[]> {
  const known = people.map((person) => ({ ...person, accessToken: `fla_${randomBytes(32).toString('base64url')}` }));
  const hashes = known.map(({ accessToken }) => createHash('sha256').update(accessToken).digest());
  await db.query(
    `WITH opened AS (
       INSERT INTO sessions (session_id, user_id, created_at, last_used_at, expires_at)
       SELECT gen_random_uuid(), unnest($1::uuid[]), now(), now(), now() + interval '1 day' RETURNING session_id, user_id)
     INSERT INTO session_tokens (hash, session_id, kind, generation, expires_at)
     SELECT k.hash, o.session_id, 'access', 0, now() + interval '1 day'
       FROM opened o JOIN unnest($1::uuid[], $2::bytea[]) AS k(user_id, hash) USING (user_id)`,
    [known.map(({ userId }) => userId), hashes],
  );
  await db.query('VACUUM ANALYZE sessions, session_tokens');
  return known;
}
