import type { Queryable } from '../../db/database.ts';
import { parseUsername } from './setUsername.ts';

interface UsernameCheck {
  /** In small letters. */
  readonly username: string;
  /** `own`: the person's own name, or an old one that still leads to them. */
  readonly state: 'free' | 'taken' | 'own';
}

/**
 * Whether this person could take a name now: what `setUsername` would find, without taking anything. Reserved names, and
 * names that look like somebody's, are taken; an old name is free again when it has stopped leading to its owner.
 */
export async function checkUsername(db: Queryable, userId: string, text: string): Promise<UsernameCheck> {
  const username = parseUsername(text);
  const [row] = await db.query<{ state: UsernameCheck['state'] }>(
    `SELECT CASE WHEN s.user_id IS NULL THEN 'taken'
                 WHEN NOT EXISTS (SELECT FROM usernames n WHERE n.user_id = s.user_id AND n.skeleton = s.skeleton
                                     AND (n.redirect_until IS NULL OR n.redirect_until > now())) THEN 'free'
                 WHEN s.user_id <> $1 THEN 'taken'
                 -- What only looks like a name of theirs they may take too.
                 WHEN EXISTS (SELECT FROM usernames n WHERE n.username = $2) THEN 'own' ELSE 'free' END AS state
       FROM username_skeletons s WHERE s.skeleton = username_skeleton($2)`,
    [userId, username],
  );
  return { username, state: row?.state ?? 'free' };
}
