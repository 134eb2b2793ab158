/**
 * Adds every id in the read-only index to the Bloom filter, so that payments rarely search that index
 * (docs/decisions/0026-ids-in-generations.md). Before that, PostgreSQL gets a constraint that refuses movements up to
 * the boundary: an id added later would be missing from the filter. Payments work without the filter, so this gives way
 * to anything that blocks it, and the next run does it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createIdMarks, IDS_PER_GROUP, type IdMarks } from './idMarks.ts';

/** How long to wait for others, each time. */
const PATIENCE_MS = 60_000;

/** Tests use smaller sizes. */
const SIZES = { idsAtOnce: 100_000, groupsAtOnce: 64, idsPerGroup: IDS_PER_GROUP };

/** Returns whether anything changed. Payments continue. */
export async function markIds(
  client: pg.Client,
  boundary: string,
  log: (line: string) => void,
  sizes = SIZES,
): Promise<boolean> {
  if (boundary === '0' || (await areMarked(client, boundary))) return false;
  if (!(await waitUntilPast(client, boundary)) || !(await refuseEarlier(client, boundary))) {
    log('the ids are not marked now, because a long database transaction blocks it: the next run does it');
    return false;
  }
  log(`marking the ids up to ${boundary}: payments continue`);
  await writeMarks(client, boundary, await gatherMarks(client, boundary, sizes), sizes);
  return true;
}

async function areMarked(client: pg.Client, boundary: string): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>('SELECT marked_groups($1) IS NOT NULL AS yes', [boundary]);
  return rows[0]!.yes;
}

/**
 * Reads the ids in the order in which they were written, and builds the filter in memory: a little more than a byte per
 * id.
 */
async function gatherMarks(
  client: pg.Client,
  boundary: string,
  { idsAtOnce, idsPerGroup }: typeof SIZES,
): Promise<IdMarks> {
  const { rows } = await client.query<{ count: string; before: string }>(
    `SELECT count(*), coalesce(min(seq), 0) - 1 AS before FROM transfers WHERE seq + 0 <= ${boundary}`,
  );
  const count = Number(rows[0]!.count);
  const filter = createIdMarks(count, idsPerGroup);
  let [marked, last] = [0, rows[0]!.before];
  while (marked < count) {
    const page = await client.query<{ last: string; ids: Buffer | null }>(
      `SELECT max(seq) AS last, string_agg(uuid_send(transfer_id), '') AS ids
         FROM (SELECT seq, transfer_id FROM transfers WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3) page`,
      [last, boundary, idsAtOnce],
    );
    const { ids } = page.rows[0]!;
    if (!ids) throw new Error(`of ${count} ids up to ${boundary} only ${marked} were found`);
    filter.add(ids);
    marked += ids.length / 16;
    last = page.rows[0]!.last;
  }
  return filter;
}

/** In one commit: a reader sees all groups or none. */
async function writeMarks(
  client: pg.Client,
  boundary: string,
  { groups, bitsOf }: IdMarks,
  { groupsAtOnce }: typeof SIZES,
): Promise<void> {
  await client.query('BEGIN');
  await client.query('DELETE FROM id_marks');
  for (let from = 0; from < groups; from += groupsAtOnce) {
    const rows = Array.from({ length: Math.min(groupsAtOnce, groups - from) }, (_, i) => bitsOf(from + i));
    await client.query(
      `INSERT INTO id_marks (boundary, groups, group_no, bits)
       SELECT $1, $2, $3::integer + nth - 1, bits FROM unnest($4::bytea[]) WITH ORDINALITY AS row(bits, nth)`,
      [boundary, groups, from, rows],
    );
  }
  await client.query('COMMIT');
}

/** Waits until everything up to the boundary is committed or rolled back, so that no current writer will be refused. */
async function waitUntilPast(client: pg.Client, boundary: string): Promise<boolean> {
  for (const latest = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    const { rows } = await client.query<{ yes: boolean }>('SELECT ledger_settled_seq() > $1 AS yes', [boundary]);
    if (rows[0]!.yes || Date.now() > latest) return rows[0]!.yes;
  }
}

/**
 * Adds the constraint that refuses movements up to the boundary, and drops that of an earlier boundary. Adding it waits
 * for current writers, so a later read sees all movements that will ever exist below the boundary. All new statements
 * queue behind it, even readers. So it is attempted only when no one holds the table for long, with a short lock
 * time-out.
 */
async function refuseEarlier(client: pg.Client, boundary: string): Promise<boolean> {
  for (const latest = Date.now() + PATIENCE_MS; ; await sleep(1_000)) {
    if ((await isFree(client)) && (await addConstraint(client, boundary))) return true;
    if (Date.now() > latest) return false;
  }
}

/** True if no current user of the table has held it for more than an instant. */
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

/** Returns false if others were using the table. */
async function addConstraint(client: pg.Client, boundary: string): Promise<boolean> {
  const { rows: old } = await client.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint
      WHERE conrelid = 'transfers'::regclass AND conname ~ '^transfers_marked_upto_[0-9]+$'`,
  );
  const steps = [
    ...old.map(({ name }) => `DROP CONSTRAINT ${name}`),
    `ADD CONSTRAINT transfers_marked_upto_${boundary} CHECK (seq > ${boundary}) NOT VALID`,
  ];
  await client.query(`BEGIN; SET LOCAL lock_timeout = '150ms'`);
  try {
    await client.query('SELECT ledger_number_above($1)', [boundary]);
    await client.query(`ALTER TABLE transfers ${steps.join(', ')}`);
    // Existing rows would be trusted from now on, but only this function may fill them.
    await client.query('DELETE FROM id_marks WHERE boundary = $1', [boundary]);
    await client.query('COMMIT');
    return true;
  } catch (error) {
    await client.query('ROLLBACK');
    if (!['55P03', '40P01'].includes((error as { code?: string }).code ?? '')) throw error;
    return false;
  }
}
