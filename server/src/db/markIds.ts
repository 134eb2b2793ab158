/**
 * Two bytes of every id in the index that is only read, so that payments seldom look there
 * (docs/decisions/0026-ids-in-generations.md). They are believed only while PostgreSQL itself refuses payments up to their
 * boundary: an id that came later would be missing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { commit } from './maintain.ts';

/** How long to wait for whoever was writing when the ids were divided. */
const PATIENCE_MS = 60_000;

/** Answers whether anything changed. Payments go on; what is left by a run that was killed is not believed. */
export async function markIds(client: pg.Client, boundary: string, log: (line: string) => void): Promise<boolean> {
  if (boundary === '0' || (await areMarked(client, boundary))) return false;
  const latest = Date.now() + PATIENCE_MS;
  while (Date.now() < latest && !(await isPast(client, boundary))) await sleep(100);
  if (!(await isPast(client, boundary))) {
    log('a payment from before is still being written: its id is marked by the next run');
    return false;
  }
  log(`marking the ids up to ${boundary}: payments go on`);
  // Waits for whoever writes payments now, so what is read below is everything there will ever be.
  await commit(client, async () => {
    await client.query('DELETE FROM id_marks WHERE boundary = $1', [boundary]);
    await client.query(`ALTER TABLE transfers DROP CONSTRAINT IF EXISTS ${nameMarked(boundary)},
      ADD CONSTRAINT ${nameMarked(boundary)} CHECK (kind <> 'user' OR seq > ${boundary}) NOT VALID`);
  });
  await commit(client, async () => {
    await client.query(`SET LOCAL work_mem = '256MB'`);
    await client.query(
      `INSERT INTO id_marks (boundary, group_no, marks)
       SELECT $1, id_group(transfer_id), string_agg(id_mark(transfer_id), '') FROM transfers
        WHERE kind = 'user' AND seq <= $1 GROUP BY id_group(transfer_id)`,
      [boundary],
    );
  });
  return true;
}

/** Of all boundaries but the one that is used. */
export async function forgetMarks(client: pg.Client, boundary: string): Promise<void> {
  await client.query('DELETE FROM id_marks WHERE boundary <> $1', [boundary]);
  const { rows } = await client.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint
      WHERE conrelid = 'transfers'::regclass AND conname ~ '^transfers_marked_upto_[0-9]+$' AND conname <> $1`,
    [nameMarked(boundary)],
  );
  for (const { name } of rows)
    await commit(client, () => client.query(`ALTER TABLE transfers DROP CONSTRAINT ${name}`));
}

const nameMarked = (boundary: string): string => `transfers_marked_upto_${boundary}`;

async function areMarked(client: pg.Client, boundary: string): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>('SELECT ids_are_marked($1) AS yes', [boundary]);
  return rows[0]!.yes;
}

/** Whether everything up to there is committed or never will be: nobody who is writing now will be refused. */
async function isPast(client: pg.Client, boundary: string): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>('SELECT ledger_settled_seq() > $1 AS yes', [boundary]);
  return rows[0]!.yes;
}
