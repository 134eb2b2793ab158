/**
 * Keeps the index that payments write their ids to small (docs/decisions/0026-ids-in-generations.md). When it has
 * grown, two new indexes are built while payments continue, divided at the newest row: one for the ids up to there,
 * which is only read from then on, and an almost empty one for later ids. Then `transfers_by_id` reads these, and the
 * two previous ones are dropped. The indexes that it reads are complete at every moment. Finally the read-only ids are
 * added to the Bloom filter. Safe to repeat, even after it was killed at any step: the next run drops unfinished
 * indexes and continues.
 */
import type pg from 'pg';
import { buildIndex, findIndex, maintain } from '../maintain.ts';
import { markIds } from './markIds.ts';

interface RenewOptions {
  readonly log?: (line: string) => void;
  /** Renews them however small they are, for tests. */
  readonly isForced?: boolean;
}

interface IdIndex {
  readonly name: string;
  readonly boundary: string;
  readonly is_valid: boolean;
}

const MEGABYTE = 1024 * 1024;
/**
 * The written index is kept below the first size and always renewed above the second; in between, it is renewed when it
 * has a quarter of the size of the read-only one. Renewing reads the whole table, so it must not happen too often. A
 * larger index no longer fits into typical shared buffers.
 */
const [SMALL_BYTES, LARGE_BYTES] = [64 * MEGABYTE, 256 * MEGABYTE];

export const renewIds = (databaseUrl: string, options: RenewOptions = {}): Promise<void> =>
  maintain(databaseUrl, async (client) => {
    if (await findIndex(client, 'transfers_pkey')) {
      throw new Error('the upgrade is not finished: see docs/operating/upgrade.md');
    }
    await renew(client, options);
  });

async function renew(client: pg.Client, { log = () => {}, isForced = false }: RenewOptions): Promise<void> {
  // After a logical restore, new rows would be numbered below the newest row, where the ids are divided.
  await client.query('SELECT ledger_rebase()');
  for (const { name, is_valid } of await listIdIndexes(client)) {
    if (!is_valid) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
  }
  // A run that was killed may have finished both indexes of a pair before it could use them.
  const before = await useNewest(client);
  if (isForced || (await isDue(client, before)) || (await findUnfinished(client)) !== undefined) {
    await buildIds(client, log);
  }
  const after = await useIds(client, log);
  if (after !== before) log(`ids up to ${after} now have a separate index`);
}

/** Switches reads to the newest pair and adds its old ids to the Bloom filter. Returns where the pair is divided. */
export async function useIds(client: pg.Client, log: (line: string) => void): Promise<string> {
  const boundary = await useNewest(client);
  if (await markIds(client, boundary, log)) await useNewest(client);
  return boundary;
}

/** Builds two new indexes. Each is complete when this returns, but not read yet. */
export async function buildIds(client: pg.Client, log: (line: string) => void): Promise<void> {
  const boundary = (await findUnfinished(client)) ?? (await findNewestSeq(client));
  log(`building the indexes of ids up to ${boundary} and after it: payments continue`);
  for (const side of ['after', 'upto'] as const) {
    if (side === 'after' || boundary !== '0')
      await buildIndex(client, nameIds(side, boundary), defineIds(side, boundary));
  }
}

const nameIds = (side: 'upto' | 'after', boundary: string): string => `transfers_ids_${side}_${boundary}`;

/**
 * Includes every kind of transfer, with the condition that `write_transfers_by_id` uses in queries. Only the first index
 * of a new database has fewer.
 */
export const defineIds = (side: 'upto' | 'after', boundary: string): string =>
  `(transfer_id) WHERE seq + 0 ${side === 'upto' ? '<=' : '>'} ${boundary}`;

/**
 * Lets `transfers_by_id` read the newest complete pair, and drops the previous ones. Returns where the pair is divided.
 */
async function useNewest(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ boundary: string }>('SELECT write_transfers_by_id() AS boundary');
  const { boundary } = rows[0]!;
  for (const index of await listIdIndexes(client)) {
    if (BigInt(index.boundary) < BigInt(boundary)) await client.query(`DROP INDEX CONCURRENTLY ${index.name}`);
  }
  await client.query('DELETE FROM id_marks WHERE boundary <> $1', [boundary]);
  return boundary;
}

/** Finds where an interrupted run has begun to divide the ids. */
async function findUnfinished(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ used: string }>('SELECT coalesce(id_boundary(), -1) AS used');
  const indexes = await listIdIndexes(client);
  return indexes.find(({ boundary }) => BigInt(boundary) > BigInt(rows[0]!.used))?.boundary;
}

async function findNewestSeq(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ seq: string | null }>('SELECT max(seq) AS seq FROM transfers');
  return rows[0]!.seq ?? '0';
}

async function isDue(client: pg.Client, boundary: string): Promise<boolean> {
  const { rows } = await client.query<{ written: string; read: string }>(
    `SELECT pg_relation_size(to_regclass($1)) AS written, coalesce(pg_relation_size(to_regclass($2)), 0) AS read`,
    [nameIds('after', boundary), nameIds('upto', boundary)],
  );
  const [written, read] = [Number(rows[0]!.written), Number(rows[0]!.read)];
  return written > SMALL_BYTES && written > Math.min(read / 4, LARGE_BYTES);
}

async function listIdIndexes(client: pg.Client): Promise<IdIndex[]> {
  const { rows } = await client.query<IdIndex>(
    `SELECT relname AS name, substring(relname FROM '[0-9]+$') AS boundary, indisvalid AS is_valid
       FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE indrelid = 'transfers'::regclass AND relname ~ '^transfers_ids_(upto|after)_[0-9]+$'`,
  );
  return rows;
}
