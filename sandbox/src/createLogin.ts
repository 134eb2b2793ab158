import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Role, readPrefix } from '../../server/src/db/roles.ts';
import { StartFault } from './fault.ts';

/**
 * Creates a login for one process, a member of the roles that it needs, with a new password every time. `databaseUrl`
 * is that of a login that may create roles. Returns the URL of the new login.
 */
export async function createLogin(
  databaseUrl: string,
  login: { readonly name: string; readonly roles: readonly Exclude<Role, 'owner'>[] },
): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const prefix = await readPrefix(client);
    const name = `${prefix}_${login.name}`;
    const password = randomBytes(24).toString('base64url');
    const known = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [name]);
    const statements = [
      `${known.rowCount === 0 ? 'CREATE' : 'ALTER'} ROLE ${pg.escapeIdentifier(name)} LOGIN PASSWORD '${password}'`,
      ...login.roles.map((role) => `GRANT ${pg.escapeIdentifier(`${prefix}_${role}`)} TO ${pg.escapeIdentifier(name)}`),
    ];
    for (const statement of statements) await client.query(statement);
    const url = new URL(databaseUrl);
    url.username = encodeURIComponent(name);
    url.password = password;
    return url.href;
  } catch (cause) {
    const { message } = cause as Error;
    throw new StartFault(
      `The login of the ${login.name} cannot be created: ${message}. The user of DATABASE_URL needs CREATEROLE, or ` +
        'an administrator must create the logins of the processes (docs/operating/database-roles.md).',
      { cause },
    );
  } finally {
    await client.end().catch(() => {});
  }
}
