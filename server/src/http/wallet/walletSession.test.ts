import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
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
/** The same service in another process. */
let other: { readonly wallet: WalletSession; readonly db: Db };
/** The people whose overview was read; `areBroken` makes reading fail. */
const overviews = { asked: [] as string[], areBroken: false };
const answerOverview = async (whose: string) => {
  overviews.asked.push(whose);
  if (overviews.areBroken) throw new PayError('service.unavailable', { dependency: 'database' });
  return { rates: [], balances: [] };
};
/** The last request to the issuer, the number of codes that it was asked to exchange, and its refusal, if it refuses. */
const issuer = { asked: {} as Record<string, unknown>, codes: 0, refuses: undefined as PayError | undefined };
/** What was counted against the limit of logins; `usedUp`: what has nothing left. */
const logins = { counted: [] as string[], usedUp: [] as readonly string[] };

const flow: CodeFlow = {
  async findLoginUrl(login) {
    issuer.asked = { ...login };
    return `https://login.example.com/auth?state=${login.state}`;
  },
  async exchange(login) {
    issuer.codes++;
    issuer.asked = { ...issuer.asked, ...login };
    if (issuer.refuses) throw issuer.refuses;
    return 'an ID token';
  },
};

function openProcess(db: Db): WalletSession {
  const identity = { issuer: 'people', subject: 'alice', email: 'alice@example.com', emailVerified: true };
  return openWalletSession(
    {
      db,
      idTokens: { verify: async () => ({ identity, expiresAt: new Date(Date.now() + 60_000) }) },
      signer: { makeWallet: async () => ({ outcome: 'unknown' }) as never },
      sessions: { accessTokenSeconds: 900, refreshTokenSeconds: 3600, sessionSeconds: 7200 },
      spendsIdTokens: false,
      homeBlockchain: 'ETH-SEPOLIA',
      overviews: { read: answerOverview, readWithoutWallet: answerOverview, close: async () => {} },
      countLogin({ address }, what) {
        const counted = typeof what === 'object' ? 'session' : what;
        logins.counted.push(typeof what === 'object' ? what.session : `${what} ${address}`);
        return logins.usedUp.includes(counted) ? Promise.reject(new PayError('rate.limited')) : undefined;
      },
    },
    flow,
    chooseCookies(true),
    () => ORIGIN,
  );
}

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.url, { maxConnections: 4 });
  wallet = openProcess(db);
  const otherDb = openDatabase(database.url, { maxConnections: 2 });
  other = { wallet: openProcess(otherDb), db: otherDb };
});
afterAll(async () => {
  await other?.db.close();
  await db?.close();
  await database?.drop();
});

const request = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage;
const headerOf = (page: { headers: readonly string[] }, name: string) => page.headers[page.headers.indexOf(name) + 1];
const visit = { address: '192.0.2.1', answerHeaders: [] };
const cookieOf = (page: { headers: readonly string[] }) => headerOf(page, 'Set-Cookie')!.split(';')[0]!;

async function begin(query = ''): Promise<{ cookie: string; state: string }> {
  const page = await wallet.begin(request({}), new URLSearchParams(query));
  return { cookie: cookieOf(page), state: String(issuer.asked.state) };
}

const finish = (cookie: string, state: string, at = wallet, code = 'c') =>
  at.finish(request({ cookie }), new URLSearchParams({ code, state }), visit);
/** Where the browser is sent, and whether it is logged in then. */
const resultOf = (page: { headers: readonly string[] }) => [
  headerOf(page, 'Location'),
  page.headers.includes('Set-Cookie'),
];

async function logIn(): Promise<string> {
  const { cookie, state } = await begin();
  return cookieOf(await finish(cookie, state));
}

const refresh = async (cookie: string, origin = ORIGIN) => {
  const page = await wallet.refresh(request({ cookie, origin }), visit);
  return { page, session: (JSON.parse(String(page.body)) as { session: Record<string, unknown> | null }).session };
};

