import type { Queryable } from '../db/database.ts';
import type { Role } from './operators.ts';

/** A person at an OpenID issuer. */
interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** The operator who logs in to the console like this. The console's own login reads nothing else. */
export async function findOperatorOf(db: Queryable, { issuer, subject }: Identity): Promise<string | undefined> {
  const rows = await db.query<{ name: string }>(
    'SELECT name FROM operator_identities WHERE issuer = $1 AND subject = $2',
    [issuer, subject],
  );
  return rows[0]?.name;
}

/** The role of the operator whose connection this is; undefined if they, or this way to log in, were removed. */
export async function findOwnRole(db: Queryable, { issuer, subject }: Identity): Promise<Role | undefined> {
  const rows = await db.query<{ role: Role }>(
    `SELECT o.role FROM operator_identities i JOIN operators o USING (name)
      WHERE o.name = session_user AND i.issuer = $1 AND i.subject = $2`,
    [issuer, subject],
  );
  return rows[0]?.role;
}

/** How many ways to log in to the console each operator has, by name. */
export async function countIdentities(db: Queryable): Promise<Map<string, number>> {
  const rows = await db.query<{ name: string; identities: number }>(
    'SELECT name, count(*)::int AS identities FROM operator_identities GROUP BY name',
  );
  return new Map(rows.map(({ name, identities }) => [name, identities]));
}

/** The function writes the audit log. Throws `operator_identities_name_fkey` if there is no such operator. */
export async function linkOperator(db: Queryable, name: string, { issuer, subject }: Identity): Promise<void> {
  await db.query('SELECT link_operator($1, $2, $3)', [name, issuer, subject]);
}

/** Returns the number of identities that were removed. */
export async function unlinkOperator(db: Queryable, name: string): Promise<number> {
  const [row] = await db.query<{ gone: number }>('SELECT unlink_operator($1) AS gone', [name]);
  return row!.gone;
}
