/** Rate limits, foreign web pages, foreign host names, and production's requirements. */
import { request as openRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../../server/src/customers/sessions/sessions.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { bearer } from '../support/http/answer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { UNKNOWN_USER_ID } from '../support/values.ts';

const PRODUCTION = {
  FLORIN_MODE: 'production',
  FLORIN_OIDC_ISSUERS: '[{"issuer":"https://login.example.com","audience":"florin"}]',
};
const OVERVIEW = '/subgraph/wallet-overview?address=0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const CLAIM = { user_id: UNKNOWN_USER_ID, username: 'nobody_here' };

/** Not with fetch, which sets Host itself. */
const ask = (
  url: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; headers: Headers }> =>
  new Promise((resolve, reject) => {
    const request = openRequest(url, { method, headers }, (response) => {
      response.resume();
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
        }),
      );
    });
    request.on('error', reject).end();
  });

describe('rate limits', () => {
  let florin: TestServer;
  let db: Db;
  beforeAll(async () => {
    florin = await startTestServer({
      ...PRODUCTION,
      FLORIN_RATE_LIMITS: 'address=40, login=3, user=5, kyc=2',
      FLORIN_TRUSTED_PROXIES: '127.0.0.1',
    });
    db = openDatabase(florin.databaseUrl);
  });
  afterAll(async () => {
    await db.close();
    await florin.stop();
  });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  async function logIn(): Promise<string> {
    const [user] = await db.query<{ user_id: string }>(
      `INSERT INTO users (user_id, issuer, subject, email) VALUES (gen_random_uuid(), 'i', gen_random_uuid(), 'a@b.example')
       RETURNING user_id`,
    );
    const rules = { accessTokenSeconds: 60, refreshTokenSeconds: 600, sessionSeconds: 90_000 };
    return (await db.tx((tx) => openSession(tx, rules, user!.user_id, null))).accessToken;
  }
  const repeat = async (times: number, call: () => Promise<{ status: number }>) => {
    const statuses: number[] = [];
    for (let i = 0; i < times; i++) statuses.push((await call()).status);
    return statuses;
  };

  it('per address: guessed credentials get 429 before any lookup', async () => {
    const guess = () =>
      florin.call('GET', '/api/v1/sessions', undefined, { ...bearer('fla_guess'), ...from('192.0.2.1') });
    expect(await repeat(42, guess)).toEqual([...Array(40).fill(401), 429, 429]);
    const refused = await guess();
    expect(refused.body).toMatchObject({ code: 'rate.limited', retryable: true, policy: 'address', limit: 40 });
    expect(refused.headers.get('retry-after')).toBe(String(refused.body.retry_after_seconds));
    expect(refused.headers.get('ratelimit-policy')).toBe('"address";q=40;w=60');
    expect(refused.headers.get('ratelimit')).toMatch(/^"address";r=0;t=\d+$/);
    // Both APIs share the limit; another address has its own.
    expect((await florin.call('GET', OVERVIEW, undefined, from('192.0.2.1'))).status).toBe(429);
    expect((await florin.call('GET', OVERVIEW, undefined, from('192.0.2.2'))).status).toBe(401);
  });

  it('per address: pages, wrong paths and wrong methods count too', async () => {
    const paths = ['/docs', '/nothing', '/openapi.json', '/errors/auth.invalid'];
    let i = 0;
    const visit = () =>
      ask(`${florin.backendUrl}${paths[i++ % paths.length]}`, from('192.0.2.50'), i % 2 ? 'GET' : 'PUT');
    const statuses = await repeat(42, visit);
    expect(statuses.slice(0, 40)).not.toContain(429);
    expect(statuses.slice(40)).toEqual([429, 429]);
    expect((await florin.call('GET', OVERVIEW, undefined, from('192.0.2.50'))).status).toBe(429);
    expect((await visit()).headers.get('ratelimit')).toMatch(/^"address";r=0;t=\d+$/);
  });

  it('cannot be escaped by claiming another address', async () => {
    const claim = (i: number) => from(`203.0.113.${i}, 192.0.2.1`);
    for (let i = 0; i < 3; i++) expect((await florin.call('GET', OVERVIEW, undefined, claim(i))).status).toBe(429);
  });

  it('per person, from any address', async () => {
    const token = await logIn();
    let i = 0;
    const list = () =>
      florin.call('GET', '/api/v1/sessions', undefined, { ...bearer(token), ...from(`198.51.100.${i++}`) });
    expect(await repeat(6, list)).toEqual([200, 200, 200, 200, 200, 429]);
    const other = await logIn();
    const fresh = await florin.call('GET', '/api/v1/sessions', undefined, {
      ...bearer(other),
      ...from('198.51.100.9'),
    });
    expect(fresh.headers.get('ratelimit')).toMatch(/^"address";r=\d+;t=\d+, "user";r=4;t=\d+$/);
    expect(fresh.headers.get('ratelimit-policy')).toBe('"address";q=40;w=60, "user";q=5;w=60');
  });

  it('for logins and for identity calls', async () => {
    const login = () => florin.call('POST', '/api/v1/login', { id_token: 'x' }, from('192.0.2.77'));
    expect(await repeat(4, login)).toEqual([401, 401, 401, 429]);
    const token = await logIn();
    const own = () =>
      florin.call('GET', '/api/v1/kyc/status/nobody@example.com', undefined, {
        ...bearer(token),
        ...from('192.0.2.78'),
      });
    expect(await repeat(3, own)).toEqual([403, 403, 429]);
  });

  it('are shared with the next process', async () => {
    const again = await florin.call('GET', OVERVIEW, undefined, from('192.0.2.1'));
    expect(again.status).toBe(429);
    const [row] = await db.query<{ taken: number }>(
      `SELECT taken FROM rate_windows WHERE bucket = 'address:192.0.2.1'`,
    );
    expect(row!.taken).toBeGreaterThanOrEqual(40);
  });
});

