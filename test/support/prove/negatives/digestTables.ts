import type { Queryable } from '../../../../server/src/db/database.ts';

/**
 * Tables that change independently of calls: a process's own bookkeeping, and windows of rate limits. Everything else
 * must be the same after a refusal.
 */
const RESTLESS: readonly string[] = ['chain_heads', 'onchain_balances', 'rate_windows', 'rates'];
const RESTLESS_COLUMNS: readonly string[] = ['service_keys.last_used_at', 'sessions.last_used_at'];

let listing: string | undefined;

/** One hash per table, in one statement, so that all tables are read at one moment. */
export async function digestTables(db: Queryable): Promise<Readonly<Record<string, string>>> {
  listing ??= await describeTables(db);
  const rows = await db.query<{ name: string; digest: string }>(listing);
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

async function describeTables(db: Queryable): Promise<string> {
  const tables = await db.query<{ name: string; columns: string[] }>(
    `SELECT c.relname AS name, array_agg(quote_ident(a.attname) ORDER BY a.attnum) AS columns
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND a.attnum > 0 AND NOT a.attisdropped GROUP BY c.relname`,
  );
  return tables
    .filter(({ name }) => !RESTLESS.includes(name))
    .map(({ name, columns }) => {
      const kept = columns.filter((column) => !RESTLESS_COLUMNS.includes(`${name}.${column}`));
      return `SELECT '${name}' AS name, coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') AS digest
                FROM (SELECT ${kept.join(', ')} FROM "${name}") t`;
    })
    .join(' UNION ALL ');
}

/** The tables that differ. */
export const compareDigests = (
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] => Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
