import { PayError } from '../../core/errors.ts';
import { isUsername } from '../../core/isUsername.ts';
import type { Tx } from '../../db/database.ts';
import { lockAccountsOf } from '../../ledger/lockAccounts.ts';
import { recordAudit } from '../../operators/recordAudit.ts';

export interface UsernameRules {
  readonly cooldownDays: number;
}

/** How long an old name still redirects to its owner and cannot be taken by other people. */
export const REDIRECT_DAYS = 90;

export interface UsernameSet {
  readonly userId: string;
  readonly username: string;
  readonly previousUsername: string | null;
}

/**
 * Sets or changes a person's name. Among any number of concurrent claims of one name, or of names that look alike, exactly
 * one wins: the skeleton is a primary key, and the others wait for the winner's commit and are then refused.
 */
export async function setUsername(
  tx: Tx,
  rules: UsernameRules,
  request: { userId: string; username: string },
): Promise<UsernameSet> {
  const { userId } = request;
  const username = parseUsername(request.username);
  // One change per person at a time. Everything below sees what earlier changes committed.
  const [user] = await tx.query<{ closed_at: Date | null }>(
    'SELECT closed_at FROM users WHERE user_id = $1 FOR NO KEY UPDATE',
    [userId],
  );
  if (!user) throw new PayError('user.unknown');
  if (user.closed_at) throw new PayError('account.closed');
  const current = await findCurrentUsername(tx, userId);
  if (current === username) return { userId, username, previousUsername: null };
  if (current !== null) await refuseDuringCooldown(tx, rules, userId);
  await releaseExpired(tx, username);
  await claimSkeleton(tx, userId, username);
  await tx.query(
    `UPDATE usernames SET redirect_until = now() + make_interval(days => $2)
      WHERE user_id = $1 AND redirect_until IS NULL`,
    [userId, REDIRECT_DAYS],
  );
  // A person may take back one of their own old names.
  const claimed = await tx.query(
    `INSERT INTO usernames AS n (username, user_id, claimed_at) VALUES ($2, $1, now())
     ON CONFLICT (username) DO UPDATE SET redirect_until = NULL, claimed_at = now() WHERE n.user_id = $1
     RETURNING 1`,
    [userId, username],
  );
  if (claimed.length === 0) throw new PayError('username.taken');
  await tx.query(
    'INSERT INTO username_changes (user_id, username, previous, changed_at) VALUES ($1, $2, $3, clock_timestamp())',
    [userId, username, current],
  );
  const details = { username, previous_username: current };
  await recordAudit(tx, { actor: `user:${userId}`, action: 'username.changed', userId, details });
  return { userId, username, previousUsername: current };
}

export function parseUsername(text: string): string {
  if (!isUsername(text)) throw new PayError('username.invalid');
  return text.toLowerCase();
}

async function findCurrentUsername(tx: Tx, userId: string): Promise<string | null> {
  const [row] = await tx.query<{ username: string }>(
    'SELECT username FROM usernames WHERE user_id = $1 AND redirect_until IS NULL',
    [userId],
  );
  return row?.username ?? null;
}

/** The first name is not a change. The first correction after it is free and starts the cooldown. */
async function refuseDuringCooldown(tx: Tx, rules: UsernameRules, userId: string): Promise<void> {
  const [last] = await tx.query<{ available_at: Date }>(
    `SELECT changed_at + make_interval(days => $2) AS available_at FROM username_changes
      WHERE user_id = $1 AND previous IS NOT NULL AND changed_at + make_interval(days => $2) > now()
      ORDER BY changed_at DESC LIMIT 1`,
    [userId, rules.cooldownDays],
  );
  if (last) throw new PayError('username.cooldown', { available_at: last.available_at.toISOString() });
}

async function releaseExpired(tx: Tx, username: string): Promise<void> {
  const [former] = await tx.query<{ user_id: string }>(
    'SELECT user_id FROM usernames WHERE skeleton = username_skeleton($1) AND redirect_until <= now() LIMIT 1',
    [username],
  );
  // Payments that have already resolved this name to its former owner are committed first.
  if (former) await lockAccountsOf(tx, former.user_id);
  await tx.query('DELETE FROM usernames WHERE skeleton = username_skeleton($1) AND redirect_until <= now()', [
    username,
  ]);
  await tx.query(
    `DELETE FROM username_skeletons s
      WHERE skeleton = username_skeleton($1) AND user_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM usernames n WHERE n.skeleton = s.skeleton)`,
    [username],
  );
}

async function claimSkeleton(tx: Tx, userId: string, username: string): Promise<void> {
  // Waits for a concurrent claim of the same skeleton to commit or roll back.
  await tx.query(
    'INSERT INTO username_skeletons (skeleton, user_id) VALUES (username_skeleton($2), $1) ON CONFLICT DO NOTHING',
    [userId, username],
  );
  const [owned] = await tx.query(
    'SELECT 1 FROM username_skeletons WHERE skeleton = username_skeleton($2) AND user_id = $1 FOR UPDATE',
    [userId, username],
  );
  if (!owned) throw new PayError('username.taken');
}
