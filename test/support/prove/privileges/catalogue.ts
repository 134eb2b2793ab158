/** Reads from PostgreSQL's catalogue which functions a login may call and which tables it may write. */
import type pg from 'pg';

export interface Parameter {
  readonly name: string;
  readonly type: string;
}

export interface CatalogueFunction {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly isVariadic: boolean;
}

export interface WritableTable {
  readonly table: string;
  readonly inserts: readonly Parameter[];
  readonly updates: readonly Parameter[];
  readonly deletes: boolean;
}

export async function listFunctions(owner: pg.Client, login: string): Promise<CatalogueFunction[]> {
  const { rows } = await owner.query<CatalogueFunction>(
    `SELECT p.proname AS name, p.provariadic <> 0 AS "isVariadic", coalesce((
              SELECT json_agg(json_build_object('name', a.name, 'type', format_type(a.type, NULL)) ORDER BY a.n)
                FROM unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargmodes)
                     WITH ORDINALITY AS a(name, type, mode, n)
               WHERE coalesce(a.mode, 'i') IN ('i', 'b', 'v')), '[]') AS parameters
       FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' AND p.prorettype <> 'trigger'::regtype
        AND has_function_privilege($1, p.oid, 'EXECUTE')
      ORDER BY p.proname, p.oid::regprocedure::text`,
    [login],
  );
  return rows;
}

export async function listWritableTables(owner: pg.Client, login: string): Promise<WritableTable[]> {
  const { rows } = await owner.query<WritableTable>(
    `SELECT c.relname AS table, has_table_privilege($1, c.oid, 'DELETE') AS deletes,
            coalesce(json_agg(w.column) FILTER (WHERE has_column_privilege($1, c.oid, a.attnum, 'INSERT')), '[]') AS inserts,
            coalesce(json_agg(w.column) FILTER (WHERE has_column_privilege($1, c.oid, a.attnum, 'UPDATE')), '[]') AS updates
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            AND a.attgenerated = '' AND a.attidentity = ''
      CROSS JOIN LATERAL (SELECT json_build_object('name', a.attname, 'type', format_type(a.atttypid, NULL)) AS column) w
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
      GROUP BY c.oid, c.relname
     HAVING has_table_privilege($1, c.oid, 'DELETE') OR has_any_column_privilege($1, c.oid, 'INSERT')
         OR has_any_column_privilege($1, c.oid, 'UPDATE')
      ORDER BY c.relname`,
    [login],
  );
  return rows;
}
