/** How PostgreSQL finds the ids of a ledger, as variants that `bench/growth.ts` compares. */
import type { Db } from '../../../server/src/db/database.ts';
import { defineIds, renewIds } from '../../../server/src/db/ids/renewIds.ts';
import { buildIndex } from './growthRows.ts';

/**
 * `filter`: two generations and a Bloom filter over the older one, as `migrate --renew-ids` leaves them. `generations`: the
 * same indexes without the filter. `plain`: one primary key. The first two share a server, which then makes twice as many
 * payments between two checkpoints as the third: compare full pages only between `filter` and `plain` alone.
 */
export const WAYS = ['filter', 'generations', 'plain'] as const;
export type Way = (typeof WAYS)[number];

/** Which indexes a ledger has. Whether the filter is read can be changed at any time. */
export type Layout = 'renewed' | 'plain';
export const layoutOf = (way: Way): Layout => (way === 'plain' ? 'plain' : 'renewed');

/** The ids of the last `recent` rows are in the index that is written, those before in the one that is only read. */
export async function buildIds(db: Db, databaseUrl: string, layout: Layout, recent: number): Promise<void> {
  if (layout === 'plain') {
    await buildIndex(db, {
      indexname: 'transfers_pkey',
      indexdef: 'CREATE UNIQUE INDEX transfers_pkey ON transfers USING btree (transfer_id)',
    });
    await db.query('ALTER TABLE transfers ADD CONSTRAINT transfers_pkey PRIMARY KEY USING INDEX transfers_pkey');
    await db.query('SELECT write_transfers_by_id()');
    return;
  }
  const [row] = await db.query<{ boundary: bigint }>(
    'SELECT greatest(max(seq) - $1, min(seq) - 1, 0) AS boundary FROM transfers',
    [recent],
  );
  const boundary = String(row!.boundary);
  for (const side of ['after', 'upto'] as const) {
    const indexname = `transfers_ids_${side}_${boundary}`;
    await buildIndex(db, {
      indexname,
      indexdef: `CREATE UNIQUE INDEX ${indexname} ON transfers ${defineIds(side, boundary)}`,
    });
  }
  await db.query('SELECT write_transfers_by_id()');
  await renewIds(databaseUrl);
}

/** Answers what makes payments find ids in this way from now on. */
export async function readWays(db: Db, layout: Layout): Promise<(way: Way) => Promise<void>> {
  if (layout === 'plain') return async () => {};
  const filtered = await readText(db);
  const texts = { filter: filtered, generations: filtered.replace(/ARRAY\(SELECT id FROM .* IS NOT TRUE\)/s, 'p_ids') };
  if (/id_marks/.test(texts.generations)) throw new Error('the Bloom filter was not taken out of transfers_by_id');
  let used: Way = 'filter';
  return async (way) => {
    if (way !== used && way !== 'plain') await db.query(texts[way]);
    used = way;
  };
}

const readText = async (db: Db): Promise<string> =>
  (await db.query<{ text: string }>(`SELECT pg_get_functiondef('transfers_by_id'::regproc) AS text`))[0]!.text;
