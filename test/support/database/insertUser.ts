import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../../server/src/db/database.ts';

/** A person with a name, inserted with SQL, for tests that do not concern logging in. Returns the user id. */
export async function insertUser(db: Queryable, username: string): Promise<string> {
  const userId = randomUUID();
  await db.query(`INSERT INTO users (user_id, issuer, subject) VALUES ($1, 'test', $2)`, [userId, username]);
  await db.query('INSERT INTO username_skeletons (skeleton, user_id) VALUES (username_skeleton($2), $1)', [
    userId,
    username,
  ]);
  await db.query('INSERT INTO usernames (username, user_id, claimed_at) VALUES ($2, $1, now())', [userId, username]);
  return userId;
}
