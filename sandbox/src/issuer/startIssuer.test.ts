import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { findChromium } from '../../../test/support/browser/findChromium.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { listen } from '../../../test/support/http/listen.ts';
import { findFreePort } from '../ports.ts';
import { type RunningIssuer, startIssuer } from './startIssuer.ts';

const folder = mkdtempSync(join(tmpdir(), 'florin-issuer-'));
const keyFile = join(folder, 'key.json');
const people = [{ name: 'Alice', email: 'alice@florin.example', about: 'KYC approved' }];
/** Plays the wallet app, where the browser arrives at the end of its redirects. */
const wallet = createServer((_, response) => response.end('arrived'));
let callback: string;
let issuer: RunningIssuer;

beforeAll(async () => {
  callback = `http://127.0.0.1:${await listen(wallet)}/callback`;
  // It is restarted on the same port.
  issuer = await startIssuer({ port: await findFreePort(), keyFile, redirectUris: [callback], people });
});

afterAll(async () => {
  await issuer.stop();
  await new Promise((resolve) => wallet.close(resolve));
  rmSync(folder, { recursive: true });
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const verifier = randomBytes(32).toString('base64url');

function authorizationUrl(changes: Record<string, string | undefined> = {}): string {
  const url = new URL('/auth', issuer.issuerUrl);
  const params = {
    client_id: 'florin-wallet',
    response_type: 'code',
    scope: 'openid email profile',
    redirect_uri: callback,
    state: 'the-state',
    nonce: 'the-nonce',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** A minimal browser with cookies; redirects are returned, not followed. */
function openBrowser() {
  const cookies = new Map<string, string>();
  return async (url: string, form?: Record<string, string>) => {
    const response = await fetch(new URL(url, issuer.issuerUrl), {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '), accept: 'text/html' },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]!.split(/=(.*)/s);
      cookies.set(name, value);
    }
    return response;
  };
}

async function logIn(email: string): Promise<URL> {
  const visit = openBrowser();
  const login = (await visit(authorizationUrl())).headers.get('location')!;
  expect(await (await visit(login)).text()).toContain('Log in with any e-mail address');
  const resume = (await visit(login, { email })).headers.get('location')!;
  return new URL((await visit(resume)).headers.get('location')!);
}

const exchange = (code: string, changes: Record<string, string> = {}) =>
  fetch(`${issuer.issuerUrl}/token`, {
    method: 'POST',
    headers: { origin: new URL(callback).origin },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'florin-wallet',
      redirect_uri: callback,
      code_verifier: verifier,
      code,
      ...changes,
    }),
  });

const readJson = async (response: Response) => (await response.json()) as Record<string, string>;

async function verify(token: string) {
  const { jwks_uri } = await readJson(await fetch(`${issuer.issuerUrl}/.well-known/openid-configuration`));
  const options = { issuer: issuer.issuerUrl, audience: 'florin-wallet', algorithms: ['ES256'], maxTokenAge: 60 };
  return (await jwtVerify(token, createRemoteJWKSet(new URL(jwks_uri!)), options)).payload;
}

describe('authorization code with PKCE', () => {
  it('announces in discovery exactly what it supports', async () => {
    const discovery = await readJson(await fetch(`${issuer.issuerUrl}/.well-known/openid-configuration`));
    expect(discovery).toMatchObject({
      issuer: issuer.issuerUrl,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['ES256'],
      token_endpoint_auth_methods_supported: ['none'],
    });
  });

  it('logs in any email address and gives the wallet an ID token', async () => {
    const arrived = await logIn('Dave@Example.com');
    expect(arrived.searchParams.get('state')).toBe('the-state');
    expect(arrived.searchParams.get('iss')).toBe(issuer.issuerUrl);
    const response = await exchange(arrived.searchParams.get('code')!);
    expect(response.headers.get('access-control-allow-origin')).toBe(new URL(callback).origin);
    const { id_token } = await readJson(response);
    const claims = await verify(id_token!);
    expect(claims).toMatchObject({ email: 'dave@example.com', email_verified: true, nonce: 'the-nonce' });
    expect(claims.exp! - claims.iat!).toBe(12 * 3600);
    expect(claims.sub).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('refuses a wrong verifier, a missing one, and a code used twice', async () => {
    const wrong = (await logIn('a@example.com')).searchParams.get('code')!;
    const refused = await exchange(wrong, { code_verifier: randomBytes(32).toString('base64url') });
    expect([refused.status, (await readJson(refused)).error]).toEqual([400, 'invalid_grant']);

    const missing = await exchange((await logIn('a@example.com')).searchParams.get('code')!, { code_verifier: '' });
    expect(missing.status).toBe(400);

    const code = (await logIn('a@example.com')).searchParams.get('code')!;
    expect((await exchange(code)).status).toBe(200);
    expect((await exchange(code)).status).toBe(400);
  });

  it.each([
    ['no PKCE at all', { code_challenge: undefined, code_challenge_method: undefined }],
    ['the plain method', { code_challenge: verifier, code_challenge_method: 'plain' }],
    ['the implicit flow', { response_type: 'id_token' }],
  ])('refuses %s', async (_, changes) => {
    const response = await openBrowser()(authorizationUrl(changes));
    const location = new URL(response.headers.get('location')!);
    expect(location.origin + location.pathname).toBe(callback);
    expect(location.href).toMatch(/error=(invalid_request|unsupported_response_type)/);
    expect(location.href).not.toContain('code=');
  });

  it('redirects only to the wallet', async () => {
    const response = await openBrowser()(authorizationUrl({ redirect_uri: 'http://127.0.0.1:1/elsewhere' }));
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(await response.text()).toContain('This login cannot continue');
  });

  it('does not let another web page read tokens', async () => {
    const code = (await logIn('a@example.com')).searchParams.get('code')!;
    const response = await fetch(`${issuer.issuerUrl}/token`, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: new URLSearchParams({ grant_type: 'authorization_code', client_id: 'florin-wallet', code }),
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the login page', () => {
  it('shows invalid input again, escaped, with a helpful message', async () => {
    const visit = openBrowser();
    const login = (await visit(authorizationUrl())).headers.get('location')!;
    const response = await visit(login, { email: '"><script>alert(1)</script>' });
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(html).toContain('It should look like name@example.com');
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toContain('<script');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('notifies the wallet when the login is cancelled', async () => {
    const visit = openBrowser();
    const login = (await visit(authorizationUrl())).headers.get('location')!;
    const resume = (await visit(login, { cancel: 'yes' })).headers.get('location')!;
    expect((await visit(resume)).headers.get('location')).toContain('error=access_denied');
  });

  it('reports that it has expired', async () => {
    const response = await openBrowser()('/interaction/long-gone');
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('Please start again')]);
  });

  it.skipIf(!findChromium())('works in a browser, by button', async () => {
    const browser = await chromium.launch({ executablePath: findChromium()!, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.goto(authorizationUrl());
      await page.getByRole('button', { name: /Alice/ }).click();
      await page.waitForURL(`${callback}?*`);
      const code = new URL(page.url()).searchParams.get('code')!;
      const { id_token } = await readJson(await exchange(code));
      expect((await verify(id_token!)).email).toBe('alice@florin.example');
    } finally {
      await browser.close();
    }
  });
});

describe('the one-liner', () => {
  const ask = (query: string, headers = {}) => fetch(`${issuer.issuerUrl}/id_token${query}`, { headers });

  it('returns the bare token, with the subject of the code flow', async () => {
    const response = await ask('?email=Dave+1@example.com');
    expect(response.headers.get('content-type')).toMatch('text/plain');
    const claims = await verify(await response.text());
    expect(claims).toMatchObject({ email: 'dave+1@example.com', email_verified: true, name: 'dave+1' });

    const code = (await logIn('dave+1@example.com')).searchParams.get('code')!;
    const { id_token } = await readJson(await exchange(code));
    const { nonce: _nonce, at_hash: _hash, ...same } = await verify(id_token!);
    expect(Object.keys(same).sort()).toEqual(Object.keys(claims).sort());
    expect(same.sub).toBe(claims.sub);
  });

  it.each([
    '',
    '?email=',
    '?email=dave',
    '?email=dave@localhost',
    '?email=a@b..c',
    `?email=${'a'.repeat(300)}@b.example`,
  ])('refuses %s', async (query) => {
    const response = await ask(query);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect((await readJson(response)).detail).toContain('not an e-mail address');
  });

  it('keeps its key across restarts', async () => {
    const token = await (await ask('?email=dave@example.com')).text();
    const port = Number(new URL(issuer.issuerUrl).port);
    await issuer.stop();
    issuer = await startIssuer({ port, keyFile, redirectUris: [callback], people });
    // fetch may still hold connections to the issuer that was stopped.
    await eventually(() => fetch(issuer.issuerUrl));
    expect((await verify(token)).email).toBe('dave@example.com');
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  });
});

describe('where it refuses to start', () => {
  it.each([
    ['FLORIN_MODE', 'production'],
    ['NODE_ENV', 'production'],
  ])('%s=%s', async (name, value) => {
    vi.stubEnv(name, value);
    await expect(startIssuer({ keyFile, redirectUris: [callback] })).rejects.toThrow('never starts in production');
  });

  it('on an address that others can reach', async () => {
    await expect(startIssuer({ keyFile, redirectUris: [callback], host: '0.0.0.0' })).rejects.toThrow('127.0.0.1 only');
  });
});
