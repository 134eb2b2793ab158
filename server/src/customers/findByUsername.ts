import type { Queryable } from '../db/database.ts';

export interface NamedUser {
  readonly userId: string;
  readonly username: string;
  /** The old name that was asked for, when it led here. */
  readonly redirectedFrom: string | null;
}

/** Whose name this is, today or by a redirect that has not run out. */
export async function findByUsername(db: Queryable, name: string): Promise<NamedUser | undefined> {
  const [row] = await db.query<{ user_id: string; username: string }>(
    `SELECT today.user_id, today.username
       FROM usernames asked
       JOIN usernames today ON today.user_id = asked.user_id AND today.redirect_until IS NULL
      WHERE asked.username = lower($1) AND (asked.redirect_until IS NULL OR asked.redirect_until > now())`,
    [name],
  );
  if (!row) return undefined;
  return {
    userId: row.user_id,
    username: row.username,
    redirectedFrom: row.username === name.toLowerCase() ? null : name.toLowerCase(),
  };
}
