/**
 * `operators` is for the people who run the service: which role may do what, the audit log, what is paused, and restores
 * of the database. It alone writes `operators`, `audit_log`, `pauses`, `restores` and `database_identity`. Called by `customers`, `custody`, `payments` and `bin`.
 */
import type { Queryable, Tx } from '../db/database.ts';
import { type AuditActor, recordAudit } from './recordAudit.ts';

/** What an operator's command changes. Commands that only read need no role. */
export type Deed =
  | 'keys'
  | 'limits'
  | 'pause'
  | 'pause_user'
  | 'operators'
  | 'approve'
  | 'cancel'
  | 'custody'
  | 'sessions';

export const ROLES = ['admin', 'risk', 'support'] as const;
export type Role = (typeof ROLES)[number];

interface Operator {
  readonly name: string;
  readonly role: Role;
}

export const listOperators = (db: Queryable): Promise<Operator[]> =>
  db.query<Operator>('SELECT name, role FROM operators ORDER BY name');

/**
 * Undefined when the operator with this database login may do it, else why not. `operator_objection` has the table of roles
 * and deeds; functions that change something ask it themselves. PostgreSQL refuses that login everything that no command does.
 */
export async function findObjection(db: Queryable, deed: Deed): Promise<string | undefined> {
  const [row] = await db.query<{ objection: string | null }>('SELECT operator_objection($1) AS objection', [deed]);
  return row!.objection ?? undefined;
}

/** The caller makes sure that there is always an admin, who can name others. */
export async function setOperator(tx: Tx, operator: Operator, actor: AuditActor): Promise<void> {
  await tx.query('SELECT set_operator($1, $2)', [operator.name, operator.role]);
  await recordAudit(tx, { actor, action: 'operator.set', details: { ...operator } });
}

/** False when there is no such operator. */
export async function removeOperator(tx: Tx, name: string, actor: AuditActor): Promise<boolean> {
  const [row] = await tx.query<{ removed: boolean }>('SELECT remove_operator($1) AS removed', [name]);
  if (!row!.removed) return false;
  await recordAudit(tx, { actor, action: 'operator.removed', details: { name } });
  return true;
}

/** Whether there is an admin, who can name operators. */
export async function hasAdmin(db: Queryable): Promise<boolean> {
  return (await listOperators(db)).some(({ role }) => role === 'admin');
}
