import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuthority } from '../../../../test/support/http/certificate.ts';
import { listen } from '../../../../test/support/http/listen.ts';
import { openReceivers } from './openReceivers.ts';

const receivers = openReceivers({ allowsLoopback: true });
const sockets = new Set<Socket>();
let server: Server;
let url: string;
let calls = 0;
/** The headers of the answer. */
let said: Record<string, string> = { 'retry-after': '7' };

beforeAll(async () => {
  server = createServer((request, response) => {
    calls++;
    request.resume().on('end', () => response.writeHead(200, said).end(`call ${calls}`));
  });
  server.on('connection', (socket) => sockets.add(socket));
  url = `http://localhost:${await listen(server)}/path`;
});
afterAll(() => {
  receivers.close();
  server.closeAllConnections();
  server.close();
});

const post = (to = url) => receivers.post({ url: to, headers: { 'x-a': '1' }, body: '{}' });

it('posts to a receiver over one connection, and over another when it was closed in between', async () => {
  expect(await post()).toEqual({ status: 200, text: 'call 1', retryAfterSeconds: 7 });
  expect((await post()).text).toBe('call 2');
  expect(sockets.size).toBe(1);
  for (const socket of sockets) socket.destroy();
  expect((await post()).text).toBe('call 3');
  expect(sockets.size).toBe(2);
});

it.each([
  ['Wed, 21 Oct 2026 07:28:30 GMT', 90],
  // A date in the past.
  ['Wed, 21 Oct 2026 07:26:00 GMT', 0],
  ['120', 120],
  ['Wed, 41 Oct 2026 07:28:30 GMT', undefined],
  ['2026-10-21T07:28:30Z', undefined],
  ['soon', undefined],
  ['-1', undefined],
])("reads Retry-After %s by the receiver's own clock", async (text, seconds) => {
  said = { 'retry-after': text, date: 'Wed, 21 Oct 2026 07:27:00 GMT' };
  expect((await post()).retryAfterSeconds).toBe(seconds);
});

it('refuses a certificate without a trusted issuer', async () => {
  const tls = createTlsServer(createAuthority().issue(), (_, response) => response.end());
  const port = await listen(tls);
  await expect(post(`https://localhost:${port}/`)).rejects.toThrow(/certificate|self.signed|verify/i);
  tls.closeAllConnections();
  tls.close();
});

it('reports that nothing is listening', async () => {
  await expect(post('http://127.0.0.1:1/')).rejects.toThrow(/ECONNREFUSED/);
});

it('a private address is never called in production, also when a name leads to it', async () => {
  let calls = 0;
  const inside = createServer((_, response) => {
    calls++;
    response.end();
  });
  const port = await listen(inside);
  const closed = openReceivers({ allowsLoopback: false });
  for (const host of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '[::1]', '[fd00::1]', 'localhost'])
    await expect(closed.post({ url: `https://${host}/`, headers: {}, body: '{}' })).rejects.toThrow(/not public/);
  for (const url of [
    `http://127.0.0.1:${port}/`,
    `https://127.0.0.1:${port}/`,
    'https://u:p@example.com/',
    'ftp://a.example/',
  ])
    await expect(closed.post({ url, headers: {}, body: '{}' })).rejects.toThrow(/https|port|credentials/);
  // The sandbox allows this machine, but nothing else of the network around it.
  await expect(receivers.post({ url: 'https://10.0.0.1/', headers: {}, body: '{}' })).rejects.toThrow(/not public/);
  await expect(receivers.post({ url: 'http://example.com/', headers: {}, body: '{}' })).rejects.toThrow(/https/);
  closed.close();
  await new Promise((done) => inside.close(done));
  expect(calls).toBe(0);
});
