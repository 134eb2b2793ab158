/**
 * Functions of the database that decide by several conditions, each tried alone. A table says what a function decides about
 * some rows, and what it decides when one thing about them is different. So a condition that is lost, turned round or off by
 * one changes at least one answer.
 */
import type { Db, Tx } from '../../../../server/src/db/database.ts';
import { putRow, type Values } from './putRow.ts';

/** By table; `table 2` is a second row of it. */
export type Rows = Readonly<Record<string, Values | null>>;

export interface Decision {
  /** What is decided, by which function. */
  readonly of: string;
  readonly rows: Rows;
  /** Statements; the last one answers `said`. */
  readonly calls: readonly string[];
  /** Whether triggers run during the calls. */
  readonly hasTriggers?: boolean;
  /** What differs from `rows` (null: there is no such row), and what is decided then. */
  readonly cases: Readonly<Record<string, readonly [changes: Rows, said: string | RegExp]>>;
}

/** What a decision says with these changes. Nothing of it stays in the database. */
export async function decide(admin: Db, decision: Decision, changes: Rows): Promise<string> {
  let said = 'nothing';
  const undone = new Error('undone');
  await admin
    .tx(async (tx) => {
      // Rows stand for themselves here: no trigger completes them, and no foreign key asks for others.
      await tx.query(`SET LOCAL session_replication_role = 'replica'`);
      for (const [label, values] of Object.entries(merge(decision.rows, changes)))
        if (values) await putRow(tx, label.split(' ')[0]!, values);
      if (decision.hasTriggers) await tx.query(`SET LOCAL session_replication_role = 'origin'`);
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

async function run(tx: Tx, calls: readonly string[]): Promise<string> {
  let said: unknown;
  for (const call of calls) [{ said } = { said }] = await tx.query<{ said: unknown }>(call);
  return String(said);
}
