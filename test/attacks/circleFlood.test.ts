/**
 * Unsigned messages flood the Circle webhook on a real socket. The test counts the requests that reach Circle under our
 * key.
 */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchWebhookKey } from '../../server/src/adapters/wallets/circle/circleWebhooks.ts';
import { openCircle } from '../../server/src/adapters/wallets/circle/openCircle.ts';
import { keepWebhookKey } from '../../server/src/custody/signing/keepWebhookKey.ts';
import type { SigningApp } from '../../server/src/custody/signing/signingApp.ts';
import {
  createRateLimits,
  type RateLimits,
  type RatePolicy,
} from '../../server/src/customers/limits/createRateLimits.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { type DedicatedConnection, openDedicatedConnection } from '../../server/src/db/openDedicatedConnection.ts';
import { parseRanges } from '../../server/src/http/connections/findAddress.ts';
import { createApi } from '../../server/src/http/contract/createApi.ts';
import { readDocument } from '../../server/src/http/contract/readDocument.ts';
import { providerWebhookOperations } from '../../server/src/http/hooks/providerWebhooks.ts';
import { useTestDatabase } from '../support/database/useTestDatabase.ts';
import { PATIENT, urlAs } from '../support/database.ts';
import { fetchChecked } from '../support/http/fetchChecked.ts';
import { listen } from '../support/http/listen.ts';

const database = useTestDatabase();
const newKey = () => ({ id: randomUUID(), ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) });
type Key = ReturnType<typeof newKey>;

/** The keys that we requested from Circle, and the keys that exist there. */
const asked: string[] = [];
const circlesKeys = new Map<string, Key>();
const circle = createServer((request, response) => {
  const id = request.url!.split('/').at(-1)!;
  asked.push(id);
  const key = circlesKeys.get(id);
  const publicKey = key?.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const found = { data: { id, algorithm: 'ECDSA_SHA_256', publicKey, createDate: '2026-01-01T00:00:00Z' } };
  response.writeHead(key ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(key ? found : { code: 404, message: 'Resource not found' }));
});

let logins: Db[];
let connection: DedicatedConnection;
let signer: { fetchWebhookKey(adapter: string, keyId: string): ReturnType<typeof keepWebhookKey> };
let nowMs = 0;
let statements = 0;

/** PostgreSQL has its own clock. On a slow machine an interval of seconds would end in the middle of a test. */
function lengthen({ spend, left }: RateLimits): RateLimits {
  let hour: RatePolicy | undefined;
  return {
    left,
    spend(policy, key) {
      hour ??= { ...policy, windowSeconds: 3_600 };
      return spend(hour, key);
    },
  };
}

/** One server process with its own cache. */
async function startHook() {
  const db = openDatabase(urlAs(database.url, 'server'), PATIENT);
  logins.push(db);
  const query: Db['query'] = (sql, values) => {
    statements++;
    return db.query(sql, values);
  };
  const clock = () => nowMs;
  const app = { db: { ...db, query }, signer, limits: lengthen(createRateLimits(connection, clock)), nowMs: clock };
  const api = createApi({
    name: 'backend',
    document: readDocument('backend'),
    operations: providerWebhookOperations(app),
    partial: true,
    items: 'brief',
    proxies: parseRanges(['127.0.0.1']),
    logger: false,
  });
  const url = await api.listen({ host: '127.0.0.1', port: 0 });
  const post = async (from: string, headers: Record<string, string>, body: string) => {
    const sent = { 'content-type': 'application/json', 'x-forwarded-for': from, ...headers };
    return (await fetchChecked(`${url}/webhooks/circle`, { method: 'POST', headers: sent, body })).status;
  };
  return { post, close: () => api.close() };
}
let first: Awaited<ReturnType<typeof startHook>>;
let second: typeof first;

beforeAll(async () => {
  logins = [openDatabase(urlAs(database.url, 'signer'), PATIENT)];
  connection = openDedicatedConnection(urlAs(database.url, 'server'));
  const options = { url: `http://127.0.0.1:${await listen(circle)}`, apiKey: 'TEST_API_KEY:a:b' };
  const asking = openCircle({ ...options, entitySecret: Buffer.alloc(32), timeoutMs: 60_000 });
  const app = { db: logins[0], webhookKeys: { circle: (keyId: string) => fetchWebhookKey(asking, keyId) } };
  signer = { fetchWebhookKey: (adapter, keyId) => keepWebhookKey(app as unknown as SigningApp, adapter, keyId) };
  [first, second] = [await startHook(), await startHook()];
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  await Promise.all([...logins, connection].map((one) => one.close()));
  await new Promise((done) => circle.close(done));
});

