import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import type { CodeFlow } from '../../adapters/identity/codeFlow.ts';
import { PayError } from '../../core/errors.ts';
import { type Db, openDatabase } from '../../db/database.ts';
import { chooseCookies } from './cookies.ts';
import { openWalletSession, type WalletSession } from './walletSession.ts';

const ORIGIN = 'https://wallet.example.com';
let database: TestDatabase;
let db: Db;
let wallet: WalletSession;
/** The people whose overview was read; `areBroken` makes reading fail. */
const overviews = { asked: [] as string[], areBroken: false };
const answerOverview = async (whose: string) => {
  overviews.asked.push(whose);
  if (overviews.areBroken) throw new PayError('service.unavailable', { dependency: 'database' });
  return { rates: [], balances: [] };
};
/** The last request to the issuer, and its refusal, if it refuses. */
const issuer = { asked: {} as Record<string, unknown>, refuses: undefined as PayError | undefined };

const flow: CodeFlow = {
  async findLoginUrl(login) {
    issuer.asked = { ...login };
    return `https://login.example.com/auth?state=${login.state}`;
  },
  async exchange(login) {
    issuer.asked = { ...issuer.asked, ...login };
    if (issuer.refuses) throw issuer.refuses;
    return 'an ID token';
  },
};

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.url, { maxConnections: 4 });
  const identity = { issuer: 'people', subject: 'alice', email: 'alice@example.com', emailVerified: true };
  wallet = openWalletSession(
    {
      db,
      idTokens: { verify: async () => ({ identity, expiresAt: new Date(Date.now() + 60_000) }) },
      signer: { makeWallet: async () => ({ outcome: 'unknown' }) as never },
      sessions: { accessTokenSeconds: 900, refreshTokenSeconds: 3600, sessionSeconds: 7200 },
      spendsIdTokens: false,
      homeBlockchain: 'ETH-SEPOLIA',
      overviews: { read: answerOverview, readWithoutWallet: answerOverview, close: async () => {} },
    },
    flow,
    chooseCookies(true),
    () => ORIGIN,
  );
});
afterAll(async () => {
  await db?.close();
  await database?.drop();
});

const request = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage;
const headerOf = (page: { headers: readonly string[] }, name: string) => page.headers[page.headers.indexOf(name) + 1];
const cookieOf = (page: { headers: readonly string[] }) => headerOf(page, 'Set-Cookie')!.split(';')[0]!;

async function begin(query = ''): Promise<{ cookie: string; state: string }> {
  const page = await wallet.begin(request({}), new URLSearchParams(query));
  return { cookie: cookieOf(page), state: String(issuer.asked.state) };
}

async function logIn(): Promise<string> {
  const { cookie, state } = await begin();
  return cookieOf(await wallet.finish(request({ cookie }), new URLSearchParams({ code: 'c', state })));
}

const refresh = async (cookie: string, origin = ORIGIN) => {
  const page = await wallet.refresh(request({ cookie, origin }));
  return { page, session: (JSON.parse(String(page.body)) as { session: Record<string, unknown> | null }).session };
};