describe('a login', () => {
  it('is an authorization code with PKCE, and its secrets stay in a cookie of this host', async () => {
    const page = await wallet.begin(request({}), new URLSearchParams({ to: '/requests/1' }));
    expect(page.status).toBe(303);
    const cookie = headerOf(page, 'Set-Cookie')!;
    expect(cookie).toMatch(/^__Host-florin-login=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
    const kept = JSON.parse(Buffer.from(cookie.split('.')[1]!, 'base64url').toString());
    const challenge = createHash('sha256').update(kept.verifier).digest('base64url');
    expect(issuer.asked).toMatchObject({ challenge, state: kept.state, nonce: kept.nonce });
    expect(issuer.asked.redirectUri).toBe(`${ORIGIN}/callback`);
    expect(headerOf(page, 'Location')).not.toContain(kept.verifier);
  });

  it('leads back to where the person wanted to go, and nowhere else', async () => {
    for (const [to, leads] of [
      ['/requests/1', '/requests/1'],
      ['/send/to?username=bob&amount=7', '/send/to?username=bob&amount=7'],
      ['/pay/@alice?amount=7&note=K%C3%A4se+und%20mehr', '/pay/@alice?amount=7&note=K%C3%A4se+und%20mehr'],
      [`/pay/@alice?note=${'%F0%9F%A6%8A'.repeat(140)}`, `/pay/@alice?note=${'%F0%9F%A6%8A'.repeat(140)}`],
      // What does not fit into the cookie is left out.
      [`/pay/@alice?note=${'x'.repeat(10_000)}`, '/pay/@alice'],
      ['/pay/@alice?note=<b>', '/pay/@alice'],
      [`/${'x'.repeat(10_000)}`, '/'],
      ['/?to=//evil.example', '/?to=//evil.example'],
      ['/pay\r\nSet-Cookie: a=b', '/'],
      ['/pay?x=\r\nSet-Cookie: a=b', '/pay'],
      ['/\t/evil.example', '/'],
      ['/.//evil.example', '/'],
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
      const page = await finish(cookie, state);
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
      expect(resultOf(await finish(given!, said!))).toEqual(['/?login=expired', false]);
    }
  });

  it.each([
    [new PayError('auth.invalid', { reason: 'code' }), '/?login=failed'],
    [new PayError('service.unavailable', { dependency: 'identity issuer' }), '/?login=unavailable'],
    [new PayError('account.closed'), '/?login=closed'],
  ])('that the issuer or the service refuses is reported by the wallet: %s', async (error, location) => {
    issuer.refuses = error;
    const { cookie, state } = await begin();
    const page = await finish(cookie, state);
    issuer.refuses = undefined;
    expect(resultOf(page)).toEqual([location, false]);
  });

  it('returns to the page of the link when it fails, and says why', async () => {
    issuer.refuses = new PayError('account.closed');
    const { cookie, state } = await begin(`to=${encodeURIComponent('/pay/@alice?amount=7')}`);
    const page = await finish(cookie, state);
    issuer.refuses = undefined;
    expect(resultOf(page)).toEqual(['/pay/@alice?amount=7&login=closed', false]);
  });
});

describe('the issuer is asked only about logins that a server has begun:', () => {
  const EXPIRED = ['/?login=expired', false];
  const sealed = (parts: readonly string[]) => `__Host-florin-login=${parts.join('.')}`;
  async function beginParts() {
    const { cookie, state } = await begin();
    const [id = '', login = '', code = ''] = cookie.slice('__Host-florin-login='.length).split('.');
    return {
      cookie,
      state,
      id,
      login,
      code,
      content: JSON.parse(Buffer.from(login, 'base64url').toString()) as object,
    };
  }
  const write = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');

  it('200 forged callbacks do not reach it', async () => {
    const { id, code, content } = await beginParts();
    const before = issuer.codes;
    for (let i = 0; i < 200; i++) {
      const state = String(i).padEnd(43, 's');
      const login = write({ ...content, state });
      const keyless = createHmac('sha256', '').update(`wallet login ${id}.${login}`).digest('base64url');
      const given = [sealed([login]), sealed([id, login, code]), sealed([id, login, keyless]), sealed([login, code])];
      expect(resultOf(await finish(given[i % given.length]!, state))).toEqual(EXPIRED);
    }
    expect(issuer.codes).toBe(before);
  });

  it('an altered cookie does not, whatever part was altered', async () => {
    const { state, id, login, code, content } = await beginParts();
    const before = issuer.codes;
    for (const parts of [
      [id, write({ ...content, to: '/elsewhere' }), code],
      [id, write({ ...content, endsAtMs: Date.now() + 9e9 }), code],
      [`0${id}`, login, code],
      [String(Number(id) + 1), login, code],
      ['999999999999999999', login, code],
      [id, login, `${code[0] === 'A' ? 'B' : 'A'}${code.slice(1)}`],
      [id, login, code.slice(1)],
      [id, login, ''],
      [id, login],
    ])
      expect([parts, ...resultOf(await finish(sealed(parts), state))]).toEqual([parts, ...EXPIRED]);
    expect(issuer.codes).toBe(before);
    expect(resultOf(await finish(sealed([id, login, code]), state))).toEqual(['/', true]);
  });

  it('a login does once, with one code, at whatever server', async () => {
    const { cookie, state } = await begin();
    const before = issuer.codes;
    expect(resultOf(await finish(cookie, state, other.wallet))).toEqual(['/', true]);
    for (const at of [wallet, other.wallet]) expect(resultOf(await finish(cookie, state, at, 'd'))).toEqual(EXPIRED);
    expect(issuer.codes).toBe(before + 1);
  });

  it('at the same moment, once too', async () => {
    const { cookie, state } = await begin();
    const before = issuer.codes;
    const pages = await Promise.all([wallet, other.wallet].map((at) => finish(cookie, state, at)));
    expect(pages.map(resultOf).sort()).toEqual([['/', true], EXPIRED]);
    expect(issuer.codes).toBe(before + 1);
  });

  it('a login that took more than ten minutes does not', async () => {
    const slow = await begin();
    const late = await begin();
    const before = issuer.codes;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 599_000 });
    try {
      expect(resultOf(await finish(slow.cookie, slow.state))).toEqual(['/', true]);
      vi.setSystemTime(Date.now() + 2_000);
      expect(resultOf(await finish(late.cookie, late.state))).toEqual(EXPIRED);
    } finally {
      vi.useRealTimers();
    }
    expect(issuer.codes).toBe(before + 1);
  });

  it('the secret changes every day, and logins that have begun under the old one go on', async () => {
    const ids = async () =>
      (await db.query<{ id: string }>('SELECT secret_id::text AS id FROM login_secrets')).map(({ id }) => id);
    const admin = openDatabase(database.adminUrl, { maxConnections: 1 });
    onTestFinished(() => admin.close());
    const age = (interval: string) =>
      admin.query('UPDATE login_secrets SET created_at = now() - $1::interval', [interval]);
    const first = await beginParts();
    expect((await beginParts()).id).toBe(first.id);
    await age('1 day 9 minutes');
    const second = await beginParts();
    expect(await ids()).toEqual([first.id, second.id]);
    expect(resultOf(await finish(first.cookie, first.state, other.wallet))).toEqual(['/', true]);
    // A secret that was stolen from a backup is worth nothing.
    const third = await beginParts();
    await age('1 day 16 minutes');
    expect(resultOf(await finish(third.cookie, third.state))).toEqual(EXPIRED);
    await age('3 days');
    const { id } = await beginParts();
    expect(await ids()).toEqual([id]);
  });
});

