import type { AccountCaller, ServiceCaller } from '../../customers/keys/serviceKeys.ts';
import type { Db, Tx } from '../../db/database.ts';
import { hashRequest, type Replayable, replayOrRun } from '../../db/idempotency.ts';
import {
  type Delivery,
  type DeliveryState,
  listDeliveries,
  replayOne,
  replaySpan,
  sendTestEvent,
} from '../../events/webhooks/deliveries.ts';
import {
  changeEndpoint,
  createEndpoint,
  type Endpoint,
  getEndpoint,
  listEndpoints,
  lockEndpoint,
  removeEndpoint,
  rotateSecret,
} from '../../events/webhooks/endpoints.ts';
import type { AuditActor } from '../../operators/recordAudit.ts';
import { REPLAYED, refuse } from '../answers/renderReplay.ts';
import type { Mode } from '../backend/authorize.ts';
import { parseIdempotencyKey } from '../calls/parseIdempotencyKey.ts';
import type { ApiCall, Operation } from '../contract/operation.ts';

interface WebhooksApp {
  readonly db: Db;
  readonly mode: Mode;
}

/** Null or absent members stay unchanged. */
interface WebhookBody {
  readonly url: string | null;
  readonly types: readonly string[] | null;
  readonly description: string | null;
  readonly order: 'any' | 'in_order' | null;
  readonly state: 'on' | 'off' | null;
}

/** The key found by the authorization. */
const keyOf = (call: ApiCall) => call.caller as ServiceCaller | AccountCaller;
const actorOf = (call: ApiCall): AuditActor => `key:${keyOf(call).keyId}`;
const idOf = (call: ApiCall): string => call.params.webhook_id!;
const rulesOf = ({ mode }: WebhooksApp) => ({ allowsLoopback: mode === 'sandbox' });

/** Runs the work on a webhook of this key in one database transaction; the result is the answer's body. */
const inTx =
  (app: WebhooksApp, work: (tx: Tx, call: ApiCall) => Promise<unknown>): Operation =>
  async (call) => ({
    body: await app.db.tx(async (tx) => {
      await lockEndpoint(tx, idOf(call), keyOf(call));
      return work(tx, call);
    }),
  });

/**
 * Runs once per Idempotency-Key. A secret cannot be read again, so a repeated call returns the same webhook with a new
 * secret. The first secret also signs for a day, in case the first answer arrived after all.
 */
const create =
  (app: WebhooksApp): Operation =>
  async (call) => {
    const { replayed, result } = await app.db.tx((tx) => createOnce(app, tx, call));
    if ('refusal' in result) return refuse(result.refusal, replayed, call.requestId);
    const { endpoint, secret } = result.answer;
    const body = { ...renderEndpoint(endpoint), secret };
    return replayed ? { body, headers: REPLAYED } : { body };
  };

async function createOnce(
  app: WebhooksApp,
  tx: Tx,
  call: ApiCall,
): Promise<Replayable<{ readonly endpoint: Endpoint; readonly secret: string }>> {
  const { url, types, description, order } = call.body as unknown as WebhookBody;
  const wish = { url: url!, types: types!, description: description ?? '', inOrder: order === 'in_order' };
  const actor = actorOf(call);
  const key = parseIdempotencyKey(call.headers);
  const work = () => createEndpoint(tx, actor, wish, rulesOf(app), keyOf(call));
  if (key === undefined) return { replayed: false, result: { answer: await work() } };
  // An absent `order` means `any`.
  const hash = hashRequest(wish.url, wish.description, wish.inOrder ? order : null, ...wish.types);
  let made: Awaited<ReturnType<typeof work>> | undefined;
  // Only the id is stored under the key.
  const { replayed, result } = await replayOrRun(tx, { caller: actor, route: call.route, key, hash }, async () => {
    made = await work();
    return made.endpoint.endpointId;
  });
  if ('refusal' in result) return { replayed, result };
  const endpointId = result.answer;
  made ??= {
    endpoint: await getEndpoint(tx, endpointId, keyOf(call)),
    secret: (await rotateSecret(tx, actor, endpointId, null)).secret,
  };
  return { replayed, result: { answer: made } };
}

const list =
  ({ db }: WebhooksApp): Operation =>
  async (call) => ({ body: { webhooks: (await listEndpoints(db, keyOf(call))).map(renderEndpoint) } });

const get =
  ({ db }: WebhooksApp): Operation =>
  async (call) => ({ body: renderEndpoint(await getEndpoint(db, idOf(call), keyOf(call))) });

