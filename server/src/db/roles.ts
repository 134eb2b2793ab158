/**
 * The roles of a database: `PREFIX_owner`, which owns tables and functions, and one role for each kind of process. None
 * of them can log in: a login is a member of its process's role. `sql/privileges.sql` defines what each may do.
 */
import pg from 'pg';
import type { Privileges } from './readSql.ts';

export const ROLES = ['owner', 'server', 'worker', 'signer', 'operator', 'reader', 'console'] as const;
export type Role = (typeof ROLES)[number];

const { escapeIdentifier } = pg;

/** A login with more rights must first run the statements in the message. */
class MissingRoles extends Error {}

/** All seven names must fit into PostgreSQL's 63 bytes. */
const MAX_PREFIX = 50;

/** The name that the database had when it was first migrated. It never changes. */
export async function readPrefix(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ known: boolean; name: string }>(
    `SELECT to_regclass('public.role_names') IS NOT NULL AS known, current_database() AS name`,
  );
  if (!rows[0]!.known) return rows[0]!.name.slice(0, MAX_PREFIX);
  const stored = await client.query<{ prefix: string }>('SELECT prefix FROM role_names');
  return stored.rows[0]?.prefix ?? rows[0]!.name.slice(0, MAX_PREFIX);
}

/**
 * Creates the missing roles and continues as the owner. If this login may not do that, throws an error with the
 * statements that a login with more rights must run.
 */
export async function becomeOwner(client: pg.ClientBase, prefix: string): Promise<void> {
  const statements = await listMissing(client, prefix);
  const { rows } = await client.query<{ may: boolean; login: string }>(
    'SELECT rolsuper OR rolcreaterole AS may, current_user AS login FROM pg_roles WHERE rolname = current_user',
  );
  if (statements.length > 0 && !rows[0]!.may) throw new MissingRoles(explain(rows[0]!.login, statements));
  for (const statement of statements) {
    await client.query(statement).catch((error: pg.DatabaseError) => {
      // Another migration with the same names created the role in the meantime.
      if (error.code === '42710' || error.code === '23505') return;
      throw new MissingRoles(explain(rows[0]!.login, statements, error.message));
    });
  }
  await adoptObjects(client, prefix);
  await client.query(`SET ROLE ${nameOf(prefix, 'owner')}`);
}

const nameOf = (prefix: string, role: Role): string => escapeIdentifier(`${prefix}_${role}`);

/** Returns the statements that must run before this login can migrate. */
async function listMissing(client: pg.ClientBase, prefix: string): Promise<string[]> {
  const { rows: known } = await client.query<{ rolname: string }>(
    'SELECT rolname FROM pg_roles WHERE rolname = ANY ($1)',
    [ROLES.map((role) => `${prefix}_${role}`)],
  );
  const names = new Set(known.map(({ rolname }) => rolname));
  const owner = nameOf(prefix, 'owner');
  const statements = ROLES.filter((role) => !names.has(`${prefix}_${role}`)).map(
    (role) => `CREATE ROLE ${nameOf(prefix, role)} NOLOGIN`,
  );
  const { rows } = await client.query<{ login: string; member: boolean; creates: boolean; open: boolean }>(
    `SELECT current_user AS login,
            coalesce((SELECT pg_has_role(oid, 'MEMBER') FROM pg_roles WHERE rolname = $1), false) AS member,
            coalesce((SELECT has_schema_privilege(oid, 'public', 'CREATE') FROM pg_roles WHERE rolname = $1), false)
              AS creates,
            EXISTS (SELECT FROM pg_namespace, aclexplode(nspacl) a
                     WHERE nspname = 'public' AND a.grantee = 0 AND a.privilege_type = 'CREATE') AS open`,
    [`${prefix}_owner`],
  );
  const { login, member, creates, open } = rows[0]!;
  if (!member) statements.push(`GRANT ${owner} TO ${escapeIdentifier(login)}`);
  if (!creates) {
    const others = ROLES.filter((role) => role !== 'owner').map((role) => nameOf(prefix, role));
    statements.push(`GRANT USAGE, CREATE ON SCHEMA public TO ${owner}`);
    statements.push(`GRANT USAGE ON SCHEMA public TO ${others.join(', ')}`);
  }
  // This is the default before PostgreSQL 15. Any login could create a function there that is called instead of ours.
  if (open) statements.push('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
  return statements;
}

const explain = (login: string, statements: readonly string[], reason?: string): string =>
  `some roles of this database are missing, and ${login} may not create them${reason ? ` (${reason})` : ''}. ` +
  'A superuser, or the owner of this database with CREATEROLE, must run these statements in it once. ' +
  `Then run the migration again:\n\n${statements.map((statement) => `  ${statement};`).join('\n')}\n`;

/** After a restore without owners, gives all tables and functions back to the owner's role. */
async function adoptObjects(client: pg.ClientBase, prefix: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('ALTER %s %s OWNER TO %I', kind, name, $1::text) AS statement FROM (
       SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind, oid::regclass::text AS name, relowner AS owner
         FROM pg_class c
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'S')
          -- The sequence of an identity column follows its table.
          AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'i')
       UNION ALL
       SELECT 'FUNCTION', oid::regprocedure::text, proowner FROM pg_proc WHERE pronamespace = 'public'::regnamespace
     ) objects WHERE owner <> (SELECT oid FROM pg_roles WHERE rolname = $1)`,
    [`${prefix}_owner`],
  );
  for (const { statement } of rows) await client.query(statement);
}

/** Runs inside a database transaction, as the owner. `text` refers to the roles as `{server}` and so on. */
export async function applyPrivileges(
  client: pg.ClientBase,
  prefix: string,
  { ours, ofPrevious }: Privileges,
  mayPreviousRun: boolean,
): Promise<void> {
  const text = mayPreviousRun ? `${ours}\n${ofPrevious}` : ours;
  await client.query(text.replace(/\{(\w+)\}/g, (_, role: Role) => nameOf(prefix, role)));
}
