/** Arguments of a generated call, and their SQL. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** `sql`: an expression, for what must be read at the time of the call. */
export type Value =
  | null
  | boolean
  | bigint
  | string
  | readonly Value[]
  | { readonly json: Json }
  | { readonly sql: string };

export const isJson = (value: Value): value is { readonly json: Json } =>
  typeof value === 'object' && value !== null && 'json' in value;
export const isSql = (value: Value): value is { readonly sql: string } =>
  typeof value === 'object' && value !== null && 'sql' in value;
export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function renderElement(value: Value): string {
  if (value === null) return 'NULL';
  if (isList(value)) return `{${value.map(renderElement).join(',')}}`;
  const text = isJson(value) ? JSON.stringify(value.json) : isSql(value) ? value.sql : String(value);
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Renders the value as a literal of this PostgreSQL type. */
export function renderSql(value: Value, type: string): string {
  if (value === null) return `NULL::${type}`;
  if (isSql(value)) return value.sql;
  if (isJson(value)) return `${quote(JSON.stringify(value.json))}::${type}`;
  if (isList(value)) return `${quote(renderElement(value))}::${type.endsWith('[]') ? type : `${type}[]`}`;
  return `${quote(String(value))}::${type}`;
}
