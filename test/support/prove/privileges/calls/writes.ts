/** Statements that write a table directly, as far as the login has the privilege. */
import type { Random } from '../../random.ts';
import type { Parameter, WritableTable } from '../catalogue.ts';
import { keyOfRow, type Row } from '../recorder.ts';
import type { State } from '../state.ts';
import { renderSql } from '../value.ts';
import { chooseValue } from './pools.ts';
import type { Statement } from './statement.ts';

const quote = (text: string | null): string => (text === null ? 'NULL' : `'${text.replaceAll("'", "''")}'`);

const literalOf = (row: Row, { name, type }: Parameter): string => {
  const text = row[name] ?? null;
  // The same in every run.
  if (text !== null && type.startsWith('timestamp')) return 'now()';
  // JSON shows arrays in another format.
  if (text !== null && type.endsWith('[]')) return quote(`{${text.slice(1, -1)}}`);
  return quote(text);
};

const writeOf = (table: string, sql: string): Statement => ({
  name: table,
  sql,
  isTemplated: false,
  isValid: false,
  simpler: [],
});

export function chooseWrite(
  random: Random,
  { table, inserts, updates, deletes }: WritableTable,
  state: State,
  keys: readonly string[],
): Statement {
  // In a fixed order: the recorder's order of rows may differ between runs.
  const rows = state.rows(table).sort((a, b) => (keyOfRow(keys, a) < keyOfRow(keys, b) ? -1 : 1));
  const row = rows.length > 0 ? random.pick(rows) : undefined;
  const ways = [
    inserts.length > 0 && 'insert',
    updates.length > 0 && 'update',
    updates.length > 0 && 'update',
    deletes && 'delete',
  ];
  const where =
    row && keys.length > 0 && random.chance(0.8)
      ? ` WHERE ${keys.map((key) => `${key} = ${quote(row[key] ?? null)}`).join(' AND ')}`
      : '';
  switch (random.pick(ways.filter((way) => way !== false))) {
    case 'insert':
      return insertInto(random, table, inserts, row, keys);
    case 'update': {
      const { name, type } = random.pick(updates);
      return writeOf(
        table,
        `UPDATE ${table} SET ${name} = ${renderSql(chooseValue(random, name, type), type)}${where}`,
      );
    }
    default:
      return writeOf(table, `DELETE FROM ${table}${where}`);
  }
}

/** Inserts a row like an existing one, with another key and up to two other values. */
function insertInto(
  random: Random,
  table: string,
  columns: readonly Parameter[],
  row: Row | undefined,
  keys: readonly string[],
): Statement {
  const changed = new Set(random.shuffle(columns).slice(0, random.int(3)));
  const values = columns.map((column) => {
    const { name, type } = column;
    if (keys.includes(name) && type === 'uuid' && random.chance(0.7)) return quote(random.uuid());
    if (!row || changed.has(column)) return renderSql(chooseValue(random, name, type), type);
    return literalOf(row, column);
  });
  return writeOf(
    table,
    `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')}) VALUES (${values.join(', ')})`,
  );
}
