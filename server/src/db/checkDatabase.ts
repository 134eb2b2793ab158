/**
 * Checks that a process runs before it uses a database: is it migrated for this build, and does the login have the
 * right role?
 */
import type { Queryable } from './database.ts';
import { readBuildVersion, readFunctions, readMigrations, readReleased, SQL_FOLDER } from './readSql.ts';
import { compareVersions, describeBuild, judgeBuild, newestOf, type ReleaseRow } from './releases.ts';
import { ROLES, type Role } from './roles.ts';

const MIGRATE = 'run the migration first: florin migrate (docs/operating/upgrade.md)';

/** Returns one sentence per fault; empty when the database fits this build. */
export async function findMigrationFaults(db: Queryable): Promise<string[]> {
  // Read from the catalogue, which every login may read, even one without rights on the schema.
  const [seen] = await db.query<{ login: string; exists: boolean; visible: boolean | null }>(
    `SELECT current_user AS login, c.oid IS NOT NULL AS exists, has_table_privilege(c.oid, 'SELECT') AS visible
       FROM (SELECT) AS one LEFT JOIN pg_class c
         ON c.relname = 'releases' AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'public')`,
  );
  const { login, exists, visible } = seen!;
  if (!exists) return [`the database was never migrated: ${MIGRATE}`];
  if (!visible)
    return [`the login ${login} belongs to none of this database's roles (docs/operating/database-roles.md)`];
  const found = await readState(db);
  const newest = newestOf(found.releases);
  const build = describeBuild(await readBuildVersion(), await readReleased(SQL_FOLDER));
  if (!newest || compareVersions(build.version, newest.version) > 0) {
    return [
      `this build is ${build.version}, and the database was migrated by ${newest?.version ?? 'none'}: ${MIGRATE}`,
    ];
  }
  try {
    const standing = judgeBuild(build, newest);
    return (await isApplied(found, standing === 'newest'))
      ? []
      : [`the database lacks migrations or functions of this build, although both are ${build.version}: ${MIGRATE}`];
  } catch (error) {
    return [(error as Error).message];
  }
}

interface State {
  readonly releases: readonly ReleaseRow[];
  /** Migrations and functions. */
  readonly applied: readonly { readonly name: string; readonly sha256: string }[];
  readonly major: number;
}

/**
 * One statement, so that a migration that commits in the meantime shows both its functions and its release, or neither.
 */
async function readState(db: Queryable): Promise<State> {
  const [state] = await db.query<State>(
    `SELECT ARRAY(SELECT to_json(r) FROM (SELECT version, previous FROM releases) r) AS releases,
            ARRAY(SELECT to_json(f) FROM (SELECT name, sha256 FROM migrations
                                          UNION ALL SELECT name, sha256 FROM applied_functions) f) AS applied,
            current_setting('server_version_num')::int / 10000 AS major`,
  );
  return state!;
}

/** A process of the previous release finds newer functions in the database and works with them. */
async function isApplied({ applied, major }: State, withFunctions: boolean): Promise<boolean> {
  const known = new Map(applied.map(({ name, sha256 }) => [name, sha256]));
  const wanted = await readMigrations(SQL_FOLDER);
  if (withFunctions) wanted.push(...(await readFunctions(SQL_FOLDER, major)));
  return wanted.every(({ name, sha256 }) => known.get(name) === sha256);
}

/** In production a login must have exactly the privileges of its role. Returns one sentence per fault. */
export async function findRoleFaults(db: Queryable, role: Exclude<Role, 'owner'>): Promise<string[]> {
  const [login] = await db.query<{
    name: string;
    prefix: string;
    is_super: boolean;
    creates: boolean;
    owns: boolean;
    roles: Role[];
  }>(
    `SELECT l.rolname AS name, n.prefix, l.rolsuper AS is_super, l.rolcreaterole AS creates,
            pg_has_role(d.datdba, 'MEMBER') AS owns,
            ARRAY(SELECT r.role FROM unnest($1::text[]) AS r(role) JOIN pg_roles g ON g.rolname = n.prefix || '_' || r.role
                   WHERE pg_has_role(g.oid, 'MEMBER')) AS roles
       FROM pg_roles l, role_names n, pg_database d
      WHERE l.rolname = current_user AND d.datname = current_database()`,
    [ROLES],
  );
  const { name, prefix, is_super: isSuper, creates, owns, roles } = login!;
  const wanted = `it needs a login that is a member of ${prefix}_${role} and of nothing else (docs/operating/database-roles.md)`;
  if (isSuper) return [`this ${role} logs in as ${name}, a superuser: ${wanted}`];
  const faults: string[] = [];
  if (owns) faults.push(`${name} owns the database`);
  if (creates) faults.push(`${name} may create roles`);
  if (!roles.includes(role)) faults.push(`${name} is not a member of ${prefix}_${role}`);
  for (const other of roles) if (other !== role) faults.push(`${name} is a member of ${prefix}_${other}`);
  return faults.map((fault) => `${fault}: ${wanted.replace(/^it/, `this ${role}`)}`);
}
