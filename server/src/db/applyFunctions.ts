/**
 * Brings the functions of a database to the texts in `sql/functions`: those whose text, or whose PostgreSQL, has changed
 * since they were last applied. All in one commit, so that no function ever meets another of a different build.
 *
 * A function whose arguments or result change gets a new name, and the old one stays for one release: processes of the
 * release before go on calling it. A later migration drops it.
 */
import type pg from 'pg';
import type { SqlFile } from './readSql.ts';

interface AppliedRow {
  readonly name: string;
  readonly sha256: string;
  readonly server_major: number;
}

/** Inside a database transaction. Answers the names of those that were applied. */
export async function applyFunctions(
  client: pg.ClientBase,
  files: readonly SqlFile[],
  serverMajor: number,
): Promise<string[]> {
  const { rows } = await client.query<AppliedRow>('SELECT name, sha256, server_major FROM applied_functions');
  const applied = new Map(rows.map((row) => [row.name, row]));
  const changed = files.filter(({ name, sha256 }) => {
    const before = applied.get(name);
    return before?.sha256 !== sha256 || before.server_major !== serverMajor;
  });
  // Bodies may call functions that come later; they are looked at when they first run.
  await client.query('SET LOCAL check_function_bodies = off');
  for (const { name, sql, sha256 } of changed) {
    await client.query(sql).catch((error: Error) => {
      // The code of a lock that was not free must stay visible: that is tried again.
      error.message = `function ${name} failed: ${error.message}`;
      throw error;
    });
    await client.query(
      `INSERT INTO applied_functions (name, sha256, server_major) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, server_major = excluded.server_major, applied_at = now()`,
      [name, sha256, serverMajor],
    );
  }
  // Forgotten, so that a file that comes back is applied again.
  await client.query('DELETE FROM applied_functions WHERE NOT name = ANY ($1)', [files.map(({ name }) => name)]);
  return changed.map(({ name }) => name);
}
