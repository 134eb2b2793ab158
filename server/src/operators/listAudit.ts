import type { Queryable } from '../db/database.ts';

export interface AuditLine {
  readonly auditId: bigint;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly userId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

interface AuditFilter {
  readonly userId?: string | undefined;
  /** With its kind (`operator:anna`) or without. */
  readonly actor?: string | undefined;
  /** All actions that begin with it: `payment` or `payment.denied`. */
  readonly action?: string | undefined;
  readonly since?: Date | undefined;
  /** Only entries older than this one. */
  readonly before?: bigint | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listAudit(db: Queryable, filter: AuditFilter): Promise<AuditLine[]> {
  const values: unknown[] = [filter.limit];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const conditions = ['true'];
  if (filter.userId !== undefined) conditions.push(`user_id = ${bind(filter.userId)}`);
  if (filter.actor !== undefined) {
    const actor = bind(filter.actor);
    conditions.push(`(actor = ${actor} OR split_part(actor, ':', 2) = ${actor})`);
  }
  if (filter.action !== undefined) {
    const action = bind(filter.action);
    conditions.push(`(action = ${action} OR starts_with(action, ${action} || '.'))`);
  }
  if (filter.since !== undefined) conditions.push(`at >= ${bind(filter.since)}`);
  if (filter.before !== undefined) conditions.push(`audit_id < ${bind(filter.before)}`);
  return db.query<AuditLine>(
    `SELECT audit_id AS "auditId", at, actor, action, user_id AS "userId", details FROM audit_log
      WHERE ${conditions.join(' AND ')} ORDER BY audit_id DESC LIMIT $1`,
    values,
  );
}
