/** The content of the database before and after a call, according to the recorder. */
import type { Change, Row } from './recorder.ts';

/** `unfinished`: processes of the previous release may still run, with the privileges that they need. */
export type Variant = 'finished' | 'unfinished';

const isSame = (one: Row | undefined, other: Row): boolean =>
  one !== undefined && Object.keys(other).every((column) => one[column] === other[column]);

export class State {
  readonly #tables: Map<string, Map<string, Row>>;

  constructor(tables: ReadonlyMap<string, Map<string, Row>>) {
    this.#tables = new Map(tables);
  }

  rows(table: string): Row[] {
    return [...(this.#tables.get(table)?.values() ?? [])];
  }

  find(table: string, key: string | null | undefined): Row | undefined {
    return key == null ? undefined : this.#tables.get(table)?.get(key);
  }

  /** A table that differs in the other state. */
  findDifference(other: State): string | undefined {
    return [...this.#tables.keys()].find((table) => {
      const theirs = other.#tables.get(table)!;
      return (
        theirs.size !== this.rows(table).length || [...theirs].some(([key, row]) => !isSame(this.find(table, key), row))
      );
    });
  }

  /** This state does not change; unchanged tables are shared. */
  after(changes: readonly Change[]): State {
    const tables = new Map(this.#tables);
    const own = new Set<string>();
    for (const { table, key, oldKey, before, after } of changes) {
      if (!own.has(table)) {
        own.add(table);
        tables.set(table, new Map(tables.get(table)));
      }
      const rows = tables.get(table)!;
      if (before) rows.delete(oldKey);
      if (after) rows.set(key, after);
    }
    return new State(tables);
  }
}
