import { setTimeout as sleep } from 'node:timers/promises';
import { listServiceKeys } from '../../customers/keys/serviceKeys.ts';
import type { Queryable } from '../../db/database.ts';
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryState,
  getDelivery,
  listDeliveries,
  replayOne,
  replaySpan,
  sendTestEvent,
} from '../../events/webhooks/deliveries.ts';
import {
  assignEndpoint,
  changeEndpoint,
  createEndpoint,
  type Endpoint,
  type EndpointChange,
  listEndpoints,
  lockEndpoint,
  removeEndpoint,
  rotateSecret,
} from '../../events/webhooks/endpoints.ts';
import { findUuid } from '../../http/contract/parseUuid.ts';
import { type Given, type Noun, type Options, verb } from '../program/command.ts';
import { CommandFault, misused, unknown } from '../program/faults.ts';
import { parseTime } from '../program/parseTime.ts';
import { refuseOutdated } from '../program/plan.ts';
import { renderFields, renderTable, renderTime, wrap } from '../program/render.ts';

const WISH = {
  type: { type: 'string', multiple: true, value: 'TYPE', summary: 'payment.*, deposit.complete or "*"; repeatable' },
  about: { type: 'string', value: 'TEXT', summary: 'a description for your own use' },
  order: { type: 'string', value: 'ORDER', summary: 'any: as soon as possible; in_order: one event at a time' },
  local: { type: 'boolean', summary: "allow http and this machine in the URL: only a sandbox's worker calls it" },
} as const satisfies Options;

const list = verb({
  summary: 'Shows every webhook, and since when its deliveries fail',
  reads: true,
  async run({ db }) {
    const endpoints = await listEndpoints(db);
    const text = endpoints.map(renderEndpoint).join('\n') || 'There are no webhooks.\n';
    return { text, json: endpoints.map(toJson) };
  },
});

const create = verb({
  summary: 'Creates a webhook and shows its secret once',
  words: ['URL'],
  options: WISH,
  examples: ['webhook create https://shop.example.com/hooks --type "payment.*" --type deposit.complete'],
  async plan({ db, allow }, { words: [url = ''], options }) {
    const { types = ['*'], description = '', inOrder = false } = parseWish(options);
    const rules = rulesOf(options);
    const actor = await allow('webhooks');
    const wish = { url, types, description, inOrder };
    return {
      title: `Create a webhook for ${url}.`,
      changes: [{ what: 'it receives', before: 'nothing', after: `${types.join(' ')}, of all people` }],
      async carryOut() {
        const { endpoint, secret } = await db.tx((tx) => createEndpoint(tx, actor, wish, rules));
        return `${secret}\n\n${renderEndpoint(endpoint)}\n${SHOWN_ONCE}`;
      },
    };
  },
});

const change = verb({
  summary: 'Changes the given options, or turns the webhook off or on',
  words: ['WEBHOOK'],
  options: {
    url: { type: 'string', value: 'URL', summary: 'a new URL' },
    state: { type: 'string', value: 'STATE', summary: 'on or off; turned on again, it misses no events' },
    ...WISH,
  },
  examples: ['webhook change https://shop.example.com/hooks --state on'],
  async plan({ db, allow }, { words: [word = ''], options }) {
    const { url, state } = options;
    if (state !== undefined && state !== 'on' && state !== 'off') throw misused('--state must be on or off');
    const wish: EndpointChange = { ...parseWish(options), ...(url !== undefined && { url }), state };
    const actor = await allow('webhooks');
    const known = await getWebhook(db, word);
    const { endpointId } = known;
    const after = { ...known, ...wish, state: state ?? known.state };
    return {
      title: 'Change this webhook.',
      facts: [['webhook', `${endpointId} ${known.url}`]],
      changes: [
        { what: 'url', before: known.url, after: after.url },
        { what: 'types', before: known.types.join(' '), after: after.types.join(' ') },
        { what: 'order', before: describeOrder(known), after: describeOrder(after) },
        { what: 'state', before: known.state, after: after.state },
        { what: 'about', before: known.description || '-', after: after.description || '-' },
      ].filter((one) => one.before !== one.after),
      carryOut: () =>
        db.tx(async (tx) => {
          refuseOutdated(settingsOf(known), settingsOf(await lockEndpoint(tx, endpointId)));
          return renderEndpoint(await changeEndpoint(tx, actor, endpointId, wish, rulesOf(options)));
        }),
    };
  },
});

