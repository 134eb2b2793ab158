import { PayError } from '../core/errors.ts';
import type { Tx } from '../db/database.ts';
import { recordAudit } from '../operators/recordAudit.ts';

/** Lets strangers find this person's name, or no longer. Repeating it changes nothing. */
export async function setDiscoverable(tx: Tx, userId: string, discoverable: boolean): Promise<void> {
  const [user] = await tx.query<{ closed_at: Date | null; discoverable: boolean }>(
    'SELECT closed_at, discoverable FROM users WHERE user_id = $1 FOR NO KEY UPDATE',
    [userId],
  );
  if (!user) throw new PayError('user.unknown');
  if (user.closed_at) throw new PayError('account.closed');
  if (user.discoverable === discoverable) return;
  await tx.query('UPDATE users SET discoverable = $2 WHERE user_id = $1', [userId, discoverable]);
  await recordAudit(tx, {
    actor: `user:${userId}`,
    action: 'discoverable.changed',
    userId,
    details: { discoverable },
  });
}
