import { isUsername } from '../../core/isUsername.ts';
import type { Queryable } from '../../db/database.ts';

/**
 * The name as its owner writes it, if they let strangers find it. One search in one index decides, so the time does not say
 * why a name is not found. A former name is not found either: a person who was renamed may not want the two to be linked.
 */
export async function findPublicName(db: Queryable, name: string): Promise<string | undefined> {
  if (!isUsername(name)) return undefined;
  const [row] = await db.query<{ username: string }>('SELECT username FROM public_names WHERE username = lower($1)', [
    name,
  ]);
  return row?.username;
}