const assign = verb({
  summary: 'Gives a webhook to a service key, which then manages it, or to no key',
  about: 'A webhook that no key has is managed by operators only. Webhooks of accounts stay with their account.',
  words: ['WEBHOOK', '[KEY]'],
  examples: ['webhook assign https://shop.example.com/hooks shop'],
  async plan({ db, allow }, { words: [word = '', keyWord] }) {
    const actor = await allow('webhooks');
    const { endpointId, url, keyId, userId } = await getWebhook(db, word);
    if (userId) throw new CommandFault('it belongs to an account: another key of that account can take it over');
    const key = keyWord === undefined ? undefined : await getKeyForWebhooks(db, keyWord);
    return {
      title: 'Change who manages this webhook.',
      facts: [['webhook', `${endpointId} ${url}`]],
      changes: [
        { what: 'managed by', before: keyId ?? 'operators', after: key ? `${key.keyId} ${key.name}` : 'operators' },
      ],
      async carryOut() {
        await db.tx((tx) => assignEndpoint(tx, actor, endpointId, key?.keyId ?? null));
        return `${endpointId} is managed by ${key ? `the key ${key.keyId}` : 'operators'}.\n`;
      },
    };
  },
});

async function getKeyForWebhooks(db: Queryable, word: string) {
  const id = findUuid(word);
  const keys = (await listServiceKeys(db)).filter((key) => !key.revokedAt && key.scopes.includes('webhooks'));
  const found = keys.filter(({ keyId, name }) => keyId === id || name === word);
  if (found.length > 1) throw new CommandFault(`${found.length} keys have the name ${word}: use the id`);
  if (!found[0]) throw unknown(`no key ${word} with the scope webhooks is in use: see florin key list`);
  return found[0];
}

const remove = verb({
  summary: 'Deletes a webhook and its secrets; nothing more is sent',
  words: ['WEBHOOK'],
  async plan({ db, allow }, { words: [word = ''] }) {
    const actor = await allow('webhooks');
    const { endpointId, url, state } = await getWebhook(db, word);
    return {
      title: 'Delete this webhook and its secrets. Its receiver misses all later events.',
      facts: [['webhook', `${endpointId} ${url}`]],
      changes: [{ what: 'state', before: state, after: 'deleted' }],
      async carryOut() {
        await db.tx((tx) => removeEndpoint(tx, actor, endpointId));
        return `Removed ${endpointId} (${url}).\n`;
      },
    };
  },
});

const rotate = verb({
  summary: 'Creates a new secret and shows it once; the former one also signs for a while',
  words: ['WEBHOOK'],
  options: {
    hours: { type: 'string', value: 'HOURS', summary: 'how long both sign; default 24, 0 ends the former immediately' },
  },
  examples: ['webhook rotate https://shop.example.com/hooks --hours 0'],
  async plan({ db, allow }, { words: [word = ''], options }) {
    const { hours } = options;
    if (hours !== undefined && !/^\d{1,3}$/.test(hours)) throw misused('--hours must be a number, 720 at most');
    const actor = await allow('webhooks');
    const { endpointId, url } = await getWebhook(db, word);
    return {
      title: 'Create a new secret for this webhook.',
      facts: [['webhook', `${endpointId} ${url}`]],
      changes: [{ what: 'former secret', before: 'signs', after: `signs for another ${hours ?? '24'} hours` }],
      async carryOut() {
        const ends = hours === undefined ? null : new Date(Date.now() + Number.parseInt(hours, 10) * 3_600_000);
        const { secret, formerEndsAt } = await db.tx((tx) => rotateSecret(tx, actor, endpointId, ends));
        return `${secret}\n\nThe former secret also signs until ${renderTime(formerEndsAt)}.\n${SHOWN_ONCE}`;
      },
    };
  },
});

