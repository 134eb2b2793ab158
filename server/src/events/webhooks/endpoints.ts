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
  /** The key that manages it; null: only operators do. */
  readonly keyId: string | null;
  /** The account whose events it receives; null: all events. */
  readonly userId: string | null;
  /** It belongs to an account, and its key has ended: nothing is sent until another key of the account takes it over. */
  readonly isOrphan: boolean;
}

/** A key that manages endpoints: a service's its own, an account's those of its account. */
interface Manager {
  readonly keyId: string;
  readonly userId?: string;
}

export interface EndpointChange extends Partial<EndpointWish> {
  readonly state?: 'on' | 'off' | undefined;
  /** The account key that makes the change; the endpoint then depends on it. */
  readonly keyId?: string | undefined;
}

interface WebhookRules {
  /** In the sandbox, endpoints may be on this machine. */
  readonly allowsLoopback: boolean;
}

/** Of services and operators. */
export const MOST_ENDPOINTS = 100;
const MOST_OF_ACCOUNT = 5;
const FORMER_HOURS = 24;
const MOST_FORMER_DAYS = 30;
/** The number of former secrets that still sign; creating another secret ends the oldest. */
const MOST_SECRETS = 5;

const COLUMNS = `endpoint_id AS "endpointId", url, description, types, in_order AS "inOrder", state, failure,
  failing_since AS "failingSince", created_at AS "createdAt", key_id AS "keyId",
  (SELECT k.user_id FROM service_keys k WHERE k.key_id = e.key_id) AS "userId", NOT webhook_works(key_id) AS "isOrphan"`;

/** Parameters 1 and 2: the manager's key and account. Without both: everything, for operators. */
const MANAGED = `removed_at IS NULL AND CASE
    WHEN $2::uuid IS NOT NULL THEN key_id IN (SELECT k.key_id FROM service_keys k WHERE k.user_id = $2)
    WHEN $1::uuid IS NOT NULL THEN key_id = $1 ELSE true END`;

const valuesOf = (by: Manager | undefined) => [by?.keyId ?? null, by?.userId ?? null];

export const listEndpoints = (db: Queryable, by?: Manager): Promise<Endpoint[]> =>
  db.query<Endpoint>(
    `SELECT ${COLUMNS} FROM webhook_endpoints e WHERE ${MANAGED} ORDER BY created_at, endpoint_id`,
    valuesOf(by),
  );

export async function getEndpoint(db: Queryable, endpointId: string, by?: Manager): Promise<Endpoint> {
  const [found] = await db.query<Endpoint>(
    `SELECT ${COLUMNS} FROM webhook_endpoints e WHERE ${MANAGED} AND endpoint_id = $3`,
    [...valuesOf(by), endpointId],
  );
  if (!found) throw new PayError('webhook.unknown');
  return found;
}

/** As it stays until the commit, unless this transaction changes it. */
export async function lockEndpoint(tx: Tx, endpointId: string, by?: Manager): Promise<Endpoint> {
  const [found] = await tx.query<Endpoint>(
    `SELECT ${COLUMNS} FROM webhook_endpoints e WHERE ${MANAGED} AND endpoint_id = $3 FOR UPDATE OF e`,
    [...valuesOf(by), endpointId],
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
  by?: Manager,
): Promise<{ readonly endpoint: Endpoint; readonly secret: string }> {
  refuseUrl(wish.url, rules);
  refuseTypes(wish.types);
  // Creations run one after the other, so the count is exact.
  await tx.query('SELECT lock_webhook_endpoints()');
  const others = by?.userId ? await listEndpoints(tx, by) : (await listEndpoints(tx)).filter((one) => !one.userId);
  const most = by?.userId ? MOST_OF_ACCOUNT : MOST_ENDPOINTS;
  if (others.length >= most) throw new PayError('webhook.too_many', { maximum: String(most) });
  const endpointId = newId();
  await tx.query(
    `INSERT INTO webhook_endpoints (endpoint_id, url, description, types, in_order, place, key_id)
     VALUES ($1, $2, $3, $4, $5, ledger_settled_seq() - 1, $6)`,
    [endpointId, wish.url, wish.description, wish.types, wish.inOrder, by?.keyId ?? null],
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
  const isTaken = change.keyId !== undefined && change.keyId !== before.keyId;
  const state = change.state ?? before.state;
  const isFresh = state === 'on' && (isTaken || before.state !== 'on' || (change.url ?? before.url) !== before.url);
  await tx.query(
    `UPDATE webhook_endpoints SET url = coalesce($2, url), description = coalesce($3, description),
            types = coalesce($4, types), in_order = coalesce($5, in_order), state = $6,
            key_id = coalesce($8, key_id), failure = CASE WHEN $6 = 'failed' THEN failure END, failing_since = CASE WHEN NOT $7 THEN failing_since END
      WHERE endpoint_id = $1`,
    [
      endpointId,
      change.url ?? null,
      change.description ?? null,
      change.types ?? null,
      change.inOrder ?? null,
      state,
      isFresh,
      change.keyId ?? null,
    ],
  );
  if (isFresh) await tx.query('SELECT hasten_deliveries($1, NULL)', [endpointId]);
  await recordAudit(tx, { actor, action: 'webhook.changed', details: { endpoint_id: endpointId, state } });
  return getEndpoint(tx, endpointId);
}

/** For operators: gives an endpoint of services to a key of services, or to none. PostgreSQL refuses a key of an account. */
export async function assignEndpoint(
  tx: Tx,
  actor: AuditActor,
  endpointId: string,
  keyId: string | null,
): Promise<void> {
  await lockEndpoint(tx, endpointId);
  await tx.query('UPDATE webhook_endpoints SET key_id = $2 WHERE endpoint_id = $1', [endpointId, keyId]);
  await recordAudit(tx, {
    actor,
    action: 'webhook.assigned',
    details: { endpoint_id: endpointId, key_id: keyId ?? '' },
  });
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
