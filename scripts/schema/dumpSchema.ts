/**
 * Prints the schema of a database as statements that make it again, in the shape of `pg_dump --schema-only`: the text of
 * `sql/schema.sql`. It is not made by pg_dump, which the PostgreSQL that npm installs does not contain.
 */
import pg from 'pg';
import { DEPENDENCIES, OBJECTS, type SchemaObject, STATEMENTS } from './queries.ts';

/** For a database that was just migrated. */
export async function dumpSchema(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // As in pg_dump: every name that is not PostgreSQL's own is written with its schema.
    await client.query(`SELECT set_config('search_path', '', false)`);
    const read = async <Row extends pg.QueryResultRow>(query: string) =>
      (await client.query<Row>(query.replaceAll(' role_names ', ' public.role_names '))).rows;
    const objects: SchemaObject[] = [];
    for (const query of OBJECTS) objects.push(...(await read<SchemaObject>(query)));
    const ordered = sortByNeed(objects, await read<{ oid: string; needed: string }>(DEPENDENCIES));
    const parts = ordered.map(({ label, sql }) => `-- ${label}\n\n${sql}`);
    for (const { label, query } of STATEMENTS) {
      const statements = (await read<{ sql: string }>(query)).map(({ sql }) => sql);
      const first = label === 'Privileges' ? [REVOKE] : [];
      parts.push(`-- ${label}\n\n${[...first, ...statements].join('\n')}`);
    }
    return `${HEADER}\n${parts.join('\n\n')}\n`;
  } finally {
    await client.end();
  }
}

/** In the given order, but each object after those that it needs. */
function sortByNeed(
  objects: readonly SchemaObject[],
  dependencies: readonly { readonly oid: string; readonly needed: string }[],
): SchemaObject[] {
  const needs = new Map<string, Set<string>>();
  for (const { oid, needed } of dependencies) needs.set(oid, (needs.get(oid) ?? new Set()).add(needed));
  const sorted = new Set<SchemaObject>();
  const visited = new Set<string>();
  const visit = (object: SchemaObject) => {
    if (visited.has(object.oid)) return;
    visited.add(object.oid);
    const needed = needs.get(object.oid);
    if (needed) for (const other of objects) if (needed.has(other.oid)) visit(other);
    sorted.add(object);
  };
  for (const object of objects) visit(object);
  return [...sorted];
}

const HEADER = `-- The schema, written by \`npm run schema\` from sql/migrations, sql/functions, sql/comments and sql/privileges.sql with
-- PostgreSQL 18. Read it, compare it, or load it into an empty database whose roles exist, as a login that may SET ROLE:
--
--   psql -v ON_ERROR_STOP=1 -f sql/schema.sql DATABASE
--
-- It contains no rows. For a database that Florin can use, run \`florin migrate\`. test/db/schema.test.ts fails when this
-- file is stale.

SET client_encoding = 'UTF8';
SET check_function_bodies = false;
SET client_min_messages = warning;
SELECT pg_catalog.set_config('search_path', '', false);

GRANT USAGE, CREATE ON SCHEMA public TO florin_owner;
GRANT USAGE ON SCHEMA public TO florin_server, florin_worker, florin_signer, florin_operator, florin_reader, florin_console;
SET ROLE florin_owner;
`;

const REVOKE = 'REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;';