const deliveries = verb({
  summary: 'Shows deliveries with their answers, newest first, or every attempt of one EVENT',
  words: ['WEBHOOK', '[EVENT]'],
  options: {
    state: { type: 'string', value: 'STATE', summary: `only ${DELIVERY_STATES.join(', ')}` },
    lines: { type: 'string', value: 'NUMBER', summary: 'the most deliveries to show; default 50' },
  },
  examples: ['webhook deliveries https://shop.example.com/hooks --state failed'],
  reads: true,
  async run({ db }, { words: [word = '', eventId], options }) {
    if (eventId !== undefined) return showAttempts(db, (await getWebhook(db, word)).endpointId, eventId);
    const state = DELIVERY_STATES.find((one) => one === options.state);
    if (options.state !== undefined && !state) throw misused(`--state must be one of ${DELIVERY_STATES.join(', ')}`);
    const limit = /^\d{1,4}$/.test(options.lines ?? '50') ? Number.parseInt(options.lines ?? '50', 10) : 0;
    if (limit < 1) throw misused('--lines must be a number from 1 to 9999');
    const { endpointId } = await getWebhook(db, word);
    const { items } = await listDeliveries(db, { endpointId, state, limit });
    const heading = ['event', 'type', 'state', 'tries', 'last answer'];
    const rows = items.map((one) => [one.eventId, one.type, one.state, String(one.attempts), describeAnswer(one)]);
    const text = rows.length > 0 ? renderTable([heading, ...rows]) : 'Nothing was sent yet.\n';
    return { text, json: items.map(deliveryToJson) };
  },
});

async function showAttempts(db: Queryable, endpointId: string, eventId: string) {
  const delivery = await getDelivery(db, endpointId, eventId);
  const { attemptedAt, tookMs, dueAt } = delivery;
  const last = attemptedAt && [renderTime(attemptedAt), `${tookMs} ms`, describeAnswer(delivery)];
  const earlier = delivery.earlier.map((one) => [
    renderTime(new Date(one.at)),
    `${one.took_ms} ms`,
    describeAnswer({ ...one, attemptedAt: new Date(one.at) }),
  ]);
  const next = dueAt ? `The next attempt is due at ${renderTime(dueAt)}.\n` : '';
  const table = last ? renderTable([['attempt ended', 'took', 'answer'], last, ...earlier]) : 'It was not sent yet.\n';
  return { text: `${table}${next}`, json: [deliveryToJson(delivery)] };
}

const replay = verb({
  summary: 'Sends one event again, or all events of a time span',
  words: ['WEBHOOK', '[EVENT]'],
  options: {
    since: { type: 'string', value: 'TIME', summary: 'from 2027-01-31 or 2027-01-31T12:00Z on, in UTC' },
    until: { type: 'string', value: 'TIME', summary: 'until before this time; default now' },
  },
  examples: ['webhook replay https://shop.example.com/hooks --since 2027-01-31 --until 2027-02-01'],
  async plan({ db, allow }, { words: [word = '', eventId], options }) {
    if ((eventId === undefined) === (options.since === undefined))
      throw misused('name an EVENT, or a time with --since');
    const since = options.since === undefined ? undefined : parseTime(options.since);
    const until = options.until === undefined ? new Date() : parseTime(options.until);
    await allow('webhooks');
    const { endpointId, url } = await getWebhook(db, word);
    const what = since ? `all events from ${renderTime(since)} until ${renderTime(until)}` : `the event ${eventId}`;
    return {
      title: `Send ${what} to this webhook again.`,
      facts: [['webhook', `${endpointId} ${url}`]],
      async carryOut() {
        if (since === undefined) {
          await db.tx((tx) => replayOne(tx, endpointId, eventId!));
          return `${eventId} is due now.\n`;
        }
        let events = 0;
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const span = { since, until, cursor: cursor ?? null };
          const part = await db.tx((tx) => replaySpan(tx, endpointId, span));
          events += part.events;
          cursor = part.cursor;
        }
        return `${events} events are due now.\n`;
      },
    };
  },
});

const POLLS = 40;
const LOOK_EVERY_MS = 500;

const test = verb({
  summary: 'Sends a test event and shows the answer',
  words: ['WEBHOOK'],
  async run({ db, allow }, { words: [word = ''] }) {
    await allow('webhooks');
    const { endpointId, state } = await getWebhook(db, word);
    if (state !== 'on') throw new CommandFault('it is off: turn it on with florin webhook change WEBHOOK --state on');
    const { eventId } = await db.tx((tx) => sendTestEvent(tx, endpointId));
    for (let poll = 0; poll < POLLS; poll++) {
      const delivery = await getDelivery(db, endpointId, eventId);
      if (delivery.attemptedAt) {
        return { text: `${delivery.state}: ${describeAnswer(delivery)}\n`, isBad: delivery.state !== 'delivered' };
      }
      await sleep(LOOK_EVERY_MS);
    }
    throw new CommandFault('no worker has sent it yet: see florin doctor');
  },
});

