/** A row of THE TABLE: what a login may change, and why. */
import type { Change } from '../recorder.ts';
import type { Deed } from './law.ts';

export type Op = 'INSERT' | 'UPDATE' | 'DELETE';

export interface Permission {
  readonly tables: readonly string[];
  readonly ops: readonly Op[];
  /** For an update: only these. */
  readonly columns?: readonly string[];
  readonly when?: (change: Change, deed: Deed) => boolean;
  readonly why: string;
}

/** `ops` as in "INSERT UPDATE", `tables` as in "users sessions"; `table(column, column)` limits what is updated. */
export function may(ops: string, tables: string, why: string, when?: Permission['when']): Permission[] {
  return tables.split(/\s+(?![^(]*\))/).map((name) => {
    const [, table, columns] = /^(\w+)(?:\((.*)\))?$/.exec(name)!;
    return {
      tables: [table!],
      ops: ops.split(' ') as Op[],
      ...(columns && { columns: columns.split(/,\s*/) }),
      ...(when && { when }),
      why,
    };
  });
}
