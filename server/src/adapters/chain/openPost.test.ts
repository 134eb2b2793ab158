import { createServer, type RequestListener, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../../../../test/support/http/listen.ts';
import { openPost } from './openPost.ts';

let server: Server;
let url: string;
let respond: RequestListener;
beforeAll(async () => {
  server = createServer((request, response) => respond(request, response));
  url = `http://127.0.0.1:${await listen(server)}/a/key?of=ours`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const GZIP = { 'content-encoding': 'gzip' };

it('posts the body to the path, and returns status and text', async () => {
  respond = (request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => response.writeHead(418).end(`${request.method} ${request.url} ${body}`));
  };
  expect(await openPost(url, 1_000)('é€', 5_000)).toEqual({ status: 418, text: 'POST /a/key?of=ours é€' });
});

it('reads compressed answers, and refuses those that expand beyond the limit', async () => {
  const post = openPost(url, 1_000);
  respond = (_, response) => response.writeHead(200, GZIP).end(gzipSync('a'.repeat(1_000)));
  expect(await post('', 5_000)).toEqual({ status: 200, text: 'a'.repeat(1_000) });
  respond = (_, response) => response.writeHead(200, GZIP).end(gzipSync('a'.repeat(1_001)));
  await expect(post('', 5_000)).rejects.toThrow('the answer has more than 1000 bytes');
  respond = (_, response) => response.writeHead(200, GZIP).end('not compressed');
  await expect(post('', 5_000)).rejects.toThrow(/incorrect header/);
});

it('refuses an answer that breaks off', async () => {
  respond = (request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half');
    setImmediate(() => request.socket.destroy());
  };
  await expect(openPost(url, 1_000)('', 5_000)).rejects.toThrow(/aborted/);
});

it('keeps connections open, and repeats nothing by itself', async () => {
  const post = openPost(url, 1_000);
  const sockets: unknown[] = [];
  respond = (request, response) => {
    sockets.push(request.socket);
    if (sockets.length === 3) request.socket.resetAndDestroy();
    else response.end();
  };
  await post('', 5_000);
  await post('', 5_000);
  expect(sockets[1]).toBe(sockets[0]);
  await expect(post('', 5_000)).rejects.toThrow(/ECONNRESET|socket hang up/);
  expect(sockets).toHaveLength(3);
  expect((await post('', 5_000)).status).toBe(200);
});
