import type { Queryable } from '../db/database.ts';

interface FoundPerson {
  readonly userId: string;
  readonly username: string | null;
  readonly email: string | null;
}

/**
 * For operators: people with this part in their name or e-mail address, first those whose name begins with it. No index
 * has parts of names. Each table is read once and without a join, only until enough were found.
 */
export const findPeopleLike = (db: Queryable, part: string, limit: number): Promise<FoundPerson[]> =>
  db.query<FoundPerson>(
    `SELECT u.user_id AS "userId", n.username, u.email
       FROM users u LEFT JOIN usernames n ON n.user_id = u.user_id AND n.redirect_until IS NULL
      WHERE u.user_id = ANY (ARRAY(
              (SELECT user_id FROM usernames WHERE redirect_until IS NULL AND strpos(username, lower($1)) > 0 LIMIT $2)
              UNION (SELECT user_id FROM users WHERE strpos(email, lower($1)) > 0 LIMIT $2)))
      ORDER BY starts_with(n.username, lower($1)) DESC NULLS LAST, n.username, u.user_id LIMIT $2`,
    [part, limit],
  );
