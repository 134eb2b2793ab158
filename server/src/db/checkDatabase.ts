/** What a process looks at before it works on a database: whether it was migrated for this build, and as whom it came. */
import type { Queryable } from './database.ts';
import { readBuildVersion, readFunctions, readMigrations, readReleased, SQL_FOLDER } from './readSql.ts';
import { compareVersions, describeBuild, judgeBuild, newestOf, type ReleaseRow } from './releases.ts';
import { ROLES, type Role } from './roles.ts';

const MIGRATE = 'run the migration first: npm run migrate (docs/operating/upgrade.md)';

/** One sentence each; none: the database is as this build needs it. */
export async function findMigrationFaults(db: Queryable): Promise<string[]> {
  // From the catalogue: a login that may not look into the schema is told the same.
  const [seen] = await db.query<{ login: string; exists: boolean; visible: boolean | null }>(
    `SELECT current_user AS login, c.oid IS NOT NULL AS exists, has_table_privilege(c.oid, 'SELECT') AS visible
       FROM (SELECT) AS one LEFT JOIN pg_class c
         ON c.relname = 'releases' AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'public')`,
  );
  const { login, exists, visible } = seen!;
  if (!exists) return [`the database was never migrated: ${MIGRATE}`];
  if (!visible)
    return [`the login ${login} belongs to none of this database's roles (docs/operating/database-roles.md)`];
  const newest = newestOf(await db.query<ReleaseRow>('SELECT version, previous FROM releases'));
  const build = describeBuild(await readBuildVersion(), await readReleased(SQL_FOLDER));
  if (!newest || compareVersions(build.version, newest.version) > 0) {
    return [
      `this build is ${build.version}, and the database was migrated by ${newest?.version ?? 'none'}: ${MIGRATE}`,
    ];
  }
  try {
    const standing = judgeBuild(build, newest);
    return (await isApplied(db, standing === 'newest'))
      ? []
      : [`the database has not what this build brings, although both are ${build.version}: ${MIGRATE}`];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** The release before the newest has older functions than the database, and works with them. */
async function isApplied(db: Queryable, withFunctions: boolean): Promise<boolean> {
  const migrations = await db.query<{ name: string; sha256: string }>('SELECT name, sha256 FROM migrations');
  const functions = await db.query<{ name: string; sha256: string }>('SELECT name, sha256 FROM applied_functions');
  const [server] = await db.query<{ major: number }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS major`,
  );
  const known = new Map([...migrations, ...functions].map(({ name, sha256 }) => [name, sha256]));
  const wanted = await readMigrations(SQL_FOLDER);
  if (withFunctions) wanted.push(...(await readFunctions(SQL_FOLDER, server!.major)));
  return wanted.every(({ name, sha256 }) => known.get(name) === sha256);
}

/** A process of production may do what its role may, and nothing else. One sentence for everything beyond it. */
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
