import pg from 'pg';
import type { Queryable } from '../../../../server/src/db/database.ts';

export type Values = Readonly<Record<string, unknown>>;

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Any valid value of a type. */
const FILLINGS: Readonly<Record<string, string>> = {
  uuid: 'f0000000-0000-4000-8000-000000000000',
  text: 'x',
  boolean: 'false',
  bytea: '\\x00',
  jsonb: '{}',
  'timestamp with time zone': 'now',
};

const known = new Map<string, readonly Column[]>();

/** Inserts a row with these values. */
export async function putRow(db: Queryable, table: string, values: Values): Promise<void> {
  await db.query(await printRow(db, table, values));
}

/** The same, and returns where the row is. */
export async function placeRow(db: Queryable, table: string, values: Values): Promise<string> {
  const [row] = await db.query<{ place: string }>(`${await printRow(db, table, values)} RETURNING ctid::text AS place`);
  return row!.place;
}

/**
 * The statement that inserts a row with these values. Required columns without a value get one by their type. Statements
 * with their values in them can be sent together.
 */
export async function printRow(db: Queryable, table: string, values: Values): Promise<string> {
  const columns = known.get(table) ?? (await listRequired(db, table));
  known.set(table, columns);
  const filled = columns.filter(({ name }) => !(name in values)).map((column) => [column.name, fill(column)] as const);
  const all = [...filled, ...Object.entries(values)];
  const names = all.map(([name]) => pg.escapeIdentifier(name)).join(', ');
  return `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE VALUES (${all.map(([, value]) => print(value)).join(', ')})`;
}

function print(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Date) return `'${value.toISOString()}'`;
  return pg.escapeLiteral(Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value));
}

/** Columns that name a currency. */
const CURRENCIES = ['symbol', 'currency'];

const fill = ({ name, type }: Column): string =>
  CURRENCIES.includes(name) ? 'USDC' : (FILLINGS[type] ?? (type.endsWith('[]') ? '{}' : '1'));

const listRequired = (db: Queryable, table: string): Promise<Column[]> =>
  db.query<Column>(
    `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type FROM pg_attribute a
      WHERE a.attrelid = $1::text::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull
        AND NOT a.atthasdef AND a.attidentity = '' AND a.attgenerated = ''`,
    [table],
  );
