/**
 * `operators` is for the people who run the service: their roles, the audit log, pauses, and restores of the database.
 * Only this module writes `operators`, `audit_log`, `pauses`, `restores` and `database_identity`. Called by
 * `customers`, `custody`, `payments` and `bin`.
 */
import type { Queryable } from '../db/database.ts';

/** The kinds of changes that operators' commands make. Commands that only read need no role. */
export type Deed =
  | 'keys'
  | 'limits'
  | 'pause'
  | 'pause_user'
  | 'operators'
  | 'approve'
  | 'cancel'
  | 'custody'
  | 'sessions'
  | 'webhooks';

export const ROLES = ['admin', 'risk', 'support'] as const;
export type Role = (typeof ROLES)[number];

interface Operator {
  readonly name: string;
  readonly role: Role;
}

export const listOperators = (db: Queryable): Promise<Operator[]> =>
  db.query<Operator>('SELECT name, role FROM operators ORDER BY name');

/** Whether this PostgreSQL has a login with this name. */
export async function isLogin(db: Queryable, name: string): Promise<boolean> {
  return (await db.query('SELECT FROM pg_roles WHERE rolname = $1 AND rolcanlogin', [name])).length > 0;
}

/**
 * Logins with only the operators' role that belong to no operator, such as those of people who have left. Such a login
 * can still read. Empty while there are no operators.
 */
export async function listStrayLogins(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `SELECT r.rolname::text AS name FROM pg_roles r, role_names n
      WHERE r.rolcanlogin AND NOT r.rolsuper AND coalesce(r.rolvaliduntil > now(), true)
        AND pg_has_role(r.oid, n.prefix || '_operator', 'MEMBER') AND NOT pg_has_role(r.oid, n.prefix || '_owner', 'MEMBER')
        AND EXISTS (SELECT FROM operators) AND NOT EXISTS (SELECT FROM operators o WHERE o.name = r.rolname)
      ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Undefined if the operator with this database login may do it, else why not. `operator_objection` has the table of
 * roles and actions; functions that change something call it themselves, so it also applies to SQL typed by hand.
 */
export async function findRoleRefusal(db: Queryable, deed: Deed): Promise<string | undefined> {
  const [row] = await db.query<{ objection: string | null }>('SELECT operator_objection($1) AS objection', [deed]);
  return row!.objection ?? undefined;
}

/** The function writes the audit log. Throws (`operators_have_an_admin`) if no admin would be left. */
export async function setOperator(tx: Queryable, operator: Operator): Promise<void> {
  await tx.query('SELECT set_operator($1, $2)', [operator.name, operator.role]);
}

/** False if the operator does not exist; otherwise see `setOperator`. */
export async function removeOperator(tx: Queryable, name: string): Promise<boolean> {
  const [row] = await tx.query<{ removed: boolean }>('SELECT remove_operator($1) AS removed', [name]);
  return row!.removed;
}
