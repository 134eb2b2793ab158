import type { Tx } from '../db/database.ts';

type AuditAction =
  | 'login'
  | 'session.revoked'
  | 'session.reused'
  | 'session.replaced'
  | 'username.changed'
  | 'discoverable.changed'
  | 'kyc.started'
  | 'kyc.changed'
  | 'limits.changed'
  | 'limits.given'
  | 'payments.paused'
  | 'payments.resumed'
  | 'operator.set'
  | 'operator.removed'
  | 'operator.linked'
  | 'operator.unlinked'
  | 'operator.login'
  | 'payment.approved'
  | 'payment.denied'
  | 'payment.cancel_asked'
  | 'custody.imported'
  | 'relayer.restarted'
  | 'relayer.nonces_passed'
  | 'wallet.rescan_asked'
  | 'restore.noted'
  | 'restore.confirmed'
  | 'correction.proposed'
  | 'transfer.cancel_asked'
  | 'transfer.end_proposed'
  | 'transfer.end_decided'
  | 'debt.collected'
  | 'key.created'
  | 'key.revoked'
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.removed'
  | 'webhook.rotated'
  | 'webhook.assigned'
  | 'webhook.switched_off';

/** `service`: actions of the service itself; `key`: another service, by its key. */
export type AuditActor = `${'user' | 'operator' | 'provider' | 'service' | 'key'}:${string}`;

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
