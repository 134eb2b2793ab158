/** Who gets into the operator console, and how a session ends. Readings: `test/bin/consoleReadings.test.ts`. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseRanges } from '../../server/src/http/connections/findAddress.ts';
import { type Browser, openConsole, passwordOf, type TestConsole } from '../support/console/openConsole.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { runAsAdmin } from '../support/database.ts';
import { operate } from '../support/operate.ts';
import { asOperator, loginOf } from '../support/operators.ts';

let database: TestDatabase;
let site: TestConsole;
beforeAll(async () => {
  database = await openTestDatabase();
  site = await openConsole(
    database.url,
    { anna: 'admin', rita: 'risk', sven: 'support', rolf: 'support' },
    {
      proxies: parseRanges(['127.0.0.1']),
    },
  );
});
afterAll(async () => {
  await site?.stop();
  await database?.remove();
});

const COOKIE = 'florin-console-session';
const codeOf = async (browser: Browser, path = '/api/networks') => {
  const { status, body } = await browser.get(path);
  return status === 200 ? 200 : `${status} ${body.code}${body.why ? ` ${body.why}` : ''}`;
};
const stateOf = async (browser: Browser) => (await browser.get('/api/session')).body;
/** The open connections of this operator at the console. */
const countConnections = async (login: 'anna' | 'rita' | 'sven') =>
  (
    await database.admin.query(
      `SELECT FROM pg_stat_activity WHERE usename = $1 AND application_name = 'florin-console-operator'
        AND datname = current_database()`,
      [loginOf(login)],
    )
  ).length;

