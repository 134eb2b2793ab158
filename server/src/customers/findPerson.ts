import type { Queryable } from '../db/database.ts';
import { findAddress } from './findAddress.ts';
import { findByUsername } from './usernames/findByUsername.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * For operators: finds a person by username (current or old), user id, wallet address (on any blockchain) or e-mail
 * address. Returns undefined if several people have the e-mail address.
 */
export async function findPerson(db: Queryable, text: string): Promise<string | undefined> {
  if (UUID.test(text)) return findId(db, 'SELECT user_id FROM users WHERE user_id = $1', text);
  if (text.includes('@')) return findId(db, 'SELECT user_id FROM users WHERE email = $1 LIMIT 2', text);
  const wallet = await findAddress(db, text);
  if (wallet) return wallet.userId ?? undefined;
  return (await findByUsername(db, text))?.userId;
}

async function findId(db: Queryable, sql: string, text: string): Promise<string | undefined> {
  const rows = await db.query<{ user_id: string }>(sql, [text]);
  return rows.length === 1 ? rows[0]!.user_id : undefined;
}

/** Returns their current names. */
export async function listUsernames(db: Queryable, userIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.query<{ user_id: string; username: string }>(
    'SELECT user_id, username FROM usernames WHERE user_id = ANY ($1) AND redirect_until IS NULL',
    [userIds],
  );
  return new Map(rows.map((row) => [row.user_id, row.username]));
}
