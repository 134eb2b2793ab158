import type { Db } from '../../db/database.ts';
import { ensureJob } from '../../jobs/jobs.ts';
import { type Backlogs, openBacklogs } from './backlogs.ts';

/** The job that sends due deliveries to one endpoint; its key is the endpoint's id. */
export const SEND_JOB = 'webhook';

const PAGE = 500;

interface Followed {
  /** `more` can be read now; `some` events were read; `nothing` new; or `no_endpoint` to read for. */
  readonly found: 'more' | 'some' | 'nothing' | 'no_endpoint';
  /** The endpoints that have new deliveries. */
  readonly endpointIds: readonly string[];
}

/**
 * Writes one delivery for each event that an endpoint subscribes to, of its account if it belongs to one, and advances the endpoint's feed position in the
 * same commit. The feed contains only committed events, so no receiver is notified of an event before its commit.
 */
export async function followFeed(db: Db, backlogs: Backlogs = openBacklogs(db)): Promise<Followed> {
  const endpoints = await db.query<{ place: bigint; endpointId: string }>(
    `SELECT place, endpoint_id AS "endpointId" FROM webhook_endpoints
      WHERE state = 'on' AND webhook_works(key_id)`,
  );
  const groups = new Map<bigint, string[]>();
  for (const { place, endpointId } of endpoints)
    if (await backlogs.hasRoom(endpointId)) groups.set(place, [...(groups.get(place) ?? []), endpointId]);
  let most = 0;
  const notified: string[] = [];
  // Endpoints that are up to date share a position, so the feed is read once for all of them.
  for (const [place, endpointIds] of groups) {
    const { found, written } = await writeDeliveries(db, place, endpointIds);
    for (const endpointId of written) backlogs.add(endpointId, found);
    notified.push(...written);
    most = Math.max(most, found);
  }
  await scheduleDue(db);
  const found = most === PAGE ? 'more' : most > 0 ? 'some' : groups.size > 0 ? 'nothing' : 'no_endpoint';
  return { found, endpointIds: notified };
}

/**
 * Returns how many events were read and which endpoints have deliveries. Skips an endpoint that another worker has
 * advanced in the meantime.
 */
async function writeDeliveries(
  db: Db,
  place: bigint,
  endpointIds: readonly string[],
): Promise<{ readonly found: number; readonly written: readonly string[] }> {
  const [row] = await db.query<{ found: number; written: string[] }>(
    `WITH notified AS (
       SELECT endpoint_id, types, (SELECT k.user_id FROM service_keys k WHERE k.key_id = e.key_id) AS owner
         FROM webhook_endpoints e WHERE endpoint_id = ANY ($2) AND place = $1 AND state = 'on' AND webhook_works(key_id)
          FOR UPDATE OF e SKIP LOCKED),
     found AS MATERIALIZED (SELECT * FROM read_events($1, NULL, $3, $3)),
     written AS (
       INSERT INTO webhook_deliveries (endpoint_id, event_id, place, type, happened_at, data)
       SELECT t.endpoint_id, f.event_id, f.seq, f.type, f.at, webhook_data(f.type, f.subject_id, CASE WHEN t.owner IS NULL THEN f.people ELSE ARRAY[t.owner] END)
         FROM notified t, found f
        WHERE t.types && ARRAY['*', split_part(f.type, '.', 1) || '.*', f.type]
          AND (t.owner IS NULL OR t.owner = ANY (f.people))
       ON CONFLICT (endpoint_id, event_id) DO NOTHING RETURNING endpoint_id),
     moved AS (
       UPDATE webhook_endpoints e SET place = (SELECT max(seq) FROM found)
         FROM notified t WHERE e.endpoint_id = t.endpoint_id AND EXISTS (SELECT FROM found))
     SELECT (SELECT count(*)::integer FROM found) AS found, ARRAY(SELECT DISTINCT endpoint_id FROM written) AS written`,
    [place, endpointIds, PAGE],
  );
  return row!;
}

/**
 * Creates a job for each endpoint with a due delivery, unless it has one. With ordered delivery, the first waiting
 * delivery must be due.
 */
async function scheduleDue(db: Db): Promise<void> {
  const due = await db.query<{ endpointId: string }>(
    `SELECT e.endpoint_id AS "endpointId" FROM webhook_endpoints e
      WHERE e.state = 'on' AND webhook_works(e.key_id)
        AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = $1 AND j.key = e.endpoint_id::text)
        AND EXISTS (
          SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.endpoint_id AND d.due_at <= now()
             AND (NOT e.in_order OR d.is_test OR d.place = (
                   SELECT min(f.place) FROM webhook_deliveries f
                    WHERE f.endpoint_id = e.endpoint_id AND f.due_at IS NOT NULL AND NOT f.is_test)))`,
    [SEND_JOB],
  );
  for (const { endpointId } of due) await ensureJob(db, SEND_JOB, endpointId);
}
