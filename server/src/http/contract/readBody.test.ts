import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CLIENT_GONE, readBody } from './readBody.ts';

let server: Server;
let seen: (Buffer | unknown)[];
let prepare: (request: IncomingMessage) => Promise<void> | undefined;
const sockets: Socket[] = [];

beforeEach(async () => {
  seen = [];
  prepare = () => undefined;
  server = createServer(async (request, response) => {
    await prepare(request);
    const body = await readBody(request, 1_000).catch((error: unknown) => error);
    seen.push(body);
    response.end(Buffer.isBuffer(body) ? body : 'refused');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

function open(): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
  sockets.push(socket.on('error', () => {}).resume());
  return socket;
}

const head = (length: number | 'chunked'): string =>
  `POST / HTTP/1.1\r\nHost: here\r\n${length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`}\r\n\r\n`;
const texts = (): string[] => seen.map(String);

it('reads a body that comes with its head', async () => {
  open().write(`${head(5)}hello`);
  await expect.poll(texts).toEqual(['hello']);
});

it('reads a body of a known length that comes in parts', async () => {
  const socket = open();
  const asked = once(server, 'request');
  socket.write(`${head(6)}he`);
  await asked;
  socket.write('ll');
  await new Promise((done) => setTimeout(done, 20));
  expect(seen).toEqual([]);
  socket.write('o!');
  await expect.poll(texts).toEqual(['hello!']);
});

it('reads bodies without a length, of no length, and several of one packet', async () => {
  open().write(`${head('chunked')}2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`);
  await expect.poll(texts).toEqual(['hello']);
  let heard = '';
  const socket = open().on('data', (bytes) => {
    heard += bytes;
  });
  socket.write(`${head(0)}${head(3)}one${head(3)}two`);
  // They may be read in any order, and are answered in the order of the requests.
  await expect
    .poll(() => [...heard.matchAll(/\r\n\r\n(one|two|)/g)].map(([, body]) => body))
    .toEqual(['', 'one', 'two']);
});

it('refuses a body larger than the limit, declared or not', async () => {
  open().write(head(1_001));
  await expect.poll(() => seen).toMatchObject([{ code: 'request.too_large' }]);
  open().write(`${head('chunked')}3e9\r\n${'x'.repeat(1_001)}\r\n0\r\n\r\n`);
  await expect.poll(() => seen).toMatchObject([{ code: 'request.too_large' }, { code: 'request.too_large' }]);
});

it('reports that the client has gone, also half way and before it began to read', async () => {
  const halfway = open();
  const asked = once(server, 'request');
  halfway.write(`${head(6)}he`);
  await asked;
  halfway.destroy();
  await expect.poll(() => seen).toEqual([CLIENT_GONE]);

  prepare = (request) => new Promise((done) => request.once('close', done));
  const early = open();
  const askedAgain = once(server, 'request');
  early.write(head(6));
  await askedAgain;
  early.destroy();
  await expect.poll(() => seen).toEqual([CLIENT_GONE, CLIENT_GONE]);
});
