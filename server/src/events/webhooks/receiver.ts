import type { Queryable } from '../../db/database.ts';

/** An endpoint as the worker calls it. Its secrets are used nowhere else. */
export interface Receiver {
  readonly endpointId: string;
  readonly url: string;
  readonly inOrder: boolean;
  readonly isFailing: boolean;
  /** The current secret first. */
  readonly secrets: readonly Uint8Array[];
}

/** A delivery whose next attempt this worker has claimed. */
export interface Claimed {
  readonly eventId: string;
  readonly type: string;
  readonly happenedAt: Date;
  readonly data: unknown;
  readonly isTest: boolean;
  /** Includes this attempt. */
  readonly attempts: number;
  /** The event's position in the feed. */
  readonly place: bigint;
}

/** Returns undefined if nothing may be sent to the endpoint. */
export async function findReceiver(db: Queryable, endpointId: string): Promise<Receiver | undefined> {
  const [row] = await db.query<Omit<Receiver, 'secrets'> & { secrets: readonly string[] }>(
    `SELECT e.endpoint_id AS "endpointId", e.url, e.in_order AS "inOrder", e.failing_since IS NOT NULL AS "isFailing",
            array_agg(encode(s.secret, 'base64') ORDER BY s.number DESC) AS secrets
       FROM webhook_endpoints e JOIN webhook_secrets s USING (endpoint_id)
      WHERE e.endpoint_id = $1 AND e.state = 'on' AND webhook_works(e.key_id) AND (s.ends_at IS NULL OR s.ends_at > now()) GROUP BY e.endpoint_id`,
    [endpointId],
  );
  return row && { ...row, secrets: row.secrets.map((text) => Buffer.from(text, 'base64')) };
}
