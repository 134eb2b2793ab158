/** Keys that people create for their own account, on a whole server whose worker delivers. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../server/src/db/database.ts';
import { addressOf } from '../../server/src/http/connections/findAddress.ts';
import { noteRestore } from '../../server/src/operators/restores.ts';
import { asAdmin, urlAs } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { bearer } from '../support/http/answer.ts';
import { type Receiver, startReceiver } from '../support/http/startReceiver.ts';
import { codeOf, collectStream, type Owner, openOwners } from '../support/people/openOwners.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let florin: TestServer;
let receiver: Receiver;
let owners: ReturnType<typeof openOwners>;
beforeAll(async () => {
  [florin, receiver] = await Promise.all([
    startTestServer({ FLORIN_TRUSTED_PROXIES: '127.0.0.1,::1' }),
    startReceiver(),
  ]);
  owners = openOwners(florin);
  await florin.startWorker();
  await join('shop', '1');
});
afterAll(async () => {
  await owners.close();
  await florin.stop();
  await receiver.stop();
});

const ENDED = [401, 'auth.invalid', 'revoked'];
const PAYS = { scopes: ['pay'], payment_limit: 100, day_limit: 100 };
const join = (...args: Parameters<typeof owners.join>) => owners.join(...args);
const create = (...args: Parameters<typeof owners.create>) => owners.create(...args);
const pay = (...args: Parameters<typeof owners.pay>) => owners.pay(...args);
const read = (...args: Parameters<typeof owners.read>) => owners.read(...args);
const payDirectly = (...args: Parameters<typeof owners.payDirectly>) => owners.payDirectly(...args);
const asOperator = (...args: string[]) => owners.asOperator(...args);

describe('creating a key', () => {
  it('shows it once, lists it with its last use, and tells the person', async () => {
    const ada = await join('ada');
    const wanted = {
      name: ' Till ',
      scopes: ['read', 'pay'],
      payment_limit: 5,
      day_limit: 20.5,
      addresses: ['10.1.2.3/8', '::1/64'],
    };
    const { body, id } = await create(ada, { ...wanted, addresses: undefined });
    expect(body).toMatchObject({
      key: expect.stringMatching(/^fak_[\w-]{43}$/),
      user_id: ada.userId,
      name: 'Till',
      scopes: ['read', 'pay'],
      state: 'active',
      limits: { payment: '5', day: '20.5', month: null },
      addresses: null,
      expires_at: null,
      last_used_at: null,
    });
    expect((await read(bearer(body.key))).body.user.user_id).toBe(ada.userId);
    const { key, ...shown } = body;
    const [listed] = (await florin.call('GET', '/api/v1/keys', undefined, ada.session)).body.keys;
    expect(listed).toEqual({ ...shown, last_used_at: expect.any(String) });
    await eventually(async () => {
      const { events } = (await florin.call('GET', '/api/v1/events?types=key.*', undefined, ada.session)).body;
      expect(events).toMatchObject([
        { type: 'key.created', key_id: id, user_ids: [ada.userId], object: { name: 'Till' } },
      ]);
    });
    expect(await asOperator('key', 'accounts', 'ada')).toContain(id);
    expect(JSON.stringify(florin.logLines)).not.toContain(key.slice(4));
  });

  it('needs a login of the last five minutes, however fresh the token', async () => {
    const { body } = await florin.logIn('olga@example.com');
    const old = `UPDATE sessions SET created_at = now() - interval '301 seconds' WHERE user_id = '${body.user.user_id}'`;
    await asAdmin(florin.databaseUrl, old);
    const renewed = await florin.call('POST', '/api/v1/sessions/refresh', { refresh_token: body.refresh_token });
    const wanted = { name: 'Shop', ...PAYS };
    const refused = await florin.call('POST', '/api/v1/keys', wanted, bearer(renewed.body.access_token));
    expect(codeOf(refused)).toEqual([403, 'auth.old_login']);
    const again = await florin.logIn('olga@example.com');
    expect((await florin.call('POST', '/api/v1/keys', wanted, bearer(again.body.access_token))).status).toBe(200);
  });

  it.each([
    ['a key that pays without limits', { scopes: ['pay'] }, [400, 'key.invalid']],
    ['a key that pays without a limit per day', { scopes: ['payouts'], payment_limit: 5 }, [400, 'key.invalid']],
    ['an end in the past', { scopes: ['read'], expires_at: '2026-01-01T00:00:00Z' }, [400, 'key.invalid']],
    ['an address that is none', { scopes: ['read'], addresses: ['here'] }, [400, 'key.invalid']],
    ['an IPv6 range without clients', { scopes: ['read'], addresses: ['2001:db8::/65'] }, [400, 'key.invalid']],
    ['an IPv4 address in IPv6 form', { scopes: ['read'], addresses: ['::ffff:10.0.0.1'] }, [400, 'key.invalid']],
    ['a scope of services', { scopes: ['events'] }, [422]],
    ['a limit with seven decimals', { scopes: ['pay'], payment_limit: 1e-7, day_limit: 1 }, [400, 'amount.precision']],
  ])('refuses %s', async (_, wanted, code) => {
    const { body } = await florin.logIn('ivy@example.com');
    const refused = await florin.call('POST', '/api/v1/keys', { name: 'x', ...wanted }, bearer(body.access_token));
    expect(codeOf(refused).slice(0, code.length)).toEqual(code);
  });

  it('refuses the twenty-first key, until one is revoked', async () => {
    const max = await join('max');
    const keys = [];
    for (let n = 0; n < 20; n++) keys.push(await create(max, { scopes: ['read'] }));
    const more = () => florin.call('POST', '/api/v1/keys', { name: 'x', scopes: ['read'] }, max.session);
    expect(codeOf(await more())).toEqual([409, 'key.too_many']);
    await florin.call('DELETE', `/api/v1/keys/${keys[0]!.id}`, undefined, max.session);
    expect((await more()).status).toBe(200);
  });
});

describe('limits', () => {
  it('hold for parallel payments to people and requests together', async () => {
    const cap = await join('cap');
    const { as, id } = await create(cap, { scopes: ['pay'], payment_limit: 10, day_limit: 25 });
    expect(codeOf(await pay(cap, as, 10.01))).toEqual([403, 'key.limit_exceeded', 'payment']);
    const asked = (
      await florin.call('POST', '/api/v1/requests', { amount: 7, payer_username: 'cap' }, (await join('zoe')).session)
    ).body;
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => pay(cap, as, 7)),
      florin.call('POST', `/api/v1/requests/${asked.request_id}/pay`, undefined, as),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(codeOf(answer)).toEqual([403, 'key.limit_exceeded', 'day']);
    expect((await pay(cap, as, 4)).status).toBe(200);
    expect(codeOf(await pay(cap, as, 0.000001))).toEqual([403, 'key.limit_exceeded', 'day']);
    const spent = await asAdmin<{ hour_spent: string }>(
      florin.databaseUrl,
      `SELECT hour_spent::text FROM key_budgets WHERE key_id = '${id}' AND pays = 'people'`,
    );
    expect(spent).toEqual([{ hour_spent: '25000000' }]);
    // The session of the same person has no such limit.
    expect((await pay(cap, cap.session, 30)).status).toBe(200);
  });

  it('leave a repeated payment its first answer, and count it once', async () => {
    const rex = await join('rex');
    const { as } = await create(rex, { scopes: ['pay'], payment_limit: 10, day_limit: 10 });
    const key = { 'idempotency-key': randomUUID() };
    const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => pay(rex, as, 10, key)));
    for (const other of others) expect(other.body.transaction_id).toBe(first!.body.transaction_id);
    const late = { 'idempotency-key': randomUUID() };
    const refused = await pay(rex, as, 10, late);
    expect(codeOf(refused)).toEqual([403, 'key.limit_exceeded', 'day']);
    const again = await pay(rex, as, 10, key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    // A refusal is stored, as for sends; another amount under its key is another request.
    expect((await pay(rex, as, 10, late)).headers.get('idempotency-replayed')).toBe('true');
    expect(codeOf(await pay(rex, as, 9, late))).toEqual([422, 'idempotency.mismatch']);
    // The same key of the same person by session is the same payment.
    expect((await pay(rex, rex.session, 10, key)).headers.get('idempotency-replayed')).toBe('true');
  });

  it('of the account come first: balance, pause and identity check', async () => {
    const lim = await join('lim', '5');
    const { as } = await create(lim);
    expect(codeOf(await pay(lim, as, 6))).toEqual([409, 'balance.insufficient']);
    await asOperator('pause', 'add', `user:${lim.name}`, '--why', 'a test');
    expect(codeOf(await pay(lim, as, 1)).slice(0, 2)).toEqual([403, 'user.paused']);
  });
});

describe('a key ends', () => {
  it.each<readonly [string, (owner: Owner, id: string) => Promise<unknown>, readonly unknown[]]>([
    ['when it is revoked', (owner, id) => florin.call('DELETE', `/api/v1/keys/${id}`, undefined, owner.session), ENDED],
    ['when an operator revokes it', (_, id) => asOperator('key', 'revoke', id), ENDED],
    [
      'when the person logs out everywhere',
      (owner) => florin.call('DELETE', '/api/v1/sessions', undefined, owner.session),
      ENDED,
    ],
    [
      'when an operator logs the person out',
      (owner) => asOperator('user', 'logout', owner.name, '--why', 'a test'),
      ENDED,
    ],
    [
      'when it expires',
      (_, id) => asAdmin(florin.databaseUrl, `UPDATE key_rules SET expires_at = now() WHERE key_id = '${id}'`),
      [401, 'auth.invalid', 'expired'],
    ],
  ])('%s: for reads, payments and webhooks alike', async (how, end, code) => {
    const owner = await join(
      `end${[...how].length}${how.includes('operator') ? 'op' : ''}`.replace(/\d/g, (d) => 'abcdefghij'[Number(d)]!),
    );
    const { as, id } = await create(owner, { ...PAYS, scopes: ['read', 'pay', 'webhooks'] });
    expect([(await read(as)).status, (await pay(owner, as, 1)).status]).toEqual([200, 200]);
    const hook = await florin.call('POST', '/api/v1/webhooks', { url: receiver.url, types: ['*'] }, as);
    await end(owner, id);
    expect([codeOf(await read(as)), codeOf(await pay(owner, as, 1))]).toEqual([code, code]);
    const { rows } = await worksFor(hook.body.webhook_id);
    expect(rows).toBe(false);
    await expect(payDirectly(owner, id)).resolves.toEqual(code[2]);
  });

  it('when the account is closed', async () => {
    const { body } = await florin.logIn('gone@example.com');
    const session = bearer(body.access_token);
    const made = await florin.call('POST', '/api/v1/keys', { name: 'x', scopes: ['read'] }, session);
    await florin.call('POST', '/api/v1/me/close', { confirm: true }, session);
    expect(codeOf(await read(bearer(made.body.key)))).toEqual(ENDED);
  });
});

async function worksFor(endpointId: string) {
  const [row] = await asAdmin<{ works: boolean }>(
    florin.databaseUrl,
    `SELECT webhook_works(key_id) AS works FROM webhook_endpoints WHERE endpoint_id = '${endpointId}'`,
  );
  return { rows: row!.works };
}

it('PostgreSQL refuses a key without the scope, and the money of others', async () => {
  const [una, vic] = [await join('una'), await join('vic')];
  const reads = await create(una, { scopes: ['read', 'payouts'], payment_limit: 1, day_limit: 1 });
  expect(await payDirectly(una, reads.id)).toBe('pay');
  const pays = await create(una);
  expect(await payDirectly(vic, pays.id)).toBe('wallet');
  expect(codeOf(await pay(vic, pays.as, 1))).toEqual([403, 'auth.forbidden']);
});

describe('address ranges', () => {
  const CASES = [
    ['203.0.113.0/24', '203.0.113.9', true],
    ['203.0.113.0/24', '203.0.114.9', false],
    ['203.0.113.9', '203.0.113.9', true],
    ['2001:db8::/48', '2001:db8:0:7::1', true],
    ['2001:db8:0:7::/64', '2001:db8:0:7:ffff::1', true],
    ['2001:db8:0:7::/64', '2001:db8:0:8::1', false],
    ['::/0', '203.0.113.9', false],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['0.0.0.0/0', '::ffff:203.0.113.9', true],
    ['10.1.2.3/8', '10.9.9.9', true],
  ] as const;
  it.each(CASES)('%s and the client %s: %s, for reads, payments and sends alike', async (range, client, isIn) => {
    nets ??= join('net');
    const net = await nets;
    const { as, id } = await create(net, {
      scopes: ['read', 'pay'],
      payment_limit: 1,
      day_limit: 5,
      addresses: [range],
    });
    const from = { ...as, 'x-forwarded-for': client };
    const refused = [401, 'auth.invalid', 'address'];
    expect([codeOf(await read(from)), codeOf(await pay(net, from, 0.1))]).toEqual(
      isIn ? [[200], [200]] : [refused, refused],
    );
    // What decides about sends and payouts, and about payments whose server has cached the key.
    const [sends] = await asAdmin<{ said: unknown }>(
      florin.databaseUrl,
      `SELECT find_key_refusals(ARRAY['${id}'::uuid], ARRAY[NULL::bytea], ARRAY['${addressOf(client)}'::inet])->'1' AS said`,
    );
    expect(sends!.said).toEqual(isIn ? null : { code: 'auth.invalid', details: { reason: 'address' } });
    expect(await payDirectly(net, id, addressOf(client))).toBe(isIn ? undefined : 'address');
    await florin.call('DELETE', `/api/v1/keys/${id}`, undefined, net.session);
  });
  let nets: Promise<Owner> | undefined;
});

it('webhooks, feed and stream of a key carry the events of its account, all of them and no others', async () => {
  const people = [await join('wanda'), await join('willi'), await join('xaver')];
  const [wanda, willi, xaver] = people as [Owner, Owner, Owner];
  const unsettled = 'SELECT seq::text FROM feed WHERE seq >= ledger_settled_seq()';
  const settled = () => eventually(async () => expect(await asAdmin(florin.databaseUrl, unsettled)).toEqual([]));
  const { as, id } = await create(wanda, { scopes: ['read', 'webhooks'] });
  // A webhook begins where the feed has settled, which can be before its key.
  await settled();
  const hook = (await florin.call('POST', '/api/v1/webhooks', { url: receiver.url, types: ['*'] }, as)).body;
  receiver.trustAny(hook.secret);
  const stream = await fetch(`${florin.backendUrl}/api/v1/events/stream`, { headers: as });
  const streamed = collectStream(stream);
  for (let n = 0; n < 24; n++) {
    const [from, to] = [people[n % 3]!, people[(n + 1 + (n % 2)) % 3]!];
    if (n % 4 === 3)
      await florin.call('POST', '/api/v1/requests', { amount: 1, payer_username: to.name }, from.session);
    else
      await florin.call(
        'POST',
        '/api/v1/send_usdc',
        { sender_user_id: from.userId, receiver_username: to.name, amount: 0.01 },
        from.session,
      );
  }
  await create(xaver, { scopes: ['read'] });
  await pay(wanda, wanda.session, 1);
  const expected = async () => {
    const found = await asAdmin<{ event_id: string }>(
      florin.databaseUrl,
      `SELECT event_id FROM read_events(0, NULL, 100000, 100000) WHERE '${wanda.userId}' = ANY (people)
          AND seq > (SELECT seq FROM key_events WHERE key_id = '${id}' AND state = 'created') ORDER BY seq`,
    );
    return found.map((one) => one.event_id);
  };
  // Until then, more of these events can appear.
  await settled();
  const own = await eventually(async () => {
    const ids = await expected();
    expect(ids.length).toBeGreaterThan(15);
    expect(receiver.heard.map((one) => one.id).filter((one) => ids.includes(one))).toHaveLength(ids.length);
    return ids;
  });
  expect(receiver.heard.map((one) => one.id).sort()).toEqual(own);
  for (const { data } of receiver.heard) expect(data.user_ids).toEqual([wanda.userId]);
  const feed = (await florin.call('GET', `/api/v1/events?limit=200`, undefined, as)).body.events;
  expect(feed.map((one: { id: string }) => one.id).slice(-own.length)).toEqual(own);
  for (const one of feed) expect(one.user_ids).toEqual([wanda.userId]);
  await eventually(() => expect(streamed.ids().filter((one) => own.includes(one))).toEqual(own));
  expect(streamed.text()).not.toContain(willi.userId);

  // Another key of the account takes the webhook over; a key of another account does not see it.
  const path = `/api/v1/webhooks/${hook.webhook_id}`;
  const foreign = await create(willi, { scopes: ['webhooks'] });
  expect(codeOf(await florin.call('GET', path, undefined, foreign.as))).toEqual([404, 'webhook.unknown']);
  const second = await create(wanda, { scopes: ['webhooks'] });
  await florin.call('DELETE', `/api/v1/keys/${id}`, undefined, wanda.session);
  await eventually(() => expect(streamed.isOver()).toBe(true));
  expect((await florin.call('GET', path, undefined, second.as)).body).toMatchObject({ state: 'failed' });
  await pay(wanda, wanda.session, 1);
  expect((await florin.call('PATCH', path, { state: 'on' }, second.as)).body).toMatchObject({
    state: 'on',
    failure: null,
  });
  await eventually(async () => expect(receiver.heard.map((one) => one.id).sort()).toEqual(await expected()));
  // Its deliveries never pass to another account, whatever a server asks for.
  const steal = `UPDATE webhook_endpoints SET key_id = '${foreign.id}' WHERE endpoint_id = '${hook.webhook_id}'`;
  await expect(asAdmin(florin.databaseUrl, steal)).rejects.toThrow(/keeps its account/);
});

it('a payout by a key pays from its own account only, within the same limits, and its events belong to the owner', async () => {
  const pia = await join('pia');
  const { as } = await create(pia, { scopes: ['payouts', 'read'], payment_limit: 5, day_limit: 8 });
  const file = { rows: [3, 4, 4].map((amount, n) => ({ reference: `r${n}`, to: 'shop', amount: String(amount) })) };
  expect(codeOf(await florin.call('POST', '/api/v1/payouts?payer=rex', file, as)).slice(0, 2)).toEqual([
    403,
    'key.not_allowed',
  ]);
  const wrong = { rows: [{ reference: 'x', to: 'shop', amount: '6' }] };
  expect((await florin.call('POST', '/api/v1/payouts', wrong, as)).body.errors).toMatchObject([
    { code: 'key.limit_exceeded' },
  ]);
  const made = await florin.call('POST', '/api/v1/payouts?on_shortage=fail', file, as);
  expect(made.status).toBe(200);
  const sum = { count: made.body.count, total: made.body.total };
  await florin.call('POST', `/api/v1/payouts/${made.body.payout_id}/confirm`, sum, as);
  await eventually(async () => {
    const { body } = await florin.call('GET', `/api/v1/payouts/${made.body.payout_id}`, undefined, as);
    expect(body.state).toBe('complete');
  });
  const { items } = (await florin.call('GET', `/api/v1/payouts/${made.body.payout_id}/items`, undefined, as)).body;
  expect(items.map((one: { state: string }) => one.state)).toEqual(['paid', 'paid', 'failed']);
  await eventually(async () => {
    const { events } = (await florin.call('GET', '/api/v1/events?types=payout.*', undefined, pia.session)).body;
    expect(events.map((one: { type: string }) => one.type).at(-1)).toBe('payout.complete');
  });
});

it('services manage only their own webhooks, and earlier ones belong to operators until they are assigned', async () => {
  const keyOf = async (name: string) => {
    const said = await asOperator('key', 'create', name, '--scope', 'webhooks');
    return bearer(said.split('\n')[0]!);
  };
  const [one, two] = [await keyOf('one'), await keyOf('two')];
  const made = await florin.call('POST', '/api/v1/webhooks', { url: receiver.url, types: ['kyc.*'] }, one);
  const path = `/api/v1/webhooks/${made.body.webhook_id}`;
  const UNKNOWN = [404, 'webhook.unknown'];
  for (const [method, rest, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { state: 'off' }],
    ['POST', '/rotate', {}],
    ['POST', '/test', undefined],
    ['GET', '/deliveries', undefined],
    ['POST', '/replay', { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }],
    ['DELETE', '', undefined],
  ] as const)
    expect(codeOf(await florin.call(method, path + rest, body, two))).toEqual(UNKNOWN);
  expect((await florin.call('GET', '/api/v1/webhooks', undefined, two)).body.webhooks).toEqual([]);
  await asOperator('webhook', 'assign', made.body.webhook_id, 'two');
  expect(codeOf(await florin.call('GET', path, undefined, one))).toEqual(UNKNOWN);
  expect((await florin.call('DELETE', path, undefined, two)).status).toBe(200);
});

it('a restore of the database ends every key for good', async () => {
  const tom = await join('tom');
  const { as } = await create(tom, { scopes: ['read'] });
  const operator = openDatabase(urlAs(florin.databaseUrl, 'operator'), { maxConnections: 2 });
  await operator.tx((tx) => noteRestore(tx, 'a test', 'operator:anna')).finally(() => operator.close());
  expect(codeOf(await read(as))).toEqual(ENDED);
  await asOperator('restore', 'confirm', 'keys');
  await asOperator('restore', 'confirm', 'sessions');
  expect(codeOf(await read(as))).toEqual(ENDED);
  expect((await florin.call('GET', '/api/v1/keys', undefined, tom.session)).body.keys).toEqual([]);
  expect((await read((await create(tom, { scopes: ['read'] })).as)).status).toBe(200);
});
