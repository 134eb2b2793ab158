/**
 * `operators` is who runs this service: which of them may do what, the log of what anybody has done, and what is paused.
 * It alone writes `operators`, `audit_log` and `pauses`. Every room above it calls it.
 */
import type { Queryable, Tx } from '../db/database.ts';
import { type AuditActor, nameOf, recordAudit } from './recordAudit.ts';

/** What an operator's command does. Looking is free to all of them. */
export type Deed = 'keys' | 'limits' | 'pause' | 'pause_user' | 'operators' | 'approve' | 'cancel' | 'custody';

export const ROLES = ['admin', 'risk', 'support'] as const;
export type Role = (typeof ROLES)[number];

const MAY: Readonly<Record<Role, readonly Deed[]>> = {
  admin: ['keys', 'limits', 'pause', 'pause_user', 'operators', 'approve', 'cancel', 'custody'],
  // Who may approve stands in PostgreSQL too (`guard_approval`): an approval is worth what its operator is.
  risk: ['limits', 'pause', 'pause_user', 'approve', 'cancel'],
  support: ['pause_user', 'cancel'],
};

interface Operator {
  readonly name: string;
  readonly role: Role;
}

export const listOperators = (db: Queryable): Promise<Operator[]> =>
  db.query<Operator>('SELECT name, role FROM operators ORDER BY name');

/**
 * Undefined when this operator may do it, else why not. Before the first operator is named, whoever has an operator's
 * login to the database may do everything that commands do. What no command does, PostgreSQL refuses that login anyway.
 */
export async function findObjection(db: Queryable, actor: AuditActor, deed: Deed): Promise<string | undefined> {
  const operators = await listOperators(db);
  if (operators.length === 0) return undefined;
  const name = nameOf(actor);
  const known = operators.find((one) => one.name === name);
  if (!known) return `${name} is not an operator of this service`;
  if (!MAY[known.role].includes(deed)) return `${name} has the role ${known.role}, which may not do this`;
  return undefined;
}

/** The first operator must be an admin, or nobody could name the next. */
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

/** Whether somebody is left who may name operators. */
export async function hasAdmin(db: Queryable): Promise<boolean> {
  return (await listOperators(db)).some(({ role }) => role === 'admin');
}
