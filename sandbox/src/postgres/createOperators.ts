import pg from 'pg';
import type { Role } from '../../../server/src/operators/operators.ts';
import { createLogin } from '../createLogin.ts';

/** The database URLs of the sandbox's operators, one with each role. */
export type OperatorLogins = Readonly<Record<Role, string>>;

/**
 * Creates three operators, so that approvals can be tried: they need two people who may approve, `risk` and `admin`.
 * Each has a database login, as in production. A role that a developer changes is kept.
 */
export async function createOperators(databaseUrl: string): Promise<OperatorLogins> {
  const create = (name: Role) => createLogin(databaseUrl, { name, roles: ['operator'] });
  const logins = { admin: await create('admin'), risk: await create('risk'), support: await create('support') };
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    // Written as the owner: `set_operator` asks for an admin, and there may be one already.
    await client.query(
      `INSERT INTO operators (name, role) SELECT name, role FROM jsonb_to_recordset($1) AS o(name text, role text)
       ON CONFLICT (name) DO NOTHING`,
      [JSON.stringify(Object.entries(logins).map(([role, url]) => ({ role, name: nameOf(url) })))],
    );
  } finally {
    await client.end().catch(() => {});
  }
  return logins;
}

const nameOf = (url: string): string => decodeURIComponent(new URL(url).username);
