import type { Queryable } from '../../db/database.ts';

interface WaitingArrival {
  readonly id: string;
  readonly blockchain: string;
  readonly since: Date;
  /** An operator has decided that its address identifies the wallet. */
  readonly isByAddress: boolean;
}

/** At most 200, or the one with this id. */
export const listWaitingArrivals = (db: Queryable, id?: string): Promise<WaitingArrival[]> =>
  db.query<WaitingArrival>(
    `SELECT a.provider_id AS id, n.blockchain, a.listed_at AS since, a.by_address AS "isByAddress"
       FROM open_arrivals a JOIN networks n USING (network_id)
      WHERE $1::uuid IS NULL OR a.provider_id = $1 ORDER BY a.listed_at, a.provider_id LIMIT 200`,
    [id ?? null],
  );

/**
 * Records the ruling of the operator with this database login. `by_address`: the arrival belongs to the wallet with its
 * address. Returns false if the arrival is not waiting.
 */
export async function ruleArrival(
  db: Queryable,
  id: string,
  ruling: 'by_address' | 'dismiss',
  reason: string,
): Promise<boolean> {
  const [row] = await db.query<{ ruled: boolean }>('SELECT rule_arrival($1, $2, $3) AS ruled', [id, ruling, reason]);
  return row!.ruled;
}