describe('the limit of logins', () => {
  const own = { origin: ORIGIN };
  const junk = '__Host-florin-session=flr_guess';
  const forged = '__Host-florin-login=forged';

  it('counts logins of an address, failed attempts of an address, and refreshes of a session separately', async () => {
    const cookie = await logIn();
    const begun = await begin();
    const count = async (work: () => Promise<unknown>) => {
      logins.counted = [];
      await work().catch(() => {});
      return logins.counted;
    };
    expect(await count(() => finish(begun.cookie, begun.state))).toEqual(['login 192.0.2.1']);
    for (const failed of [
      () => finish(forged, 's'),
      () => finish(begun.cookie, 'another state'),
      () => wallet.open(request({ cookie: junk, ...own }), visit),
      () => wallet.refresh(request({ cookie: junk, ...own }), visit),
    ])
      expect(await count(failed)).toEqual(['failed 192.0.2.1']);
    const [session] = await count(() => wallet.refresh(request({ cookie, ...own }), visit));
    expect(session).toMatch(/^[0-9a-f-]{36}$/);
    // A used cookie still names its session.
    expect(await count(() => wallet.refresh(request({ cookie, ...own }), visit))).toEqual([session]);
    // Without a cookie there is nothing to guess, and another site cannot use up the logins of its visitors.
    expect(await count(() => wallet.open(request(own), visit))).toEqual([]);
    expect(await count(() => wallet.refresh(request({ cookie, origin: 'https://evil.example' }), visit))).toEqual([]);
    expect(await count(() => finish('', 's'))).toEqual([]);
  });

  it('is checked before the issuer is asked or a token is exchanged', async () => {
    const cookie = await logIn();
    const begun = await begin();
    const before = issuer.codes;
    const limited = { code: 'rate.limited' };
    logins.usedUp = ['login', 'session', 'failed'];
    for (const refused of [
      () => finish(begun.cookie, begun.state),
      () => finish(forged, 's'),
      () => wallet.open(request({ cookie, ...own }), visit),
      () => wallet.refresh(request({ cookie, ...own }), visit),
      () => wallet.refresh(request({ cookie: junk, ...own }), visit),
    ])
      await expect(refused()).rejects.toMatchObject(limited);
    expect(issuer.codes).toBe(before);
    // Someone who sends junk from the same address keeps no one from logging in or from staying logged in.
    logins.usedUp = ['failed'];
    expect(resultOf(await finish(begun.cookie, begun.state))).toEqual(['/', true]);
    logins.usedUp = ['failed', 'login'];
    expect((await refresh(cookie)).session).not.toBeNull();
    logins.usedUp = [];
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
      const page = await wallet.open(request({ cookie, origin: ORIGIN }), visit);
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
    await expect(wallet.refresh(request({ cookie }), visit)).rejects.toMatchObject({ code: 'request.origin' });
    await expect(wallet.open(request({ cookie }), visit)).rejects.toMatchObject({ code: 'request.origin' });
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
