import type { Queryable, Tx } from '../db/database.ts';
import { type AuditActor, recordAudit } from './recordAudit.ts';

/** Credentials that a restored database contains from before the restore. */
export const CREDENTIALS = ['keys', 'sessions'] as const;
type Credentials = (typeof CREDENTIALS)[number];

interface Restore {
  readonly notedAt: Date;
  readonly reason: string;
  readonly unconfirmed: readonly Credentials[];
}

/** Checks at the start of a process whether the database is a copy of another one. It reports a copy once. */
export async function checkIdentity(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ copy: boolean }>('SELECT check_identity() AS copy');
  return row!.copy;
}

/**
 * An operator reports that this database was restored: from now on, earlier logins and keys are not accepted, because
 * some of them may have been revoked after the backup was made.
 */
export async function noteRestore(tx: Tx, reason: string, actor: AuditActor): Promise<void> {
  await tx.query('SELECT note_restore($1)', [reason]);
  await recordAudit(tx, { actor, action: 'restore.noted', details: { reason } });
}

/**
 * An operator has reviewed these credentials: they are usable again. Returns the number of restores that were
 * confirmed.
 */
export async function confirmRestore(tx: Tx, what: Credentials, actor: AuditActor): Promise<number> {
  const [row] = await tx.query<{ confirmed: number }>('SELECT confirm_restore($1) AS confirmed', [what]);
  const { confirmed } = row!;
  if (confirmed > 0) await recordAudit(tx, { actor, action: 'restore.confirmed', details: { what } });
  return confirmed;
}

/** Newest first. */
export async function listRestores(db: Queryable): Promise<Restore[]> {
  const rows = await db.query<{ noted_at: Date; reason: string; keys: boolean; sessions: boolean }>(
    `SELECT noted_at, reason, keys_confirmed_at IS NULL AS keys, sessions_confirmed_at IS NULL AS sessions FROM restores
      ORDER BY noted_at DESC LIMIT 20`,
  );
  return rows.map(({ noted_at: notedAt, reason, ...open }) => ({
    notedAt,
    reason,
    unconfirmed: CREDENTIALS.filter((one) => open[one]),
  }));
}