const BODY = JSON.stringify({ notificationType: 'transactions.outbound', notification: { id: randomUUID() } });
const signed = (key: Key, body = BODY) => ({
  'x-circle-key-id': key.id,
  'x-circle-signature': sign('sha256', Buffer.from(body), key.privateKey).toString('base64'),
});
const hear = (key: Key, to = first, from = '192.0.2.1') => to.post(from, signed(key), BODY);
const ATTACKER = '203.0.113.9';
const stranger = newKey();
const invent = (to = first, from = ATTACKER) => hear({ ...stranger, id: randomUUID() }, to, from);
const flood = (count: number, ...rest: Parameters<typeof invent>) =>
  Promise.all(Array.from({ length: count }, () => invent(...rest)));
const addKey = () => {
  const key = newKey();
  circlesKeys.set(key.id, key);
  return key;
};
/** Ends the interval for all processes. */
async function passInterval(): Promise<void> {
  nowMs += 4_000_000;
  await database.db.query(`UPDATE rate_windows SET ends_at = now() - interval '1 second'`);
}
const countAsked = async (work: () => Promise<unknown>) => {
  const before = asked.length;
  await work();
  return asked.length - before;
};

it('asks Circle once per interval, for any number of key ids and processes', async () => {
  const known = addKey();
  // All clients are connected before the flood.
  expect([await hear(known), await hear(known, second)]).toEqual([200, 200]);
  await passInterval();
  const read = statements;
  const reached = await countAsked(async () => {
    const answers = await Promise.all([flood(40), flood(20, second), Promise.all([hear(known), hear(known, second)])]);
    expect(new Set(answers.slice(0, 2).flat())).toEqual(new Set([401]));
    expect(answers[2]).toEqual([200, 200]);
    expect(new Set(await flood(20))).toEqual(new Set([401]));
  });
  expect(reached).toBe(1);
  // Each process reads the stored keys once, and polls the transfer of each signed message.
  expect(statements - read).toBeLessThanOrEqual(6);
});

it('fetches a new Circle key during the flood with one request for all its messages', async () => {
  await passInterval();
  const rotated = addKey();
  const reached = await countAsked(async () => {
    // The attacker's first message uses up this interval, and the next ones queue before Circle's.
    await flood(10);
    await flood(10);
    expect(await hear(rotated)).toBe(401);
    await flood(10);
  });
  expect(reached).toBe(1);
  await passInterval();
  // The queue alternates between addresses, so any message can start the request for another address's key.
  await flood(10);
  expect(await Promise.all([hear(rotated), hear(rotated)])).toEqual([200, 200]);
  // Another process finds the key in the database.
  expect(await hear(rotated, second)).toBe(200);
  expect(asked.filter((id) => id === rotated.id)).toHaveLength(1);
});

it('refuses a malformed signature before any request to Circle, and never parses an unsigned message', async () => {
  await passInterval();
  const good = signed(stranger);
  const before = statements;
  const reached = await countAsked(async () => {
    const forms = [
      {},
      { 'x-circle-key-id': good['x-circle-key-id'] },
      { ...good, 'x-circle-key-id': 'no id' },
      { ...good, 'x-circle-key-id': `${good['x-circle-key-id']}, ${randomUUID()}` },
      { ...good, 'x-circle-signature': 'not base64!' },
      { ...good, 'x-circle-signature': 'A'.repeat(4_000) },
      { ...good, 'x-circle-signature': 'AAAA' },
    ];
    for (const headers of forms) expect(await first.post(ATTACKER, headers, BODY), JSON.stringify(headers)).toBe(401);
  });
  expect([reached, statements - before]).toEqual([0, 0]);
  const known = [...circlesKeys.values()][0]!;
  expect(await first.post(ATTACKER, signed(known), '{"broken')).toBe(401);
  expect(await first.post(ATTACKER, signed(known, '{"broken'), '{"broken')).toBe(200);
  expect(await first.post(ATTACKER, signed(known), ' '.repeat(70_000))).toBe(413);
});
