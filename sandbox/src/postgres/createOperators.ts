import pg from 'pg';
import { SANDBOX_IDENTITY } from '../../../server/src/bin/config/faults/modeFaults.ts';
import type { Role } from '../../../server/src/operators/operators.ts';
import { createLogin } from '../createLogin.ts';
import { subjectOf } from '../issuer/accounts.ts';

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
    // They log in to the console at the sandbox's issuer, which logs in any e-mail address.
    await client.query(
      `INSERT INTO operator_identities (issuer, subject, name)
       SELECT $1, subject, name FROM jsonb_to_recordset($2) AS o(subject text, name text) ON CONFLICT DO NOTHING`,
      [
        SANDBOX_IDENTITY,
        JSON.stringify(
          Object.entries(logins).map(([role, url]) => ({
            subject: subjectOf(emailOf(role as Role)),
            name: nameOf(url),
          })),
        ),
      ],
    );
  } finally {
    await client.end().catch(() => {});
  }
  return logins;
}

/** At the sandbox's issuer. */
export const emailOf = (role: Role): string => `${role}@operators.example`;

export const nameOf = (url: string): string => decodeURIComponent(new URL(url).username);
