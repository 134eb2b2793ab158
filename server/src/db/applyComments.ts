/**
 * Applies `sql/comments` (COMMENT ON tables, views and columns) when its text has changed. The files are the only source
 * of these comments: the old ones are removed first, so that an upgraded database has the same comments as a new one.
 *
 * A comment takes a lock that does not stop payments but waits for a vacuum or an index build of the same table. An
 * upgrade does not depend on comments, so after some attempts they are left to the next migration.
 */
import type pg from 'pg';
import { noteApplied } from './applyFunctions.ts';
import { commit } from './maintain.ts';
import type { SqlFile } from './readSql.ts';

const LOCK_ATTEMPTS = 10;

const REMOVE = `
  SELECT format('COMMENT ON %s %s IS NULL',
                CASE WHEN d.objsubid > 0 THEN 'COLUMN' WHEN c.relkind = 'v' THEN 'VIEW' ELSE 'TABLE' END,
                c.oid::regclass || coalesce('.' || quote_ident(a.attname), '')) AS statement
    FROM pg_description d
    JOIN pg_class c ON d.classoid = 'pg_class'::regclass AND c.oid = d.objoid
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND d.objsubid > 0
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') AND pg_has_role(c.relowner, 'USAGE')`;

/** Runs after the migrations, as the owner. Returns a line for the log, or undefined if the comments are up to date. */
export async function applyComments(
  client: pg.Client,
  { name, sql, sha256 }: SqlFile,
  serverMajor: number,
): Promise<string | undefined> {
  const { rows } = await client.query('SELECT FROM applied_functions WHERE name = $1 AND sha256 = $2', [name, sha256]);
  if (rows.length > 0) return undefined;
  const apply = async () => {
    const old = await client.query<{ statement: string }>(REMOVE);
    await client.query(old.rows.map(({ statement }) => statement).join(';'));
    await client.query(sql);
    await noteApplied(client, name, sha256, serverMajor);
  };
  try {
    await commit(client, apply, LOCK_ATTEMPTS);
    return 'applied the comments of tables';
  } catch (error) {
    if ((error as { code?: string }).code !== '55P03') throw error;
    return 'left the comments of tables to the next migration: a table is being vacuumed or indexed';
  }
}
