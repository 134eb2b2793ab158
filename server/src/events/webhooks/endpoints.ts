/**
 * Webhooks: other services' endpoints that receive events, following the Standard Webhooks specification. `endpoints`
 * manages the subscriptions, `followFeed` writes a delivery per endpoint and event, `openSender` sends them. See
 * docs/decisions/0032-webhooks.md.
 */

import { UrlRefused } from '../../adapters/supplied/fetchSupplied.ts';
import { parseReceiverUrl } from '../../adapters/supplied/openReceivers.ts';
import { PayError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';
import { EVENT_TYPES } from '../eventTypes.ts';
import { makeSecret, renderSecret } from './signEvent.ts';

/** The settings that an endpoint's owner chooses. */
export interface EndpointWish {
  readonly url: string;
  readonly description: string;
  /** `*`, a whole group such as `payment.*`, or single types. */
  readonly types: readonly string[];
  readonly inOrder: boolean;
}

export interface Endpoint extends EndpointWish {
  readonly endpointId: string;
  /** `failed`: Florin switched the endpoint off; `failure` is the reason. */
  readonly state: 'on' | 'off' | 'failed';
  readonly failure: string | null;
  readonly failingSince: Date | null;
  readonly createdAt: Date;
}

export interface EndpointChange extends Partial<EndpointWish> {
  readonly state?: 'on' | 'off' | undefined;
}

interface WebhookRules {
  /** In the sandbox, endpoints may be on this machine. */
  readonly allowsLoopback: boolean;
}

export const MOST_ENDPOINTS = 100;
const FORMER_HOURS = 24;
const MOST_FORMER_DAYS = 30;
/** The number of former secrets that still sign; creating another secret ends the oldest. */
const MOST_SECRETS = 5;

const COLUMNS = `endpoint_id AS "endpointId", url, description, types, in_order AS "inOrder", state, failure,
  failing_since AS "failingSince", created_at AS "createdAt"`;

export const listEndpoints = (db: Queryable): Promise<Endpoint[]> =>
  db.query<Endpoint>(
    `SELECT ${COLUMNS} FROM webhook_endpoints WHERE removed_at IS NULL ORDER BY created_at, endpoint_id`,
  );

export async function getEndpoint(db: Queryable, endpointId: string): Promise<Endpoint> {
  const [found] = await db.query<Endpoint>(
    `SELECT ${COLUMNS} FROM webhook_endpoints WHERE endpoint_id = $1 AND removed_at IS NULL`,
    [endpointId],
  );
  if (!found) throw new PayError('webhook.unknown');
  return found;
}

/** As it stays until the commit, unless this transaction changes it. */
export async function lockEndpoint(tx: Tx, endpointId: string): Promise<Endpoint> {
  const [found] = await tx.query<Endpoint>(
    `SELECT ${COLUMNS} FROM webhook_endpoints WHERE endpoint_id = $1 AND removed_at IS NULL FOR UPDATE`,
    [endpointId],
  );
  if (!found) throw new PayError('webhook.unknown');
  return found;
}

/**
 * The endpoint receives events committed after its creation. This is the only answer that contains its secret;
 * afterwards only the worker reads it.
 */
export async function createEndpoint(
  tx: Tx,
  actor: AuditActor,
  wish: EndpointWish,
  rules: WebhookRules,
): Promise<{ readonly endpoint: Endpoint; readonly secret: string }> {
  refuseUrl(wish.url, rules);
  refuseTypes(wish.types);
  // Creations run one after the other, so the count is exact.
  await tx.query('SELECT lock_webhook_endpoints()');
  if ((await listEndpoints(tx)).length >= MOST_ENDPOINTS)
    throw new PayError('webhook.too_many', { maximum: String(MOST_ENDPOINTS) });
  const endpointId = newId();
  await tx.query(
    `INSERT INTO webhook_endpoints (endpoint_id, url, description, types, in_order, place)
     VALUES ($1, $2, $3, $4, $5, ledger_settled_seq() - 1)`,
    [endpointId, wish.url, wish.description, wish.types, wish.inOrder],
  );
  const secret = await addSecret(tx, endpointId);
  await recordAudit(tx, { actor, action: 'webhook.created', details: { endpoint_id: endpointId } });
  return { endpoint: await getEndpoint(tx, endpointId), secret };
}

/**
 * Undefined fields keep their value. When the endpoint is enabled or its URL changes, waiting deliveries are sent
 * immediately.
 */
export async function changeEndpoint(
  tx: Tx,
  actor: AuditActor,
  endpointId: string,
  change: EndpointChange,
  rules: WebhookRules,
): Promise<Endpoint> {
  if (change.url !== undefined) refuseUrl(change.url, rules);
  if (change.types !== undefined) refuseTypes(change.types);
  const before = await lockEndpoint(tx, endpointId);
  const state = change.state ?? before.state;
  const isFresh = state === 'on' && (before.state !== 'on' || (change.url ?? before.url) !== before.url);
  await tx.query(
    `UPDATE webhook_endpoints SET url = coalesce($2, url), description = coalesce($3, description),
            types = coalesce($4, types), in_order = coalesce($5, in_order), state = $6,
            failure = CASE WHEN $6 = 'failed' THEN failure END, failing_since = CASE WHEN NOT $7 THEN failing_since END
      WHERE endpoint_id = $1`,
    [
      endpointId,
      change.url ?? null,
      change.description ?? null,
      change.types ?? null,
      change.inOrder ?? null,
      state,
      isFresh,
    ],
  );
  if (isFresh) await tx.query('SELECT hasten_deliveries($1, NULL)', [endpointId]);
  await recordAudit(tx, { actor, action: 'webhook.changed', details: { endpoint_id: endpointId, state } });
  return getEndpoint(tx, endpointId);
}

/** Stops all deliveries and deletes the secrets. Records of past deliveries stay until they expire. */
export async function removeEndpoint(tx: Tx, actor: AuditActor, endpointId: string): Promise<void> {
  const removed = await tx.query(
    `UPDATE webhook_endpoints SET state = 'off', failure = NULL, removed_at = now()
      WHERE endpoint_id = $1 AND removed_at IS NULL RETURNING 1`,
    [endpointId],
  );
  if (removed.length === 0) throw new PayError('webhook.unknown');
  await tx.query('DELETE FROM webhook_secrets WHERE endpoint_id = $1', [endpointId]);
  await recordAudit(tx, { actor, action: 'webhook.removed', details: { endpoint_id: endpointId } });
}

/**
 * Creates a new secret, which only this answer contains. The former secret also signs until `formerEndsAt`, so
 * receivers can switch without missing an event. Null means one day.
 */
export async function rotateSecret(
  tx: Tx,
  actor: AuditActor,
  endpointId: string,
  formerEndsAt: Date | null,
): Promise<{ readonly secret: string; readonly formerEndsAt: Date }> {
  if (formerEndsAt && formerEndsAt.getTime() > Date.now() + MOST_FORMER_DAYS * 86_400_000)
    throw new PayError('webhook.span', { reason: `a former secret ends within ${MOST_FORMER_DAYS} days` });
  const endsAt = formerEndsAt ?? new Date(Date.now() + FORMER_HOURS * 3_600_000);
  const found = await tx.query(
    'SELECT FROM webhook_endpoints WHERE endpoint_id = $1 AND removed_at IS NULL FOR UPDATE',
    [endpointId],
  );
  if (found.length === 0) throw new PayError('webhook.unknown');
  await tx.query('UPDATE webhook_secrets SET ends_at = $2 WHERE endpoint_id = $1 AND ends_at IS NULL', [
    endpointId,
    endsAt,
  ]);
  const secret = await addSecret(tx, endpointId);
  await tx.query(
    `DELETE FROM webhook_secrets WHERE endpoint_id = $1
        AND (ends_at <= now() OR number <= (SELECT max(number) FROM webhook_secrets WHERE endpoint_id = $1) - $2)`,
    [endpointId, MOST_SECRETS],
  );
  await recordAudit(tx, { actor, action: 'webhook.rotated', details: { endpoint_id: endpointId } });
  return { secret, formerEndsAt: endsAt };
}

async function addSecret(tx: Tx, endpointId: string): Promise<string> {
  const secret = makeSecret();
  await tx.query(
    `INSERT INTO webhook_secrets (endpoint_id, number, secret)
     SELECT $1, coalesce(max(number), 0) + 1, $2 FROM webhook_secrets WHERE endpoint_id = $1`,
    [endpointId, secret],
  );
  return renderSecret(secret);
}

function refuseUrl(url: string, { allowsLoopback }: WebhookRules): void {
  try {
    parseReceiverUrl(url, allowsLoopback);
  } catch (error) {
    if (error instanceof UrlRefused) throw new PayError('webhook.url', { reason: error.message });
    throw error;
  }
}

const KNOWN_TYPES: ReadonlySet<string> = new Set([
  '*',
  ...EVENT_TYPES.flatMap((type) => [type, `${type.split('.')[0]}.*`]),
]);

function refuseTypes(types: readonly string[]): void {
  const wrong = types.find((type) => !KNOWN_TYPES.has(type));
  if (wrong !== undefined) throw new PayError('event.unknown_type', { event_type: wrong.slice(0, 40) });
}
