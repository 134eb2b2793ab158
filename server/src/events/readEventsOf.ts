import type { Queryable } from '../db/database.ts';

interface EventOfSubject {
  readonly eventId: string;
  readonly type: string;
  readonly at: Date;
}

/** For operators: the events of a payment or a request, oldest first. `seqs` are its rows in the ledger. */
export const readEventsOf = (db: Queryable, subjectId: string, seqs: readonly bigint[]): Promise<EventOfSubject[]> =>
  db.query<EventOfSubject>(
    `SELECT event_id(f.seq, f.type, f.subject_id, f.at) AS "eventId", f.type, f.at FROM (
       SELECT * FROM feed WHERE source = 'transfers' AND seq = ANY ($2) AND subject_id = $1
       UNION ALL SELECT * FROM feed WHERE source = 'payment_events' AND subject_id = $1
       UNION ALL SELECT * FROM feed WHERE source = 'money_request_events' AND subject_id = $1) f
      WHERE f.seq < ledger_settled_seq() ORDER BY f.seq`,
    [subjectId, seqs],
  );

interface DeliveryOfEvent {
  readonly endpointId: string;
  readonly url: string;
  readonly eventId: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: number;
  readonly status: number | null;
  readonly fault: string | null;
  readonly attemptedAt: Date | null;
}

/** For operators: the deliveries of these events to all webhooks. */
export const readDeliveriesOf = (db: Queryable, eventIds: readonly string[]): Promise<DeliveryOfEvent[]> =>
  db.query<DeliveryOfEvent>(
    `SELECT d.endpoint_id AS "endpointId", e.url, d.event_id AS "eventId", d.type, d.state, d.attempts, d.status, d.fault,
            d.attempted_at AS "attemptedAt"
       FROM webhook_endpoints e
       JOIN webhook_deliveries d ON d.endpoint_id = e.endpoint_id AND d.event_id = ANY ($1)
      ORDER BY d.event_id, e.url`,
    [eventIds],
  );
