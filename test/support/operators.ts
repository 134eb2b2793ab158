/** Operators of a test: each has their own database login, by which PostgreSQL identifies them. */
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { asAdmin, type Logins, TEMPLATE, urlAs } from './database.ts';

export type OperatorName = 'ada' | 'anna' | 'mallory' | 'rita' | 'rolf' | 'sven';

/** The name of a login in PostgreSQL, which is the operator's name. */
export const loginOf = (login: keyof Logins): string => `${TEMPLATE}_${login}`;

/** Runs a command as this operator. */
export async function asOperator<T>(databaseUrl: string, name: OperatorName, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDatabase(urlAs(databaseUrl, name), { maxConnections: 2 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** Adds operators; existing ones keep their role. */
export async function nameOperators(
  databaseUrl: string,
  roles: Partial<Record<OperatorName, 'admin' | 'risk' | 'support'>>,
): Promise<void> {
  const names = Object.keys(roles) as OperatorName[];
  await asAdmin(
    databaseUrl,
    'INSERT INTO operators (name, role) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING',
    [names.map(loginOf), names.map((name) => roles[name])],
  );
}
