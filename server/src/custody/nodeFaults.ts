import type { NodeFault } from '../core/nodes.ts';
import type { Chain } from '../core/ports.ts';
import type { Queryable } from '../db/database.ts';

/** A fault that no worker has confirmed for this long is over. */
const FRESH = `interval '1 minute'`;
/**
 * Workers that see a fault confirm it more often than this. So if this worker sees the node as healthy, an older entry
 * is over.
 */
const CONFIRMED = `interval '12 seconds'`;

/** Records the node faults that this process has seen on one blockchain. Other workers may see more. */
export async function recordNodes(db: Queryable, chain: Pick<Chain, 'blockchain' | 'nodes'>): Promise<void> {
  // Several nodes of one provider have the same host. The first faulty one represents it.
  const faults = new Map<string, NodeFault>();
  for (const { host, fault } of chain.nodes()) if (fault && !faults.has(host)) faults.set(host, fault);
  const rows = [...faults.values()];
  if (rows.length > 0) {
    await db.query(
      `INSERT INTO node_faults AS f (blockchain, host, kind, about, times, since)
       SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::timestamptz[])
       ON CONFLICT (blockchain, host) DO UPDATE SET kind = excluded.kind, about = excluded.about, times = excluded.times,
         since = least(f.since, excluded.since), seen_at = clock_timestamp()`,
      [
        chain.blockchain,
        [...faults.keys()],
        rows.map((one) => one.kind),
        rows.map((one) => one.about),
        rows.map((one) => one.times),
        rows.map((one) => one.since),
      ],
    );
  }
  const well = [...new Set(chain.nodes().map(({ host }) => host))].filter((host) => !faults.has(host));
  await db.query(
    `DELETE FROM node_faults WHERE blockchain = $1 AND (seen_at < clock_timestamp() - ${FRESH}
        OR host = ANY ($2) AND seen_at < clock_timestamp() - ${CONFIRMED})`,
    [chain.blockchain, well],
  );
}

interface FaultyNode {
  readonly blockchain: string;
  readonly host: string;
  readonly kind: NodeFault['kind'];
  readonly about: string;
  readonly times: number;
  readonly since: Date;
}

export const listFaultyNodes = (db: Queryable): Promise<FaultyNode[]> =>
  db.query<FaultyNode>(
    `SELECT blockchain, host, kind, about, times, since FROM node_faults
      WHERE seen_at > clock_timestamp() - ${FRESH} ORDER BY blockchain, host`,
  );
