import type { Tx } from '../db/database.ts';

type AuditAction =
  | 'login'
  | 'session.revoked'
  | 'session.reused'
  | 'session.replaced'
  | 'username.changed'
  | 'kyc.started'
  | 'kyc.changed'
  | 'limits.changed'
  | 'limits.given'
  | 'payments.paused'
  | 'payments.resumed'
  | 'operator.set'
  | 'operator.removed'
  | 'payment.approved'
  | 'payment.denied'
  | 'payment.cancel_asked'
  | 'custody.imported'
  | 'relayer.restarted'
  | 'relayer.nonces_passed'
  | 'key.created'
  | 'key.revoked';

/** `service`: what the service itself has mended. */
export type AuditActor = `user:${string}` | `operator:${string}` | `provider:${string}` | `service:${string}`;

/** Without the kind: an operator's name, a person's id. */
export const nameOf = (actor: AuditActor): string => actor.slice(actor.indexOf(':') + 1);

interface AuditEntry {
  readonly actor: AuditActor;
  readonly action: AuditAction;
  readonly userId?: string;
  /** Ids and words. Never an e-mail address, a token or other private data. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** In the same database transaction as the action, so that neither exists without the other. */
export async function recordAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  await tx.query('SELECT record_audit($1, $2, $3, $4)', [
    entry.actor,
    entry.action,
    entry.userId ?? null,
    entry.details ?? {},
  ]);
}
