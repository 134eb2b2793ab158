/**
 * Prints the tables and functions of a database from PostgreSQL's catalogue: the text of `sql/schema.sql`. Not made by
 * pg_dump, whose output differs between versions; this one is the same on 15, 17 and 18.
 */
import pg from 'pg';

interface Section {
  readonly title: string;
  /** Its column `line` is printed, row by row. */
  readonly query: string;
}

const IN_PUBLIC = `n.nspname = 'public'`;

/** `server` of `florin_server`: a role of this database without its prefix. */
const ROLE = `substr(r.rolname, length(n.prefix) + 2)`;
const IS_OURS = `starts_with(r.rolname, n.prefix || '_') AND ${ROLE} <> 'owner'`;

/** Everything about one table, in the order a reader asks for it. `$1` is the table. */
const TABLE_PARTS: readonly string[] = [
  `SELECT format('  %s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                 CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END,
                 CASE WHEN a.attgenerated = 's' THEN format(' GENERATED ALWAYS AS (%s) STORED', pg_get_expr(d.adbin, d.adrelid))
                      WHEN a.attidentity <> '' THEN ' GENERATED ALWAYS AS IDENTITY'
                      WHEN d.adbin IS NOT NULL THEN ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)
                      ELSE '' END) AS line
     FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
  // Version 18 also has a constraint for every NOT NULL.
  `SELECT format('  CONSTRAINT %s %s', conname, pg_get_constraintdef(oid)) AS line
     FROM pg_constraint WHERE conrelid = $1::regclass AND contype <> 'n'
    ORDER BY array_position(ARRAY['p', 'u', 'f', 'c', 'x', 't'], contype::text), conname COLLATE "C"`,
  `SELECT '  ' || pg_get_indexdef(indexrelid) AS line FROM pg_index JOIN pg_class i ON i.oid = indexrelid
    WHERE indrelid = $1::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
    ORDER BY i.relname COLLATE "C"`,
  `SELECT '  ' || pg_get_triggerdef(oid) || CASE tgenabled WHEN 'A' THEN ' (ENABLE ALWAYS)' ELSE '' END AS line
     FROM pg_trigger WHERE tgrelid = $1::regclass AND NOT tgisinternal ORDER BY tgname COLLATE "C"`,
  // Which roles may do what, to the whole of it or to some columns.
  `SELECT format('  %s: %s', privilege, string_agg(role, ', ' ORDER BY role COLLATE "C")) AS line FROM (
     SELECT ${ROLE} AS role, a.privilege_type AS privilege
       FROM pg_class c, aclexplode(c.relacl) a, pg_roles r, role_names n
      WHERE c.oid = $1::regclass AND r.oid = a.grantee AND ${IS_OURS}
     UNION ALL
     SELECT ${ROLE}, format('%s (%s)', a.privilege_type, string_agg(t.attname, ', ' ORDER BY t.attnum))
       FROM pg_attribute t, aclexplode(t.attacl) a, pg_roles r, role_names n
      WHERE t.attrelid = $1::regclass AND r.oid = a.grantee AND ${IS_OURS} GROUP BY ${ROLE}, a.privilege_type
   ) given GROUP BY privilege ORDER BY privilege COLLATE "C"`,
];

const VIEWS: Section = {
  title: 'Views',
  query: `SELECT format('VIEW %s (%s)', c.relname, string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', '
                        ORDER BY a.attnum)) AS line
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
           WHERE ${IN_PUBLIC} AND c.relkind = 'v' AND a.attnum > 0 GROUP BY c.relname ORDER BY c.relname COLLATE "C"`,
};

/** Members of batches. Tables have such types too; those stand above. */
const TYPES: Section = {
  title: 'Types',
  query: `SELECT format('TYPE %s (%s)', c.relname, string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', '
                        ORDER BY a.attnum)) AS line
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
           WHERE ${IN_PUBLIC} AND c.relkind = 'c' AND a.attnum > 0 GROUP BY c.relname ORDER BY c.relname COLLATE "C"`,
};

/** Signatures, and which roles may call them: the bodies stand in `sql/functions`. */
const FUNCTIONS: Section = {
  title: 'Functions',
  query: `SELECT format('FUNCTION %s(%s) RETURNS %s LANGUAGE %s%s%s%s', p.proname, pg_get_function_arguments(p.oid),
                        pg_get_function_result(p.oid), l.lanname,
                        CASE p.provolatile WHEN 'i' THEN ' IMMUTABLE' WHEN 's' THEN ' STABLE' ELSE '' END,
                        CASE WHEN p.prosecdef THEN ' SECURITY DEFINER' ELSE '' END,
                        (SELECT string_agg(' SET ' || setting, '') FROM unnest(p.proconfig) AS setting))
                 || coalesce(E'\n  called by ' || (SELECT string_agg(${ROLE}, ', ' ORDER BY ${ROLE} COLLATE "C")
                      FROM aclexplode(p.proacl) a JOIN pg_roles r ON r.oid = a.grantee, role_names n WHERE ${IS_OURS}), '') AS line
            FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
           WHERE ${IN_PUBLIC} ORDER BY p.proname COLLATE "C", pg_get_function_arguments(p.oid) COLLATE "C"`,
};

/** For a database that was just migrated. */
export async function describeSchema(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const lines = async (query: string, values: unknown[] = []) =>
    (await client.query<{ line: string }>(query, values)).rows.map(({ line }) => line);
  try {
    const tables = await lines(
      `SELECT c.relname AS line FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE ${IN_PUBLIC} AND c.relkind = 'r' ORDER BY c.relname COLLATE "C"`,
    );
    const parts: string[] = [];
    for (const table of tables) {
      const [head] = await lines(
        `SELECT format('%sTABLE %s%s', CASE relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END, relname,
                       ' WITH (' || array_to_string(reloptions, ', ') || ')') AS line
           FROM pg_class WHERE oid = $1::regclass`,
        [table],
      );
      const inside: string[] = [];
      for (const query of TABLE_PARTS) inside.push(...(await lines(query, [table])));
      parts.push([head, ...inside].join('\n'));
    }
    for (const { title, query } of [VIEWS, TYPES, FUNCTIONS])
      parts.push([`-- ${title}`, ...(await lines(query))].join('\n'));
    return `${HEADER}\n${parts.join('\n\n')}\n`.replaceAll('public.', '');
  } finally {
    await client.end();
  }
}

const HEADER = `-- The whole schema as PostgreSQL's catalogue tells it, to be read and searched, never run. Written by \`npm run schema\`
-- from sql/migrations and sql/functions, where the comments are; test/db/schema.test.ts fails when it is stale.
`;
