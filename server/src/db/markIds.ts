/**
 * Two bytes of every id in the index that is only read, so that payments seldom look there
 * (docs/decisions/0026-ids-in-generations.md). Before they are noted, PostgreSQL is told to refuse payments up to their
 * boundary: an id that came later would be missing. Paying works without them, so whatever is in the way is left alone, and
 * the next run does it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** How long to wait for others, each time. */
const PATIENCE_MS = 60_000;

/** Answers whether anything changed. Payments go on. */
export async function markIds(client: pg.Client, boundary: string, log: (line: string) => void): Promise<boolean> {
  if (boundary === '0' || (await areMarked(client, boundary))) return false;
  if (!(await waitUntilPast(client, boundary)) || !(await refuseEarlier(client, boundary))) {
    log('the ids are not marked now, because a long database transaction is in the way: the next run does it');
    return false;
  }
  log(`marking the ids up to ${boundary}: payments go on`);
  await client.query('BEGIN');
  await client.query(`SET LOCAL work_mem = '256MB'`);
  await client.query(
    `INSERT INTO id_marks (boundary, group_no, marks)
     SELECT $1, id_group(transfer_id), string_agg(id_mark(transfer_id), '') FROM transfers
      WHERE kind = 'user' AND seq <= $1 GROUP BY id_group(transfer_id)`,
    [boundary],
  );
  await client.query('COMMIT');
  return true;
}

async function areMarked(client: pg.Client, boundary: string): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>('SELECT ids_are_marked($1) AS yes', [boundary]);
  return rows[0]!.yes;
}

/** Until everything up to there is committed or never will be: nobody who is writing now will be refused. */
async function waitUntilPast(client: pg.Client, boundary: string): Promise<boolean> {
  for (const latest = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    const { rows } = await client.query<{ yes: boolean }>('SELECT ledger_settled_seq() > $1 AS yes', [boundary]);
    if (rows[0]!.yes || Date.now() > latest) return rows[0]!.yes;
  }
}

/**
 * Adds the constraint that refuses payments up to the boundary, and drops that of an earlier one. Adding it waits for whoever
 * writes payments now, so what is read after it is everything there will ever be. Everybody who comes meanwhile waits behind
 * it, also those who only read: so it is asked for when nobody holds the table for long, and for a moment only.
 */
async function refuseEarlier(client: pg.Client, boundary: string): Promise<boolean> {
  for (const latest = Date.now() + PATIENCE_MS; ; await sleep(1_000)) {
    if ((await isFree(client)) && (await addConstraint(client, boundary))) return true;
    if (Date.now() > latest) return false;
  }
}

/** Nobody who uses the table now has used it for longer than an instant. */
async function isFree(client: pg.Client): Promise<boolean> {
  const before = await listHolders(client);
  await sleep(200);
  const now = await listHolders(client);
  return !before.some((holder) => now.includes(holder));
}

async function listHolders(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ holder: string }>(
    `SELECT DISTINCT virtualtransaction AS holder FROM pg_locks
      WHERE relation = 'transfers'::regclass AND granted AND pid <> pg_backend_pid()
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows.map(({ holder }) => holder);
}

/** False: others were using the table. */
async function addConstraint(client: pg.Client, boundary: string): Promise<boolean> {
  const { rows: old } = await client.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint
      WHERE conrelid = 'transfers'::regclass AND conname ~ '^transfers_marked_upto_[0-9]+$'`,
  );
  const steps = [
    ...old.map(({ name }) => `DROP CONSTRAINT ${name}`),
    `ADD CONSTRAINT transfers_marked_upto_${boundary} CHECK (kind <> 'user' OR seq > ${boundary}) NOT VALID`,
  ];
  await client.query(`BEGIN; SET LOCAL lock_timeout = '150ms'`);
  try {
    await client.query(`ALTER TABLE transfers ${steps.join(', ')}`);
    // They would be believed from now on, and came from elsewhere: nobody else fills them.
    await client.query('DELETE FROM id_marks WHERE boundary = $1', [boundary]);
    await client.query('COMMIT');
    return true;
  } catch (error) {
    await client.query('ROLLBACK');
    if (!['55P03', '40P01'].includes((error as { code?: string }).code ?? '')) throw error;
    return false;
  }
}
