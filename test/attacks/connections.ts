/** Attacks with connections, hosts and paths. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { base64url } from 'jose';
import { expect } from 'vitest';
import { type Attack, count, logIn } from '../support/attacks.ts';
import { eventually } from '../support/eventually.ts';
import { BROKEN_KINDS, breakConnections } from '../support/http/breakConnections.ts';
import { raw, statusOf } from '../support/http/raw.ts';
import { howMany } from '../support/run/thorough.ts';
import { startTestServer } from '../support/server.ts';

const ask = async (url: string, line: string, ...headers: string[]) =>
  raw(url, `${[`${line} HTTP/1.1`, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`);

export const brokenConnections: Attack = {
  attack: 'CONNECT and every other broken connection, many in parallel, on three ports',
  wanted: 'the process lives; 200, 200, 200',
  async probe({ florin, service: { authorization } }) {
    const api = { goodPath: '/openapi.json', largePath: '/docs/viewer.js' };
    const targets = [
      { name: 'web3', url: florin.web3Url, postPath: '/wallet/send-usdc', authorization, ...api },
      { name: 'backend', url: florin.backendUrl, postPath: '/api/v1/login', ...api },
      { name: 'ops', url: florin.opsUrl, goodPath: '/healthz', largePath: '/metrics', postPath: '/healthz' },
    ];
    await Promise.all(targets.map((target) => breakConnections(target, BROKEN_KINDS, howMany(30, 100))));
    // Broken connections count against the limit per address until the server has closed them.
    const answers = await Promise.all(
      targets.map(({ url, goodPath }) => eventually(() => ask(url, `GET ${goodPath}`, 'Host: localhost'))),
    );
    return `the process ${florin.isAlive() ? 'lives' : 'died'}; ${answers.map(statusOf).join(', ')}`;
  },
};

export const flood: Attack = {
  attack: 'A flood of pages and wrong paths, then of connections, from one address',
  wanted: '30 answers of 60, then 429; 5 connections of 20 stay open',
  async probe() {
    const server = await startTestServer({ FLORIN_RATE_LIMITS: 'address=30', FLORIN_CONNECTIONS: 'address=5' });
    const paths = ['/docs', '/openapi.json', '/nothing', '/errors/auth.invalid', '/docs/'];
    const statuses: { status: number }[] = [];
    for (let i = 0; i < 60; i++)
      statuses.push({
        status: Number(statusOf(await ask(server.backendUrl, `GET ${paths[i % 5]}`, 'Host: localhost'))),
      });
    const refused = count(statuses, 429);
    const { hostname, port } = new URL(server.web3Url);
    const open = new Set(Array.from({ length: 20 }, () => connect(Number(port), hostname)));
    for (const socket of open) socket.on('error', () => {}).on('close', () => open.delete(socket));
    // By then the server has had time to close more of them.
    await eventually(async () => expect(open.size).toBeLessThanOrEqual(5));
    await sleep(500);
    const stay = open.size;
    for (const socket of open) socket.destroy();
    await server.stop();
    return `${60 - refused} answers of 60, then 429; ${stay} connections of 20 stay open`;
  },
};

export const hiddenPaths: Attack = {
  attack: 'Two Hosts; paths with %2f or control characters',
  wanted: 'two Hosts 400 and 400; paths 400 ×6, none found another way',
  async probe(world) {
    const { florin, mallory } = world;
    const hosts = ['localhost', 'evil.example'].map((name) => `Host: ${name}`);
    const twice = await ask(florin.backendUrl, 'GET /openapi.json', ...hosts);
    const ops = await ask(florin.opsUrl, 'GET /healthz', ...hosts);
    const bearer = `Authorization: ${mallory.bearer.authorization}`;
    const service = `Authorization: ${world.service.authorization}`;
    const path = `latest_transactions_by_username/${mallory.name}`;
    const answers = await Promise.all([
      ask(florin.backendUrl, `GET /api%2Fv1/${path}`, 'Host: localhost', bearer),
      ask(florin.backendUrl, `GET /api/v1%2f${path}`, 'Host: localhost', bearer),
      ask(florin.backendUrl, `GET /api/v1/${path}%0a`, 'Host: localhost', bearer),
      ask(florin.backendUrl, `GET /api/v1/${path}%00`, 'Host: localhost', bearer),
      ask(florin.web3Url, 'GET /circle/transaction/a%0D%0Ab', 'Host: localhost', service),
      ask(florin.web3Url, 'GET /docs%2Fviewer.js', 'Host: localhost'),
    ]);
    const refused = answers.filter((heard) => statusOf(heard) === '400').length;
    const others = answers.map(statusOf).filter((status) => status !== '400');
    return `two Hosts ${statusOf(twice)} and ${statusOf(ops)}; paths 400 ×${refused}, ${others.length === 0 ? 'none' : others.join()} found another way`;
  },
};

export const rebinding: Attack = {
  attack: 'DNS rebinding: a page whose own name resolves to us, without a list of our names',
  wanted: 'the API 403 without CORS; the operations port 421, by its address 200',
  async probe({ florin }) {
    const evil = 'Host: evil.example:9464';
    const api = await ask(florin.backendUrl, 'GET /openapi.json', evil, 'Origin: http://evil.example:9464');
    const cors = /access-control-allow-origin/i.test(api) ? 'with' : 'without';
    const ops = await ask(florin.opsUrl, 'GET /metrics', evil);
    const own = await ask(florin.opsUrl, 'GET /metrics', `Host: ${new URL(florin.opsUrl).host}`);
    return `the API ${statusOf(api)} ${cors} CORS; the operations port ${statusOf(ops)}, by its address ${statusOf(own)}`;
  },
};

export const oddTokens: Attack = {
  attack: 'ID tokens with members of the wrong type: "typ":1 unsigned, exp 1e15',
  wanted: '401 claims, 401 claims',
  async probe(world) {
    const { florin } = world;
    const encode = (value: object) => base64url.encode(JSON.stringify(value));
    const unsigned = `${encode({ alg: 'ES256', typ: 1 })}.${encode({ iss: florin.issuer.url })}.AAAA`;
    const eternal = await florin.issuer.sign({ sub: 'mallory', exp: 1e15 });
    return `${await logIn(world, unsigned)}, ${await logIn(world, eternal)}`;
  },
};