describe('browsers', () => {
  let florin: TestServer;
  beforeAll(async () => {
    florin = await startTestServer({ FLORIN_ALLOWED_ORIGINS: 'https://wallet.example.com' });
  });
  afterAll(() => florin.stop());
  const WALLET = { origin: 'https://wallet.example.com' };

  it.each([
    ['evil.example', 421],
    ['127.0.0.1.evil.example', 421],
    ['localhost.evil.example:80', 421],
    ['localhost', 200],
    ['LOCALHOST:8000', 200],
    ['127.0.0.1:1', 200],
    ['[::1]:8000', 200],
  ])('under the name %s: %i', async (host, status) => {
    expect((await ask(florin.web3Url + OVERVIEW, { host })).status).toBe(status);
  });

  it.each([
    'https://evil.example',
    'null',
    'https://wallet.example.com.evil.example',
    'https://wallet.example.com:8443',
    'http://wallet.example.com',
    'https://WALLET.example.com/',
  ])('on a page of %s are refused, and nothing happens', async (origin) => {
    const answer = await florin.call('POST', '/api/v1/set_username', CLAIM, { origin });
    expect([answer.status, answer.body.code]).toEqual([403, 'request.origin']);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('on a listed page, on this machine or on our own page get CORS headers', async () => {
    const own = new URL(florin.backendUrl).origin;
    for (const origin of [WALLET.origin, 'http://localhost:5173', 'http://127.0.0.1:8080', own]) {
      const answer = await florin.call('POST', '/api/v1/set_username', CLAIM, { origin });
      expect([answer.status, answer.body.code]).toEqual([404, 'user.unknown']);
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect(answer.headers.get('vary')).toBe('Origin');
    }
  });

  it('may send a preflight', async () => {
    const url = `${florin.backendUrl}/api/v1/send_usdc`;
    const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
    const allowed = await ask(url, { ...preflight, ...WALLET }, 'OPTIONS');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('content-length')).toBeNull();
    const names = allowed.headers.get('access-control-allow-headers')!.split(', ');
    expect(names).toEqual(
      expect.arrayContaining([
        'Authorization',
        'Idempotency-Key',
        'If-None-Match',
        'Prefer',
        'traceparent',
        'tracestate',
      ]),
    );
    const exposed = (await ask(url, WALLET)).headers.get('access-control-expose-headers')!.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['ETag', 'Florin-Warning', 'Preference-Applied', 'Retry-After']));
    const refused = await ask(url, { ...preflight, origin: 'https://evil.example' }, 'OPTIONS');
    expect([refused.status, refused.headers.get('access-control-allow-methods')]).toEqual([405, null]);
  });

  it('get security headers with every answer', async () => {
    for (const url of [
      florin.web3Url + OVERVIEW,
      `${florin.backendUrl}/nothing`,
      `${florin.backendUrl}/openapi.json`,
    ]) {
      const { headers } = await fetch(url);
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('strict-transport-security')).toBeNull();
    }
    const docs = (await fetch(`${florin.backendUrl}/docs`)).headers;
    expect(docs.get('content-security-policy')).toContain("script-src 'self'");
    expect(docs.get('content-security-policy')).not.toContain(',');
  });
});

describe('production', () => {
  it('accepts only its own host names and no loopback pages, and sends Strict-Transport-Security', async () => {
    const florin = await startTestServer({ ...PRODUCTION, FLORIN_ALLOWED_HOSTS: 'api.example.com' });
    const url = florin.web3Url + OVERVIEW;
    const right = await ask(url, { host: 'api.example.com' });
    expect([right.status, right.headers.get('strict-transport-security')]).toEqual([401, 'max-age=31536000']);
    expect((await ask(url, { host: '127.0.0.1' })).status).toBe(421);
    expect((await ask(url, { host: 'api.example.com', origin: 'http://localhost:3000' })).status).toBe(403);
    // Our own page calls the host that it was loaded from.
    const own = await ask(url, { host: 'api.example.com', origin: 'https://api.example.com' });
    expect(own.headers.get('access-control-allow-origin')).toBe('https://api.example.com');
    await florin.stop();
  });

  it('answers on the operations port under addresses and its own names', async () => {
    const florin = await startTestServer({ FLORIN_OPS_ALLOWED_HOSTS: 'ops.internal' });
    const statusOf = async (host: string) => (await ask(`${florin.opsUrl}/healthz`, { host })).status;
    for (const host of [
      '127.0.0.1',
      'localhost:9464',
      '10.0.0.7:9464',
      '[fd00::1]:9464',
      'OPS.internal',
      '127.0.0.1:1',
    ])
      expect([host, await statusOf(host)]).toEqual([host, 200]);
    for (const host of ['evil.example', 'ops.internal.evil.example', '127.0.0.1.evil.example', 'x'])
      expect([host, await statusOf(host)]).toEqual([host, 421]);
    await florin.stop();
  });
});