describe('a login', () => {
  it('is an authorization code with PKCE, and its secrets stay in a cookie of this host', async () => {
    const page = await wallet.begin(request({}), new URLSearchParams({ to: '/requests/1' }));
    expect(page.status).toBe(303);
    const cookie = headerOf(page, 'Set-Cookie')!;
    expect(cookie).toMatch(/^__Host-florin-login=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
    const kept = JSON.parse(Buffer.from(cookie.slice(20).split(';')[0]!, 'base64url').toString());
    const challenge = createHash('sha256').update(kept.verifier).digest('base64url');
    expect(issuer.asked).toMatchObject({ challenge, state: kept.state, nonce: kept.nonce });
    expect(issuer.asked.redirectUri).toBe(`${ORIGIN}/callback`);
    expect(headerOf(page, 'Location')).not.toContain(kept.verifier);
  });

  it('leads back to where the person wanted to go, and nowhere else', async () => {
    for (const [to, leads] of [
      ['/requests/1', '/requests/1'],
      ['//evil.example', '/'],
      ['//evil', '/'],
      ['//evil/path', '/'],
      ['///evil', '/'],
      ['/\\evil.example', '/'],
      ['/\\evil', '/'],
      ['/ /evil', '/'],
      ['evil', '/'],
      ['https://evil.example', '/'],
    ]) {
      const { cookie, state } = await begin(`to=${encodeURIComponent(to!)}`);
      const page = await wallet.finish(request({ cookie }), new URLSearchParams({ code: 'c', state }));
      expect([to, headerOf(page, 'Location')]).toEqual([to, leads]);
      expect(headerOf(page, 'Set-Cookie')).toMatch(
        /^__Host-florin-session=flr_[\w-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict; Secure$/,
      );
    }
  });

  it('is refused to a browser that has not begun it', async () => {
    const { cookie, state } = await begin();
    const { state: other } = await begin();
    for (const [given, said] of [
      ['', state],
      [cookie, other],
      [cookie, ''],
      ['__Host-florin-login=bm9uc2Vuc2U', state],
    ]) {
      const page = await wallet.finish(request({ cookie: given! }), new URLSearchParams({ code: 'c', state: said! }));
      expect([headerOf(page, 'Location'), page.headers.includes('Set-Cookie')]).toEqual(['/?login=expired', false]);
    }
  });

  it.each([
    [new PayError('auth.invalid', { reason: 'code' }), '/?login=failed'],
    [new PayError('service.unavailable', { dependency: 'identity issuer' }), '/?login=unavailable'],
    [new PayError('account.closed'), '/?login=closed'],
  ])('that the issuer or the service refuses is reported by the wallet: %s', async (error, location) => {
    issuer.refuses = error;
    const { cookie, state } = await begin();
    const page = await wallet.finish(request({ cookie }), new URLSearchParams({ code: 'c', state }));
    issuer.refuses = undefined;
    expect([headerOf(page, 'Location'), page.headers.includes('Set-Cookie')]).toEqual([location, false]);
  });
});

describe('the cookie', () => {
  it('gives an access token and the person, never the refresh token, and changes each time', async () => {
    const first = await logIn();
    const { page, session } = await refresh(first);
    expect(session).toMatchObject({ expires_in: 900, user: { email: 'alice@example.com', username: null } });
    expect(String(page.body)).not.toContain('flr_');
    const second = cookieOf(page);
    expect(second).not.toBe(first);
    expect((await refresh(second)).session).not.toBeNull();
  });

  it('opens a page with the overview in the same answer, or without it when it cannot be read', async () => {
    const open = async (cookie: string) => {
      const page = await wallet.open(request({ cookie, origin: ORIGIN }));
      return { page, body: JSON.parse(String(page.body)) as { session: { user: { user_id: string } } | null } };
    };
    const first = await open(await logIn());
    expect(first.body).toMatchObject({ session: {}, overview: { address: null, rates: [], balances: [] } });
    expect(overviews.asked).toEqual([first.body.session!.user.user_id]);
    expect(String(first.page.body)).not.toContain('flr_');
    overviews.areBroken = true;
    const second = await open(cookieOf(first.page));
    overviews.areBroken = false;
    expect(second.body).toMatchObject({ session: {}, overview: null });
    expect((await refresh(cookieOf(second.page))).session).not.toBeNull();
    expect((await open('other=1')).body).toEqual({ session: null });
  });

  it('may be used again when the answer was lost, as by a reloaded page', async () => {
    const cookie = await logIn();
    await refresh(cookie);
    const again = await refresh(cookie);
    expect(again.session).not.toBeNull();
    expect((await refresh(cookieOf(again.page))).session).not.toBeNull();
  });

  it('is useless to a page of another site, and to one without an origin', async () => {
    const cookie = await logIn();
    for (const origin of ['https://evil.example', 'null', 'https://wallet.example.com.evil.example'])
      await expect(refresh(cookie, origin)).rejects.toMatchObject({ code: 'request.origin' });
    await expect(wallet.refresh(request({ cookie }))).rejects.toMatchObject({ code: 'request.origin' });
    await expect(wallet.open(request({ cookie }))).rejects.toMatchObject({ code: 'request.origin' });
    await expect(wallet.end(request({ cookie }))).rejects.toMatchObject({ code: 'request.origin' });
    expect((await refresh(cookie)).session).not.toBeNull();
  });

  it('ends with the session, and without one no one is logged in', async () => {
    const cookie = await logIn();
    const page = await wallet.end(request({ cookie, origin: ORIGIN }));
    expect(headerOf(page, 'Set-Cookie')).toContain('Max-Age=0');
    await expect(refresh(cookie)).rejects.toMatchObject({ code: 'auth.invalid' });
    expect((await refresh('other=1')).session).toBeNull();
    await wallet.end(request({ cookie, origin: ORIGIN }));
  });
});
