import type { Queryable } from '../../db/database.ts';

/** An endpoint as the worker calls it, with its secrets; they go nowhere else. */
export interface Receiver {
  readonly endpointId: string;
  readonly url: string;
  readonly inOrder: boolean;
  readonly isFailing: boolean;
  /** The current one first. */
  readonly secrets: readonly Uint8Array[];
}

/** A delivery whose next attempt is ours. */
export interface Claimed {
  readonly eventId: string;
  readonly type: string;
  readonly happenedAt: Date;
  readonly data: unknown;
  readonly isTest: boolean;
  /** This one counted. */
  readonly attempts: number;
  /** Of the event in the feed. */
  readonly place: bigint;
}

/** Undefined: nothing may be sent to it. */
export async function findReceiver(db: Queryable, endpointId: string): Promise<Receiver | undefined> {
  const [row] = await db.query<Omit<Receiver, 'secrets'> & { secrets: readonly string[] }>(
    `SELECT e.endpoint_id AS "endpointId", e.url, e.in_order AS "inOrder", e.failing_since IS NOT NULL AS "isFailing",
            array_agg(encode(s.secret, 'base64') ORDER BY s.number DESC) AS secrets
       FROM webhook_endpoints e JOIN webhook_secrets s USING (endpoint_id)
      WHERE e.endpoint_id = $1 AND e.state = 'on' AND (s.ends_at IS NULL OR s.ends_at > now()) GROUP BY e.endpoint_id`,
    [endpointId],
  );
  return row && { ...row, secrets: row.secrets.map((text) => Buffer.from(text, 'base64')) };
}
