import type { Queryable } from '../../db/database.ts';
import { parseUsername } from './setUsername.ts';

interface UsernameCheck {
  /** In lower case. */
  readonly username: string;
  /** `own`: the person's current name, or an old one that still redirects to them. */
  readonly state: 'free' | 'taken' | 'own';
}

/**
 * Checks whether this person could take a name now: the result that `setUsername` would have, without taking anything.
 * Reserved names, and names that look like another person's name, are taken. An old name is free again when its
 * redirect has expired.
 */
export async function checkUsername(db: Queryable, userId: string, text: string): Promise<UsernameCheck> {
  const username = parseUsername(text);
  const [row] = await db.query<{ state: UsernameCheck['state'] }>(
    `SELECT CASE WHEN s.user_id IS NULL THEN 'taken'
                 WHEN NOT EXISTS (SELECT FROM usernames n WHERE n.user_id = s.user_id AND n.skeleton = s.skeleton
                                     AND (n.redirect_until IS NULL OR n.redirect_until > now())) THEN 'free'
                 WHEN s.user_id <> $1 THEN 'taken'
                 -- The person may also take a name that only looks like one of theirs.
                 WHEN EXISTS (SELECT FROM usernames n WHERE n.username = $2) THEN 'own' ELSE 'free' END AS state
       FROM username_skeletons s WHERE s.skeleton = username_skeleton($2)`,
    [userId, username],
  );
  return { username, state: row?.state ?? 'free' };
}
