import type { Queryable } from '../db/database.ts';
import { listFaultyNodes } from './nodeFaults.ts';

interface NetworkState {
  readonly blockchain: string;
  readonly family: string;
  /** The last final block that was read; null before the first, and on chains that our nodes do not read. */
  readonly block: bigint | null;
  readonly movedAt: Date | null;
  /** Why reading it fails now. */
  readonly fault: string | null;
  /** Only those that fail. */
  readonly nodes: Awaited<ReturnType<typeof listFaultyNodes>>;
}

/** For operators: every blockchain, and how well it is read. */
export async function listNetworks(db: Queryable): Promise<NetworkState[]> {
  const rows = await db.query<Omit<NetworkState, 'nodes'>>(
    `SELECT n.blockchain, n.family, c.block_number AS block, c.moved_at AS "movedAt",
            CASE WHEN t.attempts > 2 THEN t.last_error END AS fault
       FROM networks n LEFT JOIN chain_cursors c USING (network_id)
       LEFT JOIN jobs t ON t.kind = 'track ' || n.blockchain AND t.key = n.blockchain
      ORDER BY n.blockchain`,
  );
  const faulty = await listFaultyNodes(db);
  return rows.map((row) => ({ ...row, nodes: faulty.filter(({ blockchain }) => blockchain === row.blockchain) }));
}
