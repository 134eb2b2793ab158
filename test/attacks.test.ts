/**
 * The attack list, row by row, against a whole server in production mode (and the sandbox where the row speaks of it).
 * The table that it prints is the proof: attack, wanted answer, what came.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { base64url, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../server/src/bin/config.ts';
import { manageKeys } from '../server/src/bin/manageKeys.ts';
import { type Db, openDatabase } from '../server/src/db/database.ts';
import { createApi } from '../server/src/http/contract/createApi.ts';
import { codes, fund, join, type Person, raw, statusOf } from './support/attacks.ts';
import { type Production, startProduction } from './support/production.ts';
import { startTestServer, type TestServer } from './support/server.ts';

let florin: Production;
let sandbox: TestServer;
let db: Db;

let mallory: Person;
let victim: Person;

beforeAll(async () => {
  [florin, sandbox] = await Promise.all([
    startProduction({ FLORIN_RATE_LIMITS: 'address=100000, login=1000, user=10000', FLORIN_LOG_LEVEL: 'debug' }),
    startTestServer(),
  ]);
  db = openDatabase(florin.databaseUrl);
  mallory = await join(florin, 'mallory');
  victim = await join(florin, 'victim_shop');
  await fund(db, mallory.userId);
  await fund(db, victim.userId);
});
afterAll(async () => {
  await db.close();
  await Promise.all([florin.stop(), sandbox.stop()]);
});

const key = () => ({ 'idempotency-key': randomUUID() });
const send = (from: Person, body: unknown, headers: Record<string, string> = key()) =>
  florin.call('POST', '/api/v1/send_usdc', body, { ...from.bearer, ...headers });
const payment = (from: Person, amount: unknown = 1) => ({
  sender_user_id: from.userId,
  receiver_username: victim.name,
  amount,
});
/** Everything that money is, for comparison before and after. */
const books = async () =>
  JSON.stringify(
    await db.query('SELECT account_id::text, available::text, held::text FROM accounts ORDER BY account_id'),
  );
const logIn = async (idToken: string) => {
  const { status, body } = await florin.call('POST', '/api/v1/login', { id_token: idToken });
  return status === 401 ? `401 ${body.reason}` : String(status);
};
const rename = (username: string) =>
  florin.call('POST', '/api/v1/set_username', { user_id: mallory.userId, username }, mallory.bearer);