const change = (app: WebhooksApp): Operation =>
  inTx(app, async (tx, call) => {
    const { url, types, description, order, state } = call.body as unknown as WebhookBody;
    const wish = {
      ...(url !== null && { url }),
      ...(types !== null && { types }),
      ...(description !== null && { description }),
      ...(order !== null && { inOrder: order === 'in_order' }),
      ...(state !== null && { state }),
      // The webhook of an account depends on the key that changed it last.
      ...('userId' in keyOf(call) && { keyId: keyOf(call).keyId }),
    };
    return renderEndpoint(await changeEndpoint(tx, actorOf(call), idOf(call), wish, rulesOf(app)));
  });

const remove = (app: WebhooksApp): Operation =>
  inTx(app, async (tx, call) => {
    await removeEndpoint(tx, actorOf(call), idOf(call));
    return { webhook_id: idOf(call), removed: true };
  });

const rotate = (app: WebhooksApp): Operation =>
  inTx(app, async (tx, call) => {
    const { former_ends_at: ends } = call.body as unknown as { former_ends_at: string | null };
    const former = ends === null ? null : new Date(ends);
    const { secret, formerEndsAt } = await rotateSecret(tx, actorOf(call), idOf(call), former);
    return { webhook_id: idOf(call), secret, former_ends_at: formerEndsAt.toISOString() };
  });

const deliveries =
  ({ db }: WebhooksApp): Operation =>
  async (call) => {
    const { state, limit, cursor } = call.query;
    await getEndpoint(db, idOf(call), keyOf(call));
    const page = await listDeliveries(db, {
      endpointId: idOf(call),
      state: state as DeliveryState | undefined,
      limit: Number.parseInt(limit!, 10),
      cursor,
    });
    return { body: { deliveries: page.items.map(renderDelivery), next_cursor: page.cursor } };
  };

const replay = (app: WebhooksApp): Operation =>
  inTx(app, async (tx, call) => renderDelivery(await replayOne(tx, idOf(call), call.params.event_id!)));

const replayMany = (app: WebhooksApp): Operation =>
  inTx(app, async (tx, call) => {
    const { since, until, cursor } = call.body as unknown as { since: string; until: string; cursor: string | null };
    const span = { since: new Date(since), until: new Date(until), cursor };
    const replayed = await replaySpan(tx, idOf(call), span);
    return { events: replayed.events, next_cursor: replayed.cursor };
  });

const test = (app: WebhooksApp): Operation =>
  inTx(app, async (tx, call) => renderDelivery(await sendTestEvent(tx, idOf(call))));

/** The webhook operations, with a key of the scope `webhooks`. Keyed by the document's operation ids. */
export const webhookOperations = (app: WebhooksApp) => ({
  create_webhook: create(app),
  list_webhooks: list(app),
  get_webhook: get(app),
  change_webhook: change(app),
  remove_webhook: remove(app),
  rotate_webhook_secret: rotate(app),
  list_webhook_deliveries: deliveries(app),
  replay_webhook_event: replay(app),
  replay_webhook_events: replayMany(app),
  test_webhook: test(app),
});

const renderEndpoint = (endpoint: Endpoint) => ({
  webhook_id: endpoint.endpointId,
  url: endpoint.url,
  types: endpoint.types,
  description: endpoint.description,
  order: endpoint.inOrder ? 'in_order' : 'any',
  state: endpoint.isOrphan && endpoint.state === 'on' ? 'failed' : endpoint.state,
  failure: endpoint.isOrphan ? 'its key has ended: change it with another key of the account' : endpoint.failure,
  failing_since: endpoint.failingSince?.toISOString() ?? null,
  created_at: endpoint.createdAt.toISOString(),
});

const renderDelivery = (delivery: Delivery) => ({
  event_id: delivery.eventId,
  type: delivery.type,
  happened_at: delivery.happenedAt.toISOString(),
  state: delivery.state,
  attempts: delivery.attempts,
  next_attempt_at: delivery.dueAt?.toISOString() ?? null,
  last_attempt: delivery.attemptedAt && {
    at: delivery.attemptedAt.toISOString(),
    took_ms: delivery.tookMs,
    status: delivery.status,
    answer: delivery.answer,
    fault: delivery.fault,
  },
  earlier_attempts: delivery.earlier.map((one) => ({ ...one, at: new Date(one.at).toISOString() })),
});
