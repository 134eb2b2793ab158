/**
 * Database functions that decide by several conditions, each tested alone. A table lists what a function decides about
 * some rows, and what it decides when one value is different. A condition that is lost, negated or off by one then
 * changes at least one result.
 */
import type { Db, Tx } from '../../../../server/src/db/database.ts';
import { printRow, type Values } from './putRow.ts';

/** By table; `table 2` is a second row of it. */
export type Rows = Readonly<Record<string, Values | null>>;

export interface Decision {
  /** The decision that is tested, and the function that makes it. */
  readonly of: string;
  readonly rows: Rows;
  /** Statements, or calls of the service's own functions; the last one returns `said`. */
  readonly calls: readonly Call[];
  /** Whether triggers run during the calls. */
  readonly hasTriggers?: boolean;
  /** Each case: the differences from `rows` (null: there is no such row), and the decision with them. */
  readonly cases: Readonly<Record<string, readonly [changes: Rows, said: string | RegExp]>>;
  /** Names of cases: if another transaction is making these changes, the decision waits for it and is as in the case. */
  readonly waitsFor?: readonly string[];
}

type Call = string | ((db: Db) => Promise<unknown>);

/** `payments` of `payments 2`. */
export const tableOf = (label: string): string => label.split(' ')[0]!;

/** The decision with these changes. Nothing stays in the database. */
export async function decide(admin: Db, decision: Decision, changes: Rows): Promise<string> {
  let said = 'nothing';
  const undone = new Error('undone');
  await admin
    .tx(async (tx) => {
      // Rows stand alone here: no trigger completes them, and no foreign key requires others.
      const statements = [`SET LOCAL session_replication_role = 'replica'`];
      for (const [label, values] of Object.entries(merge(decision.rows, changes)))
        if (values) statements.push(await printRow(admin, tableOf(label), values));
      if (decision.hasTriggers) statements.push(`SET LOCAL session_replication_role = 'origin'`);
      await tx.query(statements.join(';\n'));
      said = await run(tx, decision.calls);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) said = `refused: ${(error as Error).message}`;
    });
  return said;
}

const merge = (rows: Rows, changes: Rows): Rows => ({
  ...rows,
  ...Object.fromEntries(
    Object.entries(changes).map(([label, values]) => [label, values && { ...rows[label], ...values }]),
  ),
});

export async function run(tx: Tx, calls: readonly Call[]): Promise<string> {
  // Everything happens in the one transaction that is undone.
  const db: Db = { query: (sql, values) => tx.query(sql, values), tx: (work) => work(tx), close: async () => {} };
  let said: unknown;
  for (const call of calls)
    if (typeof call === 'string') [{ said } = { said }] = await tx.query<{ said: unknown }>(call);
    else said = await call(db);
  return String(said);
}