/** Attack, wanted answer, and how to find out. */
const attacks: [string, string, () => Promise<string>][] = [
  [
    'Send with no credential',
    'production 401 auth.required; sandbox 200, loopback only',
    async () => {
      const bare = await florin.call('POST', '/api/v1/send_usdc', payment(mallory), key());
      const { user_id: userId } = (await sandbox.logIn('a@example.com')).body.user;
      const { user_id: otherId } = (await sandbox.logIn('b@example.com')).body.user;
      await sandbox.call('POST', '/api/v1/set_username', { user_id: otherId, username: 'somebody' });
      const own = openDatabase(sandbox.databaseUrl);
      await fund(own, userId);
      await own.close();
      const body = { sender_user_id: userId, receiver_username: 'somebody', amount: 1 };
      const open = await sandbox.call('POST', '/api/v1/send_usdc', body);
      const env = { FLORIN_MODE: 'sandbox', DATABASE_URL: 'postgres://localhost/x', FLORIN_WALLET_SEED_FILE: 's' };
      expect(() => readConfig({ ...env, FLORIN_WALLET_SECRET: 'x', FLORIN_HOST: '0.0.0.0' })).toThrow(/loopback/);
      return `production ${codes([bare])}; sandbox ${open.status}, loopback only`;
    },
  ],
  [
    "IDOR: another's user_id",
    '403 auth.forbidden, the same for an unknown one, nothing changed',
    async () => {
      const before = await books();
      const nobody = { ...victim, userId: randomUUID() };
      const answers = await Promise.all([send(mallory, payment(victim)), send(mallory, payment(nobody))]);
      const bodies = new Set(answers.map(({ body }) => JSON.stringify({ ...body, request_id: '' })));
      const others = await Promise.all(
        [
          ['POST', '/api/v1/set_username', { user_id: victim.userId, username: 'stolen' }],
          ['POST', '/api/v1/kyc/applicant', { user_id: victim.userId }],
          ['POST', `/api/v1/kyc/check-status/${victim.userId}`],
          ['GET', `/api/v1/limits/${victim.userId}`],
          ['GET', `/api/v1/latest_transactions_by_username/${victim.name}`],
        ].map(([method, path, body]) => florin.call(method as string, path as string, body, mallory.bearer)),
      );
      expect(new Set(codes(others).split(', '))).toEqual(new Set(['403 auth.forbidden']));
      const changed = (await books()) === before ? 'nothing changed' : 'something changed';
      return `${codes(answers.slice(0, 1))}, ${bodies.size === 1 ? 'the same' : 'another'} for an unknown one, ${changed}`;
    },
  ],
  [
    'Username squatting, homographs',
    '400 ×3; 409 ×4',
    async () => {
      const shapes = await Promise.all(['vіctim_shop', 'victim​shop', 'ab'].map(rename));
      const taken = await Promise.all(['VICTIM_SHOP', 'victimshop', 'victim_sh0p', 'admin'].map(rename));
      const count = (answers: { status: number }[], status: number) =>
        `${status} ×${answers.filter((answer) => answer.status === status).length}`;
      return `${count(shapes, 400)}; ${count(taken, 409)}`;
    },
  ],
  [
    'Address poisoning',
    '401 to a person, 400 to a service key; nothing sent',
    async () => {
      const before = await books();
      const body = { destination_address: `0x${'0'.repeat(40)}`, amount: 1, wallet_username: victim.name };
      const person = await florin.call('POST', '/wallet/send-usdc', body, { ...mallory.bearer, ...key() });
      const printed = await manageKeys(db, ['create', '--name', 'robot', '--scope', 'send'], 'operator:test');
      const authorization = `Bearer ${/fsk_\S+/.exec(printed)![0]}`;
      const robot = await florin.call('POST', '/wallet/send-usdc', body, { authorization, ...key() });
      const sent = (await books()) === before ? 'nothing' : 'something';
      return `${person.status} to a person, ${robot.status} to a service key; ${sent} sent`;
    },
  ],
  [
    'Balance race: 64 spend the whole balance at once',
    '1 × 200, 63 × 409',
    async () => {
      const racer = await join(florin, 'racer');
      await fund(db, racer.userId, '7');
      const answers = await Promise.all(Array.from({ length: 64 }, () => send(racer, payment(racer, 7))));
      const count = (status: number) => answers.filter((answer) => answer.status === status).length;
      return `${count(200)} × 200, ${count(409)} × 409`;
    },
  ],
  [
    'Replay of a payment',
    '400 idempotency.required without a key; with one: paid once, then replayed',
    async () => {
      const without = await send(mallory, payment(mallory), {});
      const headers = key();
      const first = await send(mallory, payment(mallory), headers);
      const second = await send(mallory, payment(mallory), headers);
      const same = first.body.transaction_id === second.body.transaction_id ? 'paid once' : 'paid twice';
      const told = second.headers.get('idempotency-replayed') === 'true' ? 'replayed' : 'not replayed';
      return `${codes([without])} without a key; with one: ${same}, then ${told}`;
    },
  ],
  [
    'Amounts that a float would round',
    '0.1+0.2 exact; finer than 1e-6: 400, 400; 0, negative, text, boolean: 422 ×4',
    async () => {
      const saver = await join(florin, 'saver');
      await fund(db, saver.userId, '0.3');
      const body = (amount: string) => JSON.stringify(payment(saver, 0)).replace('"amount":0', `"amount":${amount}`);
      const parts = await Promise.all(['0.1', '2e-1'].map((amount) => send(saver, body(amount))));
      const rest = (
        await db.query<{ available: bigint }>('SELECT available FROM accounts WHERE user_id = $1', [saver.userId])
      )[0]!.available;
      const fine = await Promise.all(
        ['0.0000001', '0.10000000000000000001'].map((amount) => send(saver, body(amount))),
      );
      const bad = await Promise.all(['0', '-1', '"1"', 'true'].map((amount) => send(saver, body(amount))));
      const exact = parts.every(({ status }) => status === 200) && rest === 0n ? 'exact' : `left ${rest}`;
      const refused = bad.filter(({ status }) => status === 422).length;
      return `0.1+0.2 ${exact}; finer than 1e-6: ${fine.map(({ status }) => status).join(', ')}; 0, negative, text, boolean: 422 ×${refused}`;
    },
  ],
  [
    'Fake deposit',
    'no call credits anybody; SQL by hand is refused',
    async () => {
      const paths = ['/api/v1/deposit', '/api/v1/deposits', '/wallet/deposit', '/webhooks/deposit'];
      const found = await Promise.all(paths.map((path) => florin.call('POST', path, {}, mallory.bearer)));
      expect(found.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      const typed = db.query('UPDATE accounts SET available = available + 1 WHERE user_id = $1', [mallory.userId]);
      return `no call credits anybody; SQL by hand is ${await typed.then(
        () => 'done',
        () => 'refused',
      )}`;
    },
  ],
  [
    'SSRF by a URL of the customer',
    'no operation takes a URL',
    async () => {
      const text = ['web3', 'backend']
        .map((name) => readFileSync(new URL(`../openapi/${name}.json`, import.meta.url), 'utf8'))
        .join('');
      return /"(\w*(url|uri|callback|webhook)\w*)": \{\s+"type"/i.test(text) ? 'one does' : 'no operation takes a URL';
    },
  ],
  [
    'KYC status by e-mail',
    'known and unknown: one 403; after 10 in a minute 429; no address in the log',
    async () => {
      const read = (name: string) =>
        florin.call('GET', `/api/v1/kyc/status/${name}@example.com`, undefined, mallory.bearer);
      const answers = [await read(victim.name), await read('nobody')];
      const bodies = new Set(answers.map(({ body }) => JSON.stringify({ ...body, request_id: '' })));
      let last = answers[1]!;
      for (let i = 2; i < 11; i++) last = await read('nobody');
      const logged = florin.log().includes('@example.com') ? 'an address' : 'no address';
      return `known and unknown: ${bodies.size === 1 ? 'one' : 'two'} ${answers[0]!.status}; after 10 in a minute ${last.status}; ${logged} in the log`;
    },
  ],
  [
    'Forged ID tokens: alg none, HS256, kid, jku, x5u, issuer, audience',
    '401 ×7',
    async () => {
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: florin.issuer.url, aud: 'florin', sub: 'victim_shop', iat: now, exp: now + 600 };
      const none = `${base64url.encode('{"alg":"none"}')}.${base64url.encode(JSON.stringify(claims))}.`;
      const shared = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: 'one' })
        .sign(new TextEncoder().encode('a secret that everybody knows, of 32'));
      const tokens = [
        none,
        shared,
        await florin.issuer.sign(claims, { kid: '../../dev/null' }),
        await florin.issuer.sign(claims, { jku: 'https://evil.example/jwks' }),
        await florin.issuer.sign(claims, { x5u: 'https://evil.example/cert' }),
        await florin.issuer.sign({ ...claims, iss: 'https://evil.example' }),
        await florin.issuer.sign({ ...claims, aud: 'another app' }),
      ];
      const answers = await Promise.all(tokens.map(logIn));
      return `401 ×${answers.filter((answer) => answer.startsWith('401')).length}`;
    },
  ],
  [
    'JWKS flood: 50 unknown keys',
    'all 401; the issuer is asked at most twice more',
    async () => {
      const before = florin.issuer.keyRequests;
      const tokens = await Promise.all(
        Array.from({ length: 50 }, () => florin.issuer.sign({ sub: 'x' }, { kid: randomUUID() })),
      );
      const answers = await Promise.all(tokens.map(logIn));
      const all = answers.every((answer) => answer.startsWith('401')) ? 'all 401' : answers.join();
      const asked = florin.issuer.keyRequests - before;
      return `${all}; the issuer is asked ${asked <= 2 ? 'at most twice' : `${asked} times`} more`;
    },
  ],
  [
    'ID-token replay',
    '200, then 401 spent',
    async () => {
      const idToken = await florin.issuer.sign({ sub: 'replayed' });
      return `${await logIn(idToken)}, then ${await logIn(idToken)}`;
    },
  ],
  [
    'Slowloris, huge body',
    '408 and closed; 413, also with a false Content-Length',
    async () => {
      const document = JSON.parse(readFileSync(new URL('../openapi/backend.json', import.meta.url), 'utf8'));
      const limits = { headersTimeoutMs: 300, requestTimeoutMs: 600, checkIntervalMs: 100 };
      const quick = createApi({
        name: 'b',
        document,
        operations: {},
        partial: true,
        items: 'brief',
        logger: false,
        limits,
      });
      const url = await quick.listen({ host: '127.0.0.1', port: 0 });
      const slow = statusOf(await raw(url, 'POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nX-Slow: '));
      await quick.close();
      const huge = await florin.call('POST', '/api/v1/login', { id_token: 'x'.repeat(300_000) });
      const chunk = `${(300_000).toString(16)}\r\n${'x'.repeat(300_000)}\r\n0\r\n\r\n`;
      const head = 'POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
      const hidden = statusOf(await raw(florin.backendUrl, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`));
      return `${slow} and closed; ${huge.status}, ${hidden === '413' ? 'also' : 'not'} with a false Content-Length`;
    },
  ],
  [
    'Prototype pollution, mass assignment',
    '200; nothing but the declared members is taken',
    async () => {
      const body = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"tier":0,"kyc_status":"approved","user_id":"${mallory.userId}","username":"mallory"}`;
      const { status } = await florin.call('POST', '/api/v1/set_username', body, mallory.bearer);
      const [row] = await db.query<{ kyc_status: string }>('SELECT kyc_status FROM users WHERE user_id = $1', [
        mallory.userId,
      ]);
      const next = await florin.call('GET', '/api/v1/sessions', undefined, mallory.bearer);
      const clean = row!.kyc_status === 'none' && next.status === 200 && !('polluted' in next.body);
      return `${status}; ${clean ? 'nothing but the declared members is taken' : 'something was taken'}`;
    },
  ],
  [
    'Smuggling: Content-Length with Transfer-Encoding',
    '400 and closed, the second request unheard',
    async () => {
      const smuggled = 'GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n';
      const heard = await raw(
        florin.backendUrl,
        `POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      );
      const answers = heard.match(/HTTP\/1\.1 \d+/g)?.length;
      return `${statusOf(heard)} and closed, the second request ${answers === 1 ? 'unheard' : 'heard'}`;
    },
  ],
  [
    'CORS, CSRF, DNS rebinding',
    'form body 422; foreign Origin 403 without CORS; foreign Host 421 in the sandbox',
    async () => {
      const body = JSON.stringify(payment(mallory));
      const form = await fetch(`${florin.backendUrl}/api/v1/send_usdc`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', ...mallory.bearer, ...key() },
        body,
      });
      const foreign = await send(mallory, payment(mallory), { ...key(), origin: 'https://evil.example' });
      const cors = foreign.headers.get('access-control-allow-origin') === null ? 'without' : 'with';
      const rebound = 'GET /openapi.json HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n';
      const host = statusOf(await raw(sandbox.backendUrl, rebound));
      return `form body ${form.status}; foreign Origin ${foreign.status} ${cors} CORS; foreign Host ${host} in the sandbox`;
    },
  ],
  [
    'Log injection',
    'every line is JSON; no token and no address in any',
    async () => {
      const evil = encodeURIComponent('x\n{"level":"fatal","forged":true}\u001b[31m@example.com');
      await florin.call('GET', `/api/v1/latest_transactions_by_username/${evil}`, undefined, mallory.bearer);
      await florin.call('GET', `/api/v1/kyc/status/${evil}`, undefined, victim.bearer);
      const lines = florin.log().split('\n').filter(Boolean);
      const isJson = (line: string) => {
        try {
          return typeof JSON.parse(line) === 'object';
        } catch {
          return false;
        }
      };
      const secret = lines.some((line) => /fla_|flr_|eyJ|@example\.com|"forged"/.test(line));
      return `${lines.every(isJson) ? 'every line is JSON' : 'not JSON'}; ${secret ? 'a secret' : 'no token and no address'} in any`;
    },
  ],
  [
    'Timing of known and unknown people',
    'refused before any look-up: known and unknown get one answer',
    async () => {
      const answers = await Promise.all(
        [victim.userId, randomUUID()].map((who) => send(mallory, { ...payment(mallory), sender_user_id: who })),
      );
      const said = answers.map(({ status, body: { request_id: _, ...rest } }) => JSON.stringify([status, rest]));
      return said[0] === said[1] && answers[0]!.status === 403
        ? 'refused before any look-up: known and unknown get one answer'
        : said.join(' ≠ ');
    },
  ],
];

const told: string[] = [];
afterAll(() => {
  console.log(`The attack list, ${told.length} rows:\n${told.join('\n')}`);
});

it.each(attacks)('%s', async (attack, wanted, probe) => {
  const got = await probe();
  told.push(`${got === wanted ? 'ok  ' : 'NOT '} ${attack.padEnd(66)} ${got}`);
  expect(got).toBe(wanted);
});
