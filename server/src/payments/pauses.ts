import type { Queryable, Tx } from '../db/database.ts';
import { type AuditActor, recordAudit } from '../operators/recordAudit.ts';

/**
 * What an operator can stop: everything, people paying each other, sends to addresses, sends on one blockchain, or
 * whatever one person pays. Whoever is paused still receives, and everybody can look.
 */
export type PauseScope = 'all' | 'user' | 'chain' | `chain:${string}` | `user:${string}`;

interface Pause {
  readonly scope: PauseScope;
  readonly reason: string;
  readonly pausedBy: string;
  readonly pausedAt: Date;
}

/** From the next payment statement on, in every process. False when there is no such person. */
export async function pausePayments(tx: Tx, scope: PauseScope, reason: string, actor: AuditActor): Promise<boolean> {
  const userId = findUserId(scope);
  const [row] = await tx.query<{ paused: boolean }>('SELECT pause_payments($1, $2, $3) AS paused', [
    scope,
    reason,
    actor,
  ]);
  if (!row!.paused) return false;
  await recordAudit(tx, { actor, action: 'payments.paused', ...(userId && { userId }), details: { scope, reason } });
  return true;
}

/** False when it was not paused. */
export async function resumePayments(tx: Tx, scope: PauseScope, actor: AuditActor): Promise<boolean> {
  const userId = findUserId(scope);
  const [row] = await tx.query<{ resumed: boolean }>('SELECT resume_payments($1) AS resumed', [scope]);
  if (!row!.resumed) return false;
  await recordAudit(tx, { actor, action: 'payments.resumed', ...(userId && { userId }), details: { scope } });
  return true;
}

export const listPauses = (db: Queryable): Promise<Pause[]> =>
  db.query<Pause>(
    'SELECT scope, reason, paused_by AS "pausedBy", paused_at AS "pausedAt" FROM pauses ORDER BY paused_at, scope',
  );

/** For whoever watches the service: what is paused, and how many people are, without saying who. */
export async function summarizePauses(db: Queryable): Promise<{ pauses: Pause[]; people: number }> {
  const pauses = await db.query<Pause>(
    `SELECT scope, reason, paused_by AS "pausedBy", paused_at AS "pausedAt" FROM pauses
      WHERE scope NOT LIKE 'user:%' ORDER BY paused_at, scope`,
  );
  const [count] = await db.query<{ people: number }>(
    `SELECT count(*)::int AS people FROM pauses WHERE scope LIKE 'user:%'`,
  );
  return { pauses, people: count!.people };
}

const findUserId = (scope: PauseScope): string | undefined => /^user:(.+)$/.exec(scope)?.[1];