export default {
  about: `Endpoints of other services that receive events, by the Standard Webhooks specification. WEBHOOK is a webhook's id, or
its URL if only one has it.`,
  verbs: { list, create, change, assign, remove, rotate, deliveries, replay, test },
} satisfies Noun;

const SHOWN_ONCE = `${wrap('The secret (whsec_…) is shown only this once. Give it to the receiver, which verifies events with it. A lost secret cannot be recovered: rotate it.').join('\n')}\n`;

const rulesOf = ({ local = false }: Given<typeof WISH>) => ({ allowsLoopback: local });

function parseWish({ type, about, order }: Given<typeof WISH>): EndpointChange {
  if (order !== undefined && order !== 'any' && order !== 'in_order') throw misused('--order must be any or in_order');
  if (about !== undefined && (about.length > 200 || about.includes('\0')))
    throw misused('--about can have at most 200 characters');
  return {
    ...(type !== undefined && { types: type.flatMap((text) => text.split(',')) }),
    ...(about !== undefined && { description: about }),
    ...(order !== undefined && { inOrder: order === 'in_order' }),
  };
}

const describeOrder = ({ inOrder }: { readonly inOrder: boolean }): string =>
  inOrder ? 'one event at a time' : 'as soon as possible';

/** Without what its deliveries change. */
const settingsOf = ({ url, description, types, inOrder, state }: Endpoint) => ({
  url,
  description,
  types,
  inOrder,
  state,
});

/** By id or URL. */
async function getWebhook(db: Queryable, word: string): Promise<Endpoint> {
  const id = findUuid(word);
  const found = (await listEndpoints(db)).filter(({ endpointId, url }) => endpointId === id || url === word);
  if (found.length > 1) throw new CommandFault(`${found.length} webhooks have the URL ${word}: use the id`);
  if (!found[0]) throw unknown(`there is no webhook ${word}: see florin webhook list`);
  return found[0];
}

const renderEndpoint = (endpoint: Endpoint): string =>
  renderFields([
    ['webhook', endpoint.endpointId],
    ['url', endpoint.url],
    ['about', endpoint.description],
    ['types', endpoint.types.join(' ')],
    ['order', describeOrder(endpoint)],
    ['managed by', endpoint.keyId ? `key ${endpoint.keyId}` : 'operators'],
    ['account of', endpoint.userId ? `user ${endpoint.userId}` : undefined],
    [
      'state',
      endpoint.isOrphan
        ? 'stopped: its key has ended'
        : endpoint.failure
          ? `switched off: ${endpoint.failure}`
          : endpoint.state,
    ],
    ['failing since', endpoint.failingSince ? renderTime(endpoint.failingSince) : undefined],
    ['created', renderTime(endpoint.createdAt)],
  ]);

const describeAnswer = ({
  attemptedAt,
  status,
  answer,
  fault,
}: Pick<Delivery, 'attemptedAt' | 'status' | 'answer' | 'fault'>): string => {
  if (!attemptedAt) return '-';
  return fault ?? `${status}${answer ? ` ${answer.slice(0, 60)}` : ''}`;
};

const toJson = (endpoint: Endpoint) => ({
  webhook_id: endpoint.endpointId,
  url: endpoint.url,
  description: endpoint.description,
  types: endpoint.types,
  order: endpoint.inOrder ? 'in_order' : 'any',
  state: endpoint.state,
  key_id: endpoint.keyId,
  user_id: endpoint.userId,
  is_stopped: endpoint.isOrphan,
  failure: endpoint.failure,
  failing_since: endpoint.failingSince,
  created_at: endpoint.createdAt,
});

const deliveryToJson = (one: Delivery) => ({
  event_id: one.eventId,
  type: one.type,
  happened_at: one.happenedAt,
  state: one.state satisfies DeliveryState,
  attempts: one.attempts,
  next_attempt_at: one.dueAt,
  attempted_at: one.attemptedAt,
  took_ms: one.tookMs,
  status: one.status,
  answer: one.answer,
  fault: one.fault,
  earlier_attempts: one.earlier,
});
