/** The web wallet's origin in production: its names, its cookie, and its part of the API. */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Production, startProduction } from '../support/production.ts';

const URL_OF_PEOPLE = 'https://wallet.example.com';
let production: Production;
let refreshToken: string;

beforeAll(async () => {
  production = await startProduction({
    FLORIN_WALLET_PORT: '0',
    FLORIN_WALLET_URL: URL_OF_PEOPLE,
    FLORIN_TRUSTED_PROXIES: '127.0.0.1',
    FLORIN_RATE_LIMITS: 'login=5',
  });
  const id_token = await production.issuer.sign({ sub: 'wallet-person' });
  const login = await production.call('POST', '/api/v1/login', { id_token });
  refreshToken = (login.body as { refresh_token: string }).refresh_token;
});
afterAll(() => production?.stop());

interface Heard {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

/** As a proxy passes it on: with the name that people use. */
const ask = (method: string, path: string, headers: Record<string, string> = {}): Promise<Heard> =>
  new Promise((resolve, reject) => {
    const url = new URL(path, production.walletUrl);
    const asked = request(url, { method, headers: { host: 'wallet.example.com', ...headers } }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (part) => (body += part));
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, body }));
    });
    asked.on('error', reject).end();
  });

it('answers to its own name only, with a page that may not be framed', async () => {
  const page = await ask('GET', '/', { accept: 'text/html' });
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(page.headers['strict-transport-security']).toBeDefined();
  expect(page.body).toContain('"sandbox":null');
  expect((await ask('GET', '/', { host: 'evil.example' })).status).toBe(421);
});

it('has the calls for people, protected as usual, and none of those for services', async () => {
  expect((await ask('GET', '/api/v1/me')).status).toBe(401);
  expect((await ask('GET', '/api/v1/webhooks')).status).toBe(404);
  expect((await ask('GET', '/api/v1/payouts')).status).toBe(404);
  expect((await ask('POST', '/api/v1/payouts')).status).toBe(404);
  expect((await ask('POST', '/webhooks/sumsub')).status).toBe(404);
});

it('exchanges its cookie for an access token, for its own pages only', async () => {
  const cookie = `__Host-florin-session=${refreshToken}`;
  for (const origin of ['https://evil.example', 'https://api.example.com', 'null'])
    expect([origin, (await ask('POST', '/session/refresh', { cookie, origin })).status]).toEqual([origin, 403]);
  expect((await ask('POST', '/session/refresh', { cookie })).status).toBe(403);

  const answer = await ask('POST', '/session/refresh', { cookie, origin: URL_OF_PEOPLE });
  expect(answer.status).toBe(200);
  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-florin-session=flr_[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
    ),
  ]);
  const { session } = JSON.parse(answer.body) as { session: { access_token: string } };
  const me = await ask('GET', '/api/v1/me', { authorization: `Bearer ${session.access_token}` });
  expect(me.status).toBe(200);
  // The body must not contain the refresh token, which belongs in the cookie alone.
  expect(answer.body).not.toContain('flr_');

  const next = String(answer.headers['set-cookie']).split(';')[0]!;
  const opened = await ask('POST', '/session/open', { cookie: next, origin: URL_OF_PEOPLE });
  const bearer = JSON.parse(opened.body).session.access_token as string;
  const overview = await ask('GET', '/api/v1/me/overview', { authorization: `Bearer ${bearer}` });
  // Blocks come between the two.
  const shown = (given: { balances: { blockchain: string; available: string }[] }) =>
    given.balances.map(({ blockchain, available }) => [blockchain, available]);
  expect(shown(JSON.parse(opened.body).overview)).toEqual(shown(JSON.parse(overview.body)));
});

it('limits junk cookies of an address, but not the logins and sessions behind it', async () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const forged = { cookie: '__Host-florin-login=1.e30.x', ...from('192.0.2.1') };
  for (let i = 0; i < 5; i++) {
    const page = await ask('GET', '/callback?code=c&state=s', forged);
    expect([page.status, page.headers.location]).toEqual([303, '/?login=expired']);
  }
  // A browser shows the answer of a callback, so it is the wallet's page.
  const limited = await ask('GET', '/callback?code=c&state=s', forged);
  expect([limited.status, limited.headers.location]).toEqual([303, '/?login=limited']);
  const session = { cookie: '__Host-florin-session=flr_guess', origin: URL_OF_PEOPLE };
  for (const refused of [
    await ask('POST', '/session/open', { ...session, ...from('192.0.2.1') }),
    await ask('POST', '/session/refresh', { ...session, ...from('192.0.2.1') }),
  ]) {
    expect(refused.status).toBe(429);
    const { code, policy, retry_after_seconds: wait } = JSON.parse(refused.body) as Record<string, unknown>;
    expect([code, policy, refused.headers['retry-after']]).toEqual(['rate.limited', 'login', String(wait)]);
  }
  expect((await ask('POST', '/session/refresh', { ...session, ...from('192.0.2.2') })).status).toBe(401);
  const id_token = await production.issuer.sign({ sub: 'colleague' });
  const login = await production.call('POST', '/api/v1/login', { id_token }, from('192.0.2.1'));
  expect(login.status).toBe(200);
  let cookie = `__Host-florin-session=${(login.body as { refresh_token: string }).refresh_token}`;
  const refresh = () => ask('POST', '/session/refresh', { cookie, origin: URL_OF_PEOPLE, ...from('192.0.2.1') });
  for (let i = 0; i < 5; i++) {
    const answer = await refresh();
    expect(answer.status).toBe(200);
    cookie = String(answer.headers['set-cookie']).split(';')[0]!;
  }
  expect((await refresh()).status).toBe(429);
});
