/** Webhooks through the API, with service keys, on a whole server; its worker delivers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../server/src/db/database.ts';
import { EVENT_TYPES } from '../../server/src/events/eventTypes.ts';
import { readDocument } from '../../server/src/http/contract/readDocument.ts';
import { asAdmin, urlAs } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { evaluate, readAlerts } from '../support/http/alerts.ts';
import type { Answer } from '../support/http/answer.ts';
import { type Receiver, startReceiver } from '../support/http/startReceiver.ts';
import { operate } from '../support/operate.ts';
import { createPerson } from '../support/payments.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { UNKNOWN_USER_ID } from '../support/values.ts';

let florin: TestServer;
let receiver: Receiver;
let key: string;
let other: string;
let worker: Awaited<ReturnType<TestServer['startWorker']>>;

beforeAll(async () => {
  [florin, receiver] = await Promise.all([startTestServer(), startReceiver()]);
  worker = await florin.startWorker();
  [key, other] = (await Promise.all(['webhooks', 'events'].map(createKey))) as [string, string];
});
afterAll(async () => {
  await florin.stop();
  await receiver.stop();
});

async function createKey(scope: string): Promise<string> {
  return (await asOperator('key', 'create', scope, '--scope', scope)).split('\n')[0]!;
}

async function asOperator(...args: string[]): Promise<string> {
  const db = openDatabase(urlAs(florin.databaseUrl, 'operator'), { maxConnections: 2 });
  return operate(db, ...args).finally(() => db.close());
}

const call = (method: string, path: string, body?: unknown, bearer: string | undefined = key): Promise<Answer> =>
  florin.call(method, `/api/v1/webhooks${path}`, body, bearer ? { authorization: `Bearer ${bearer}` } : {});
const codeOf = ({ status, body }: Answer) => [status, body.code];
const create = (wish: Record<string, unknown> = {}) => call('POST', '', { url: receiver.url, types: ['*'], ...wish });

describe('a webhook', () => {
  it('is created, tested, changed, given another secret, and removed', async () => {
    const made = await create({ types: ['payment.*', 'kyc.approved'], description: 'The shop' });
    const { secret, ...shown } = made.body;
    expect(made.status).toBe(200);
    expect(secret).toMatch(/^whsec_/);
    expect(shown).toMatchObject({
      url: receiver.url,
      order: 'any',
      state: 'on',
      description: 'The shop',
      failure: null,
    });
    const path = `/${shown.webhook_id}`;
    expect((await call('GET', path)).body).toEqual(shown);
    expect((await call('GET', '')).body.webhooks).toContainEqual(shown);

    receiver.trust(secret);
    const tested = await call('POST', `${path}/test`);
    expect(tested.body).toMatchObject({ type: 'webhook.test', state: 'waiting', attempts: 0, last_attempt: null });
    const delivered = await eventually(async () => {
      const { deliveries } = (await call('GET', `${path}/deliveries?state=delivered`)).body;
      expect(deliveries).toHaveLength(1);
      return deliveries[0];
    });
    expect(delivered.earlier_attempts).toEqual([]);
    expect(delivered).toMatchObject({ event_id: tested.body.event_id, last_attempt: { status: 204, fault: null } });
    expect(receiver.heard).toMatchObject([{ id: tested.body.event_id, type: 'webhook.test' }]);

    const again = await call('POST', `${path}/deliveries/${tested.body.event_id}/replay`);
    expect([again.status, again.body.state]).toEqual([200, 'waiting']);
    await eventually(async () => {
      const [replayed] = (await call('GET', `${path}/deliveries?state=delivered`)).body.deliveries;
      expect(replayed.earlier_attempts).toEqual([delivered.last_attempt]);
    });

    const rotated = await call('POST', `${path}/rotate`, {});
    receiver.trust(secret, rotated.body.secret);
    await call('POST', `${path}/test`);
    await eventually(() => expect(receiver.heard).toHaveLength(3));
    expect(receiver.doubts).toEqual([]);

    const off = await call('PATCH', path, { state: 'off', types: ['*'], order: 'in_order', description: '' });
    expect(off.body).toMatchObject({
      state: 'off',
      types: ['*'],
      order: 'in_order',
      description: '',
      url: receiver.url,
    });
    expect((await call('PATCH', path, { state: 'on' })).body).toMatchObject({ state: 'on', order: 'in_order' });
    const span = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
    expect((await call('POST', `${path}/replay`, span)).body).toEqual({ events: 0, next_cursor: null });
    expect((await call('DELETE', path)).body).toEqual({ webhook_id: shown.webhook_id, removed: true });
    expect(codeOf(await call('GET', path))).toEqual([404, 'webhook.unknown']);
    const [entry] = await asAdmin<{ actor: string }>(
      florin.databaseUrl,
      `SELECT actor FROM audit_log WHERE action = 'webhook.removed'`,
    );
    expect(entry!.actor).toMatch(/^key:/);
    const everything = [...florin.logLines, ...worker.logLines].join('');
    for (const shy of [secret, rotated.body.secret]) expect(everything).not.toContain(shy.slice(6));
  });

  it('is created once under an Idempotency-Key; a repeated call returns another secret, and both sign', async () => {
    const wish = { url: receiver.url, types: ['kyc.*'], description: 'once' };
    const repeat = (key: string, more = {}) =>
      florin.call(
        'POST',
        '/api/v1/webhooks',
        { ...wish, ...more },
        {
          authorization: `Bearer ${key}`,
          'idempotency-key': 'the-shop',
        },
      );
    const [first, again] = [await repeat(key), await repeat(key)];
    const { secret: _, ...webhook } = first.body;
    expect(again.body).toEqual({ ...webhook, secret: expect.stringMatching(/^whsec_/) });
    expect(again.body.secret).not.toBe(first.body.secret);
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    const listed = (await call('GET', '')).body.webhooks.filter(
      (one: { description: string }) => one.description === 'once',
    );
    expect(listed).toHaveLength(1);
    receiver.trust(first.body.secret, again.body.secret);
    const before = receiver.heard.length;
    await call('POST', `/${webhook.webhook_id}/test`);
    await eventually(() => expect(receiver.heard).toHaveLength(before + 1));
    expect(codeOf(await repeat(key, { types: ['*'] }))).toEqual([422, 'idempotency.mismatch']);
    // Another service key is another caller with its own idempotency keys.
    const second = await createKey('webhooks');
    const other = await repeat(second);
    expect(other.body.webhook_id).not.toBe(webhook.webhook_id);
    // A service manages only its own webhooks.
    expect(codeOf(await call('DELETE', `/${other.body.webhook_id}`))).toEqual([404, 'webhook.unknown']);
    await call('DELETE', `/${other.body.webhook_id}`, undefined, second);
    await call('DELETE', `/${webhook.webhook_id}`);
    expect(codeOf(await repeat(key))).toEqual([404, 'webhook.unknown']);
  });

  it('is managed only with a key of the scope webhooks', async () => {
    expect(codeOf(await call('GET', '', undefined, ''))).toEqual([401, 'auth.required']);
    expect(codeOf(await call('GET', '', undefined, other))).toEqual([403, 'auth.scope']);
    expect(codeOf(await call('POST', '', { url: receiver.url, types: ['*'] }, other))).toEqual([403, 'auth.scope']);
    const { access_token: person } = (await florin.logIn('ada@example.com')).body;
    expect(codeOf(await call('GET', '', undefined, person))).toEqual([401, 'auth.invalid']);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['plain http to another host', { url: 'http://shop.example.com/hooks' }, 'webhook.url'],
    ['another port', { url: 'https://shop.example.com:9000/' }, 'webhook.url'],
    ['credentials in it', { url: 'https://user:pass@shop.example.com/' }, 'webhook.url'],
    ['no URL at all', { url: 'shop' }, 'webhook.url'],
    ['an unknown type', { types: ['payment.lost'] }, 'event.unknown_type'],
    ['an unknown group', { types: ['wallet.*'] }, 'event.unknown_type'],
    ['two types in one text', { types: ['payment.*,deposit.*'] }, 'event.unknown_type'],
  ])('with %s is refused', async (_, wish, code) => {
    expect(codeOf(await create(wish))).toEqual([400, code]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no types', { types: [] }],
    ['types that are not a list', { types: 'payment.*' }],
    ['a type that is not text', { types: [7] }],
    ['an unknown order', { order: 'random' }],
    ['a long description', { description: 'x'.repeat(201) }],
    ['no URL', { url: null }],
  ])('with %s is refused by the document', async (_, wish) => {
    expect((await create(wish)).status).toBe(422);
  });

  it('that does not exist, and an invalid position or time, have error codes', async () => {
    const { webhook_id: id } = (await create()).body;
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', {}],
      ['DELETE', ''],
      ['POST', '/rotate', {}],
      ['GET', '/deliveries'],
      ['POST', '/deliveries/evt_1/replay'],
      ['POST', '/replay', { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }],
      ['POST', '/test'],
    ] as const)
      expect(codeOf(await call(method, `/${UNKNOWN_USER_ID}${path}`, body))).toEqual([404, 'webhook.unknown']);
    expect(codeOf(await call('POST', `/${id}/deliveries/evt_1/replay`))).toEqual([404, 'webhook.event_unknown']);
    expect(codeOf(await call('GET', `/${id}/deliveries?cursor=nonsense`))).toEqual([400, 'cursor.invalid']);
    const span = { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' };
    expect(codeOf(await call('POST', `/${id}/replay`, span))).toEqual([400, 'webhook.span']);
    const late = { former_ends_at: '2099-01-01T00:00:00Z' };
    expect(codeOf(await call('POST', `/${id}/rotate`, late))).toEqual([400, 'webhook.span']);
    expect((await call('GET', '/nonsense')).status).toBe(422);
    await call('DELETE', `/${id}`);
  });

  it('counts against a limit of a hundred', async () => {
    await asAdmin(
      florin.databaseUrl,
      `INSERT INTO webhook_endpoints (endpoint_id, url, description, types, in_order, place, state)
       SELECT gen_random_uuid(), 'https://example.com', 'many', '{*}', false, 0, 'off' FROM generate_series(1, 100)`,
    );
    expect(codeOf(await create())).toEqual([409, 'webhook.too_many']);
    await asAdmin(florin.databaseUrl, `UPDATE webhook_endpoints SET removed_at = now() WHERE description = 'many'`);
  });
});

it('that was switched off is reported in the log and by an alert', async () => {
  const { webhook_id: id, secret } = (await create({ types: ['deposit.*'] })).body;
  receiver.trust(secret);
  receiver.answer((response) => response.writeHead(410).end());
  const db = openDatabase(florin.databaseUrl, { maxConnections: 2 });
  await createPerson(db, 'zoe', '5').finally(() => db.close());
  const off = await eventually(async () => {
    const { body } = await call('GET', `/${id}`);
    expect(body.state).toBe('failed');
    return body;
  });
  receiver.answer((response) => response.writeHead(204).end());
  const line = worker.logLines.map((one) => JSON.parse(one)).find(({ incident }) => incident === 'webhook');
  expect(line).toMatchObject({ webhook_id: id, failure: off.failure, msg: 'a webhook was switched off' });
  const alert = readAlerts().find(({ name }) => name === 'FlorinWebhookOff')!;
  const metrics = async () => (await fetch(`${worker.opsUrl}/metrics`)).text();
  // Metrics do not wait long for a busy database.
  await eventually(async () => expect(evaluate(alert.expr, await metrics())).toHaveLength(1));
  await call('DELETE', `/${id}`);
  expect(evaluate(alert.expr, await metrics())).toEqual([]);
});

it('operators do the same with their program', async () => {
  const created = await asOperator(
    'webhook',
    'create',
    receiver.url,
    '--local',
    '--type',
    'deposit.*,kyc.*',
    '--about',
    'books',
  );
  const secret = created.split('\n')[0]!;
  receiver.trust(secret);
  receiver.heard.length = 0;
  expect(await asOperator('webhook', 'list')).toContain('deposit.* kyc.*');
  expect(await asOperator('webhook', 'test', receiver.url)).toMatch(/^delivered: 204/);
  const [heard] = receiver.heard;
  const listed = JSON.parse(await asOperator('webhook', 'deliveries', receiver.url, '--json'));
  expect(listed).toMatchObject([{ event_id: heard!.id, state: 'delivered', status: 204 }]);
  expect(await asOperator('webhook', 'deliveries', receiver.url)).toContain(heard!.id);
  expect(await asOperator('webhook', 'deliveries', receiver.url, heard!.id)).toMatch(/attempt ended.*\n.* ms +204/);
  await expect(asOperator('webhook', 'deliveries', receiver.url, 'evt_other')).rejects.toThrow('webhook.event_unknown');
  expect(await asOperator('webhook', 'replay', receiver.url, heard!.id)).toContain('is due now');
  expect(await asOperator('webhook', 'replay', receiver.url, '--since', '2026-01-01')).toMatch(
    /^\d+ events are due now/,
  );
  const rotated = await asOperator('webhook', 'rotate', receiver.url, '--hours', '0');
  expect(rotated).toMatch(/^whsec_/);
  expect(await asOperator('webhook', 'change', receiver.url, '--state', 'off', '--order', 'in_order')).toContain(
    'one event at a time',
  );
  await expect(asOperator('webhook', 'test', receiver.url)).rejects.toThrow('it is off');
  expect(await asOperator('webhook', 'remove', receiver.url)).toMatch(/^Removed/);
  await expect(asOperator('webhook', 'remove', receiver.url)).rejects.toThrow('there is no webhook');
  for (const [args, said] of [
    [['create', 'http://127.0.0.1:1/'], 'webhook.url'],
    [['create', receiver.url, '--local', '--type', 'coffee'], 'event.unknown_type'],
    [['create', receiver.url, '--order', 'up'], /--order must be/],
    [['replay', receiver.url], /name an EVENT/],
  ] as const)
    await expect(asOperator('webhook', ...args)).rejects.toThrow(said);
});

it('the document has every event type, each in one message', () => {
  const { webhooks, components } = readDocument('backend') as unknown as {
    webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: { $ref: string } }> } } }>;
    components: { schemas: Record<string, { properties: { type: { enum?: string[]; const?: string } } }> };
  };
  const types = Object.values(webhooks).flatMap(({ post }) => {
    const name = post.requestBody.content['application/json']!.schema.$ref.split('/').at(-1)!;
    const { type } = components.schemas[name]!.properties;
    return type.enum ?? [type.const];
  });
  expect(types.toSorted()).toEqual([...EVENT_TYPES, 'webhook.test'].toSorted());
});
