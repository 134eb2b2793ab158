/** Attacks on HTTP, web pages and the log. */
import { type Attack, key, payment, send } from '../support/attacks.ts';
import { raw, statusOf } from '../support/http/raw.ts';

export const pollution: Attack = {
  attack: 'Prototype pollution, mass assignment',
  wanted: '200; only the declared members are used',
  async probe(world) {
    const { florin, db, mallory } = world;
    const body = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"tier":0,"kyc_status":"approved","user_id":"${mallory.userId}","username":"mallory"}`;
    const { status } = await florin.call('POST', '/api/v1/set_username', body, mallory.bearer);
    const [row] = await db.query<{ kyc_status: string }>('SELECT kyc_status FROM users WHERE user_id = $1', [
      mallory.userId,
    ]);
    const next = await florin.call('GET', '/api/v1/sessions', undefined, mallory.bearer);
    const clean = row!.kyc_status === 'none' && next.status === 200 && !('polluted' in next.body);
    return `${status}; ${clean ? 'only the declared members are used' : 'another member was used'}`;
  },
};

const SMUGGLED =
  'POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n' +
  '0\r\n\r\nGET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n';

export const smuggling: Attack = {
  attack: 'Smuggling: Content-Length with Transfer-Encoding, plain and over TLS',
  wanted: '400 and closed, the second request unheard; over TLS: 400 and closed, the second request unheard',
  async probe({ florin, tls }) {
    const describe = (heard: string) => {
      const answers = heard.match(/HTTP\/1\.1 \d+/g)?.length;
      return `${statusOf(heard)} and closed, the second request ${answers === 1 ? 'unheard' : 'heard'}`;
    };
    const plain = describe(await raw(florin.backendUrl, SMUGGLED));
    return `${plain}; over TLS: ${describe(await raw(tls.backendUrl, SMUGGLED, tls.authority))}`;
  },
};

const HEAD = 'POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

/** Started early: the server allows ten seconds for the head and thirty for a request. */
export const startSlowly = (florin: { backendUrl: string }, tls: { backendUrl: string; authority: string }) => ({
  head: raw(florin.backendUrl, 'POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nX-Slow: '),
  body: raw(florin.backendUrl, `${HEAD}Content-Length: 100\r\n\r\n{"id_`),
  overTls: raw(tls.backendUrl, 'POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', tls.authority),
});

export const slowloris: Attack = {
  attack: 'Slowloris, huge body',
  wanted: 'slow head 408, slow body 408, over TLS 408, all closed; huge 413, also with a false Content-Length',
  async probe({ florin, slow }) {
    const [head, body, overTls] = (await Promise.all([slow.head, slow.body, slow.overTls])).map(statusOf);
    const huge = await florin.call('POST', '/api/v1/login', { id_token: 'x'.repeat(300_000) });
    const chunk = `${(300_000).toString(16)}\r\n${'x'.repeat(300_000)}\r\n0\r\n\r\n`;
    const hidden = statusOf(await raw(florin.backendUrl, `${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk}`));
    return `slow head ${head}, slow body ${body}, over TLS ${overTls}, all closed; huge ${huge.status}, ${hidden === '413' ? 'also' : 'not'} with a false Content-Length`;
  },
};

export const foreignPages: Attack = {
  attack: 'CORS, CSRF, DNS rebinding',
  wanted: 'form body 422; foreign Origin 403 without CORS; foreign Host 421 in the sandbox',
  async probe(world) {
    const { florin, sandbox, mallory } = world;
    const body = JSON.stringify(payment(world, mallory));
    const form = await fetch(`${florin.backendUrl}/api/v1/send_usdc`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', ...mallory.bearer, ...key() },
      body,
    });
    const foreign = await send(world, mallory, payment(world, mallory), { ...key(), origin: 'https://evil.example' });
    const cors = foreign.headers.get('access-control-allow-origin') === null ? 'without' : 'with';
    const rebound = 'GET /openapi.json HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n';
    const host = statusOf(await raw(sandbox.backendUrl, rebound));
    return `form body ${form.status}; foreign Origin ${foreign.status} ${cors} CORS; foreign Host ${host} in the sandbox`;
  },
};

export const logInjection: Attack = {
  attack: 'Log injection',
  wanted: 'every line is JSON; no token and no address in any',
  async probe(world) {
    const { florin, mallory, victim } = world;
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
};
