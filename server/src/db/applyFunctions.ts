/**
 * Applies the functions in `sql/functions` whose text, or whose PostgreSQL version, has changed since they were last
 * applied. All are applied in one commit, so that functions of different builds never run together.
 *
 * A function whose arguments or result change gets a new name, and the old one stays for one release, because processes
 * of the previous release still call it. A later migration drops it.
 */
import type pg from 'pg';
import type { SqlFile } from './readSql.ts';

interface AppliedRow {
  readonly name: string;
  readonly sha256: string;
  readonly server_major: number;
}

/** Runs inside a database transaction. Returns the names of the functions it applied. */
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
  // A body may call functions that are created later. PostgreSQL checks it when it first runs.
  await client.query('SET LOCAL check_function_bodies = off');
  for (const { name, sql, sha256 } of changed) {
    await client.query(sql).catch((error: Error) => {
      // Throw the same error object: the caller checks its code and retries when a lock was not free.
      error.message = `function ${name} failed: ${error.message}`;
      throw error;
    });
    await noteApplied(client, name, sha256, serverMajor);
  }
  // Functions without a file are deleted from the list, so that a file that returns is applied again.
  await client.query(`DELETE FROM applied_functions WHERE NOT name = ANY ($1) AND name <> 'comments'`, [
    files.map(({ name }) => name),
  ]);
  return changed.map(({ name }) => name);
}

export async function noteApplied(
  client: pg.ClientBase,
  name: string,
  sha256: string,
  serverMajor: number,
): Promise<void> {
  await client.query(
    `INSERT INTO applied_functions (name, sha256, server_major) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, server_major = excluded.server_major, applied_at = now()`,
    [name, sha256, serverMajor],
  );
}
