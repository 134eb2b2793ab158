/**
 * Guesses usernames through every call that reveals whether a name exists, on a production server. Counts the answers
 * that do.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { type Answer, bearer } from '../support/http/answer.ts';
import { createVisitor, type Visitor } from '../support/people/requests.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const QUOTA = 5;
let florin: TestServer;
let db: Db;
beforeAll(async () => {
  florin = await startTestServer({
    FLORIN_MODE: 'production',
    FLORIN_OIDC_ISSUERS: '[{"issuer":"https://login.example.com","audience":"florin"}]',
    FLORIN_RATE_LIMITS: `address=100000, user=10000, preview=1000, ask=1000, name=${QUOTA}`,
  });
  db = openDatabase(florin.databaseUrl);
  await Promise.all(['victim', 'friend'].map((name) => createVisitor(db, name)));
});
afterAll(async () => {
  await db.close();
  await florin.stop();
});

let people = 0;
const join = (amount = '10') => createVisitor(db, `person_${++people}`, amount);
const guess = () => `guess_${randomUUID().slice(0, 8)}`;
const post = (who: Visitor, path: string, body: object, key: string = randomUUID()) =>
  florin.call('POST', `/api/v1${path}`, body, { ...bearer(who.accessToken), 'idempotency-key': key });
const pay = (who: Visitor, receiver_username: string, amount = 0.000001, key?: string) =>
  post(who, '/send_usdc', { sender_user_id: who.userId, receiver_username, amount }, key);
const check = (who: Visitor, name: string) =>
  florin.call('GET', `/api/v1/usernames/${name}`, undefined, bearer(who.accessToken));
const preview = (who: Visitor, receiver_username: string) => post(who, '/preview', { receiver_username, amount: 1 });
const ask = (who: Visitor, payer_username: string, key?: string) =>
  post(who, '/requests', { payer_username, amount: 1 }, key);
const look = (who: Visitor, address: string) =>
  florin.call('GET', `/api/v1/addresses/${address}`, undefined, bearer(who.accessToken));
const rename = (who: Visitor, username: string, key?: string) =>
  post(who, '/set_username', { user_id: who.userId, username }, key);
/** Uses up all lookups of a person. */
const spend = async (who: Visitor) => {
  for (let i = 0; i < QUOTA; i++) expect((await check(who, guess())).status).toBe(200);
};
const reveals = ({ status }: Answer) => status !== 429;

it('send_usdc reveals no more unknown names than the lookup limit, also in parallel and when repeated', async () => {
  const who = await join();
  const tries = Array.from({ length: 30 }, () => ({ name: guess(), key: randomUUID() }));
  const flood = () => Promise.all(tries.map(({ name, key }) => pay(who, name, 1, key)));
  const answers = await flood();
  expect(answers.filter(reveals).map(({ body }) => body.code)).toEqual(Array(QUOTA).fill('username.unknown'));
  const refused = answers.find((answer) => !reveals(answer))!;
  expect(refused.body).toMatchObject({ code: 'rate.limited', policy: 'name', limit: QUOTA });
  expect(refused.headers.get('retry-after')).toBe(String(refused.body.retry_after_seconds));
  expect(refused.headers.get('ratelimit')).toMatch(/"name";r=0;t=\d+$/);
  expect(refused.headers.get('ratelimit-policy')).toMatch(/"name";q=5;w=60$/);
  // All calls were decided and their refusals stored; repeating the calls does not reveal them.
  expect((await flood()).filter(reveals)).toEqual([]);
});

it('after that, existing and unknown names get the same answer, and earlier recipients can still be paid', async () => {
  const who = await join();
  expect((await pay(who, 'friend')).status).toBe(200);
  // Reported as often as it happens.
  for (let i = 0; i <= QUOTA; i++) expect((await pay(who, 'victim', 1_000)).body.code).toBe('balance.insufficient');
  for (let i = 0; i < QUOTA; i++) expect((await pay(who, guess())).body.code).toBe('username.unknown');
  const answers = await Promise.all([
    pay(who, 'victim'),
    pay(who, 'victim', 1_000),
    pay(who, who.username),
    pay(who, guess()),
    pay(who, '\u0000'),
    preview(who, 'victim'),
    preview(who, guess()),
    ask(who, 'victim'),
    ask(who, guess()),
    rename(who, 'victim'),
    rename(who, guess()),
    check(who, 'victim'),
    look(who, `0x${'5'.repeat(40)}`),
  ]);
  const summarize = ({ status, body: { code, policy, detail } }: Answer) =>
    JSON.stringify({ status, code, policy, detail });
  expect([...new Set(answers.map(summarize))]).toHaveLength(1);
  expect(answers[0]).toMatchObject({ status: 429, body: { policy: 'name' } });
  expect((await pay(who, 'Friend')).status).toBe(200);
  expect((await preview(who, 'friend')).status).toBe(200);
});

it('every call that reveals a name uses the same lookup budget', async () => {
  const calls = [
    [preview, guess(), 404],
    [preview, 'victim', 200],
    [ask, guess(), 404],
    [rename, 'victim', 409],
    [pay, guess(), 404],
    [look, `0x${'5'.repeat(40)}`, 200],
  ] as const;
  for (const [call, name, status] of calls) {
    const who = await join();
    for (let i = 1; i < QUOTA; i++) await check(who, guess());
    expect((await call(who, name)).status, call.name).toBe(status);
    expect((await check(who, guess())).status, call.name).toBe(429);
  }
});

it('a repeated call uses no lookup and returns its first answer', async () => {
  const who = await join();
  const [one, two] = [randomUUID(), randomUUID()];
  const calls = [() => rename(who, 'victim', one), () => ask(who, 'nobody_here', two)];
  for (let round = 0; round < 4; round++) {
    expect(await Promise.all(calls.map(async (call) => (await call()).body.code))).toEqual([
      'username.taken',
      'username.unknown',
    ]);
  }
  for (let i = 2; i < QUOTA; i++) expect((await check(who, guess())).status).toBe(200);
  expect((await check(who, guess())).status).toBe(429);
  expect((await calls[0]!()).body.code).toBe('username.taken');
});

it('a repeated payment that was refused returns the same answer, and uses another lookup', async () => {
  const who = await join();
  const key = randomUUID();
  for (let i = 0; i < QUOTA; i++) expect((await pay(who, 'nobody_here', 1, key)).body.code).toBe('username.unknown');
  expect((await pay(who, 'nobody_here', 1, key)).status).toBe(429);
});

it('payment pages reveal no more names to one address than the limit, whoever is logged in', async () => {
  const open = (name: string, headers = {}) => florin.call('GET', `/api/v1/public/names/${name}`, undefined, headers);
  for (let i = 0; i < QUOTA; i++) expect((await open(i % 2 ? 'victim' : guess())).body.code).toBe('username.unknown');
  const who = await join();
  for (const headers of [{}, bearer(who.accessToken)]) expect((await open('victim', headers)).status).toBe(429);
  // The person's own lookups are left.
  await spend(who);
});

it('does not refuse a caller who pays many new people in parallel', async () => {
  const who = await join();
  const names = Array.from({ length: 3 * QUOTA }, (_, i) => `payee_${i}`);
  for (const name of names) await createVisitor(db, name);
  expect((await Promise.all(names.map((name) => pay(who, name)))).every(({ status }) => status === 200)).toBe(true);
  await spend(who);
});
