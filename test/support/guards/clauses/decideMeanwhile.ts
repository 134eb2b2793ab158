import type { Db, Tx } from '../../../../server/src/db/database.ts';
import { type Decision, type Rows, run, tableOf } from './decide.ts';
import { placeRow, putRow } from './putRow.ts';

/**
 * The decision while another transaction is making these changes, and whether it waited for them. A decision that does
 * not lock what it reads decides about the old rows, even if its last statement then waits for the change.
 *
 * `admin` has two connections. Everything is removed again.
 */
export async function decideMeanwhile(
  admin: Db,
  decision: Decision,
  changes: Rows,
): Promise<{ readonly hasWaited: boolean; readonly said: string }> {
  const places = new Map<string, string>();
  const made = [
    await writeRows(admin, async (tx) => {
      for (const [label, values] of Object.entries(decision.rows))
        if (values) places.set(label, await placeRow(tx, tableOf(label), values));
    }),
  ];
  let deciding: Promise<string> | undefined;
  let hasWaited = false;
  try {
    made.push(
      await writeRows(admin, async (tx) => {
        // See `lock_key`.
        if ('service_keys' in changes) await tx.query('LOCK TABLE key_rules IN EXCLUSIVE MODE');
        for (const [label, values] of Object.entries(changes)) await changeRow(tx, label, values, places.get(label));
        let isDecided = false;
        deciding = decideAndUndo(admin, decision).finally(() => {
          isDecided = true;
        });
        while (!isDecided && !hasWaited) hasWaited = await isWaitedFor(tx);
      }),
    );
    return { hasWaited, said: await deciding! };
  } finally {
    await deciding?.catch(() => {});
    await removeRows(admin, [...Object.keys(decision.rows), ...Object.keys(changes)].map(tableOf), made);
  }
}

/** Rows stand alone, as in `decide`. Returns the id of the transaction. */
const writeRows = (admin: Db, write: (tx: Tx) => Promise<void>): Promise<string> =>
  admin.tx(async (tx) => {
    await tx.query(`SET LOCAL session_replication_role = 'replica'`);
    await write(tx);
    const [row] = await tx.query<{ id: string }>('SELECT pg_current_xact_id()::xid::text AS id');
    return row!.id;
  });

async function changeRow(tx: Tx, label: string, values: Rows[string], place: string | undefined): Promise<void> {
  const table = tableOf(label);
  if (!place) await putRow(tx, table, values!);
  else if (!values) await tx.query(`DELETE FROM ${table} WHERE ctid = $1::tid`, [place]);
  else {
    const assignments = Object.keys(values).map((name, i) => `"${name}" = $${i + 2}`);
    await tx.query(`UPDATE ${table} SET ${assignments.join(', ')} WHERE ctid = $1::tid`, [
      place,
      ...Object.values(values),
    ]);
  }
}

async function isWaitedFor(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ is_waited_for: boolean }>(
    'SELECT EXISTS (SELECT FROM pg_locks WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))) AS is_waited_for',
  );
  return row!.is_waited_for;
}

async function decideAndUndo(admin: Db, { calls, hasTriggers }: Decision): Promise<string> {
  let said = '';
  const undone = new Error('undone');
  await admin
    .tx(async (tx) => {
      if (!hasTriggers) await tx.query(`SET LOCAL session_replication_role = 'replica'`);
      said = await run(tx, calls);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) said = `refused: ${(error as Error).message}`;
    });
  return said;
}

async function removeRows(admin: Db, tables: readonly string[], made: readonly string[]): Promise<void> {
  await admin.tx(async (tx) => {
    await tx.query(`SET LOCAL session_replication_role = 'replica'`);
    for (const table of new Set(tables)) await tx.query(`DELETE FROM ${table} WHERE xmin::text = ANY ($1)`, [made]);
  });
}