describe('a login', () => {
  it('takes an OpenID account of the roster and the password of its database login', async () => {
    const browser = site.open();
    expect(await stateOf(browser)).toEqual({ state: 'none' });
    expect(await codeOf(browser)).toBe('401 console.login_required');
    const back = await site.identify(browser, 'sven');
    expect([back.status, back.headers.get('location')]).toEqual([303, '/payments']);
    expect(back.headers.get('set-cookie')).toMatch(
      /^florin-console-session=[\w-]{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/,
    );
    expect(await stateOf(browser)).toEqual({ state: 'password', operator: loginOf('sven') });
    expect(await codeOf(browser)).toBe('401 console.password_required');
    const before = browser.cookies.get(COOKIE);
    const opened = await browser.post('/session/password', { password: passwordOf(database.url, 'sven') });
    expect(opened.body).toMatchObject({ state: 'open', operator: loginOf('sven'), role: 'support' });
    // Whoever knew the cookie before the password has nothing now.
    expect(browser.cookies.get(COOKIE)).not.toBe(before);
    expect(await codeOf(browser)).toBe(200);
    const [entry] = await database.admin.query('SELECT actor, action FROM audit_log ORDER BY audit_id DESC LIMIT 1');
    expect(entry).toEqual({ actor: `operator:${loginOf('sven')}`, action: 'operator.login' });
  });

  it('is refused to others, to wrong passwords, and after five of those to the right one too', async () => {
    const stranger = site.open();
    expect((await site.identify(stranger, 'mallory')).headers.get('location')).toBe('/payments?login=unknown');
    expect(await stateOf(stranger)).toEqual({ state: 'none' });
    const browser = site.open();
    await site.identify(browser, 'rolf');
    const attempts: unknown[] = [];
    for (let attempt = 0; attempt < 5; attempt++)
      attempts.push((await browser.post('/session/password', { password: `wrong ${attempt}` })).body.code);
    expect(attempts).toEqual(Array(5).fill('console.password_wrong'));
    // A new OpenID login does not give new attempts.
    await site.identify(browser, 'rolf');
    const limited = await browser.post('/session/password', { password: passwordOf(database.url, 'rolf') });
    expect([limited.status, limited.body.code]).toEqual([429, 'rate.limited']);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(60);
  });

  it('is bound to the browser that began it, and its code is used by no other', async () => {
    const browser = site.open();
    const begun = await browser.get('/session/login?to=//evil.example');
    const state = new URL(begun.headers.get('location')!).searchParams.get('state');
    const before = site.issuer.codes.length;
    for (const other of [site.open(), browser]) {
      const said = other === browser ? 'another state' : state;
      const { headers } = await other.get(`/callback?code=anna&state=${said}`);
      expect(headers.get('location')).toBe('/?login=expired');
    }
    expect(site.issuer.codes.length).toBe(before);
    const denied = await browser.get(`/callback?error=access_denied&state=${state}`);
    expect(denied.headers.get('location')).toBe('/?login=cancelled');
  });
});

describe('a session', () => {
  it('ends with a click, and its connection with it', async () => {
    const browser = await site.logIn('anna');
    await codeOf(browser);
    expect(await countConnections('anna')).toBeGreaterThan(0);
    expect((await browser.post('/session/end', {})).body).toEqual({ state: 'none', why: 'ended' });
    expect(await codeOf(browser)).toBe('401 console.login_required');
    await vi.waitFor(async () => expect(await countConnections('anna')).toBe(0), { timeout: 20_000 });
  });

  it('ends when no one uses it, at its longest, and also when a page polls in the background', async () => {
    const used = await site.logIn('sven');
    const polled = await site.logIn('sven');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    try {
      for (let minutes = 0; minutes < 20; minutes += 5) {
        vi.setSystemTime(Date.now() + 300_000);
        await used.get('/api/networks');
        await polled.get('/api/networks', { 'x-background': 'yes' });
      }
      expect(await codeOf(used)).toBe(200);
      expect(await codeOf(polled)).toBe('401 console.login_required idle');
      for (let hours = 0; hours < 8; hours++) {
        for (let part = 0; part < 6; part++) {
          vi.setSystemTime(Date.now() + 600_000);
          await used.get('/api/session');
          await used.get('/api/networks');
        }
      }
      expect(await stateOf(used)).toEqual({ state: 'none', why: 'expired' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('of an operator who was removed, unlinked or has no database login any more ends at the next request', async () => {
    const ends: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
      [
        'removed',
        () => asOperator(database.url, 'anna', (db) => operate(db, 'operator', 'remove', loginOf('rita'))),
        () => database.admin.query(`INSERT INTO operators (name, role) VALUES ($1, 'risk')`, [loginOf('rita')]),
      ],
      [
        'unlinked',
        () => asOperator(database.url, 'anna', (db) => operate(db, 'operator', 'unlink', loginOf('rita'))),
        async () => {},
      ],
    ];
    for (const [what, end, restore] of ends) {
      await asOperator(database.url, 'anna', (db) =>
        operate(db, 'operator', 'link', loginOf('rita'), site.issuer.url, 'rita'),
      );
      const browser = await site.logIn('rita');
      expect([what, await codeOf(browser)]).toEqual([what, 200]);
      await end();
      expect([what, await codeOf(browser)]).toEqual([what, '401 console.login_required removed']);
      expect([what, await stateOf(browser)]).toEqual([what, { state: 'none', why: 'removed' }]);
      await restore();
    }
  });

  it('is of no use to a thief who has the cookie elsewhere, and goes on for its owner', async () => {
    const browser = await site.logIn('sven');
    for (const address of ['203.0.113.9', '2001:db8::1', '127.0.0.2']) {
      const stolen = { 'x-forwarded-for': address };
      expect((await browser.get('/api/networks', stolen)).body.code).toBe('console.login_required');
      expect((await browser.get('/api/session', stolen)).body).toEqual({ state: 'none' });
      expect((await browser.post('/session/password', { password: 'x' }, stolen)).status).toBe(401);
    }
    expect(await codeOf(browser)).toBe(200);
  });

  it('has the role that the operator has now', async () => {
    const browser = await site.logIn('sven');
    await asOperator(database.url, 'anna', (db) => operate(db, 'operator', 'add', loginOf('sven'), '--role', 'risk'));
    expect(await stateOf(browser)).toMatchObject({ state: 'open', role: 'risk' });
    await asOperator(database.url, 'anna', (db) =>
      operate(db, 'operator', 'add', loginOf('sven'), '--role', 'support'),
    );
  });

  it('outlives its connections: the next request opens a new one', async () => {
    const browser = await site.logIn('sven');
    await database.admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [
      loginOf('sven'),
    ]);
    const codes = [await codeOf(browser), await codeOf(browser)];
    expect(codes.filter((code) => code !== 200 && code !== '503 service.unavailable')).toEqual([]);
    expect(await codeOf(browser)).toBe(200);
  });
});

describe('another site, or another name of this one,', () => {
  it('can neither log an operator out nor give a password', async () => {
    const browser = await site.logIn('sven');
    for (const path of ['/session/end', '/session/password']) {
      for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
        const { status, body } = await browser.post(path, { password: 'x' }, { origin });
        expect([path, origin, status, body.code]).toEqual([path, origin, 403, 'request.origin']);
      }
      const form = await browser.post(path, {}, { 'content-type': 'text/plain' });
      expect([path, form.status, form.body.code]).toEqual([path, 400, 'console.invalid']);
    }
    expect(await codeOf(browser)).toBe(200);
  });

  it('is not answered', async () => {
    const status = await new Promise((resolve, reject) => {
      request(new URL('/api/session', site.url), { headers: { host: 'evil.example' } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(421);
  });
});

it('a database without a connection to give is a clear error, and the session stays', async () => {
  const browser = await site.logIn('sven');
  const name = new URL(database.url).pathname.slice(1);
  await runAsAdmin(`ALTER DATABASE "${name}" CONNECTION LIMIT 0`);
  try {
    await runAsAdmin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${loginOf('sven')}'`);
    await vi.waitFor(async () => expect(await codeOf(browser)).toBe('503 service.unavailable'), { timeout: 20_000 });
  } finally {
    await runAsAdmin(`ALTER DATABASE "${name}" CONNECTION LIMIT -1`);
  }
  await vi.waitFor(async () => expect(await codeOf(browser)).toBe(200), { timeout: 20_000 });
});
