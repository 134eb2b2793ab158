/** Clients that open many connections, read nothing, or ask for more than they read. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type BlockList, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthority } from '../../../../test/support/http/certificate.ts';
import { listen } from '../../../../test/support/http/listen.ts';
import { howMany } from '../../../../test/support/run/thorough.ts';
import { createApi } from '../contract/createApi.ts';
import { openExchange, send } from '../contract/exchange.ts';
import { BODY_LIMIT_BYTES, readBody } from '../contract/readBody.ts';
import { readDocument } from '../contract/readDocument.ts';
import { parseRanges } from './findAddress.ts';
import { type ConnectionLimits, limitConnections } from './limitConnections.ts';
import { limitPipelining } from './limitPipelining.ts';
import { surviveSocketErrors } from './surviveSocketErrors.ts';
import { type Patience, writeBody } from './writeBody.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  // Clients first: a server that closes waits for them.
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(server: Server): Promise<number> {
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return listen(surviveSocketErrors(server));
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  closing.push(() => socket.destroy());
  return socket;
}

const closed = (socket: Socket) => new Promise<void>((done) => socket.on('close', done).resume());
const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** The server's output, as soon as `isEnough` accepts it. */
async function hear(socket: Socket, isEnough: (heard: string) => boolean): Promise<string> {
  let heard = '';
  socket.on('data', (part) => {
    heard += part.toString('latin1');
  });
  await expect.poll(() => isEnough(heard)).toBe(true);
  return heard;
}

describe('connections', () => {
  async function serveLimited(limits: ConnectionLimits, proxies?: BlockList): Promise<number> {
    return serve(
      limitConnections(
        createServer((_, response) => response.end('hello')),
        limits,
        proxies,
      ),
    );
  }
  const ask = async (socket: Socket) => {
    socket.write(GET('/'));
    return Promise.race([hear(socket, (heard) => heard.endsWith('hello')), closed(socket).then(() => 'closed')]);
  };

  it('of one address are refused beyond their limit, until one is closed', async () => {
    const port = await serveLimited({ all: 100, address: 3 });
    const first = [open(port), open(port), open(port)];
    for (const socket of first) expect(await ask(socket)).toContain('200 OK');
    await closed(open(port));
    await closed(open(port));
    first[0]!.destroy();
    await expect.poll(() => ask(open(port))).toContain('200 OK');
    await closed(open(port));
  });

  it('of a trusted proxy are not counted', async () => {
    const port = await serveLimited({ all: 100, address: 3 }, parseRanges(['127.0.0.0/8']));
    for (let i = 0; i < 10; i++) expect(await ask(open(port))).toContain('200 OK');
  });

  it('are refused beyond the total limit, and idle ones are closed', async () => {
    const port = await serveLimited({ all: 4, address: 100 });
    const idle = Array.from({ length: 4 }, () => open(port));
    for (const socket of idle) expect(await ask(socket)).toContain('200 OK');
    await expect.poll(() => ask(open(port))).toContain('200 OK');
    expect(idle.some((socket) => socket.destroyed)).toBe(true);
  });
});

describe('bodies that stop half way', () => {
  it('by the hundred do not block a complete one', async () => {
    const port = await serve(
      createServer((request, response) => {
        readBody(request).then(
          (body) => response.end(`${body.length} bytes`),
          (error) => response.end(String(error.code ?? 'gone')),
        );
      }),
    );
    const almost = Buffer.alloc(BODY_LIMIT_BYTES - 1, 'a');
    const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${BODY_LIMIT_BYTES}\r\n\r\n`;
    const stalled = await Promise.all(
      Array.from(
        { length: 270 },
        () =>
          new Promise<Socket>((done) => {
            const socket = open(port).resume();
            socket.write(head);
            socket.write(almost, () => done(socket));
          }),
      ),
    );
    // Bytes that the kernel has accepted may still be on their way to the server.
    await expect.poll(() => stalled.filter((socket) => socket.closed).length, { timeout: 30_000 }).toBeGreaterThan(0);
    for (let i = 0; i < 20; i++) {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'hello' });
      expect(await answer.text()).toBe('5 bytes');
    }
    // Only the oldest were closed, and no more than necessary.
    expect(stalled.filter((socket) => socket.closed).length).toBeLessThan(60);
    stalled.at(-1)!.write('b');
    expect(await hear(stalled.at(-1)!, (heard) => heard.includes('bytes'))).toContain(`${BODY_LIMIT_BYTES} bytes`);
  });
});

describe('a large answer', () => {
  const BODY = Buffer.alloc(4_000_000, 'abcdefghij');

  async function serveBody(patience?: Patience): Promise<{ port: number; responses: ServerResponse[] }> {
    const responses: ServerResponse[] = [];
    const server = createServer((_, response) => {
      responses.push(response);
      response.writeHead(200, { 'content-length': BODY.length });
      writeBody(response, BODY, patience);
    });
    return { port: await serve(server), responses };
  }

  it('arrives completely, also behind earlier ones on the same connection', async () => {
    const { port } = await serveBody();
    const socket = open(port);
    socket.write(GET('/').repeat(3));
    const heard = await hear(socket, (text) => text.length > 3 * BODY.length + 100);
    const bodies = heard.split(/HTTP\/1\.1 200 OK\r\n(?:.+\r\n)+\r\n/).slice(1);
    expect(bodies.map((body) => body === BODY.toString())).toEqual([true, true, true]);
  });

  it('is sent piece by piece to a client that does not read, which is then disconnected', async () => {
    const { port, responses } = await serveBody({ stalledMs: 3_000, bytesPerSecond: 1_000_000 });
    const socket = open(port).pause();
    socket.write(GET('/'));
    // A slow machine may check only after the disconnection.
    await expect.poll(() => responses[0]?.writableNeedDrain || responses[0]?.destroyed).toBe(true);
    // The memory that Node holds for it, without the kernel's buffers.
    expect(responses[0]!.writableLength).toBeLessThan(200_000);
    await expect.poll(() => responses[0]!.destroyed).toBe(true);
    await closed(socket);
  });

  it('of an operation is a text, and sent piece by piece like the others', async () => {
    const responses: ServerResponse[] = [];
    const host = { name: 'backend', observe: undefined, headers: [], closing: false };
    const port = await serve(
      createServer((request, response) => {
        responses.push(response);
        const exchange = openExchange(host, request, response, '127.0.0.1');
        send(exchange, { status: 200, body: BODY.toString().replaceAll('j', 'é') });
      }),
    );
    const stalled = open(port).pause();
    stalled.write(GET('/'));
    await expect.poll(() => responses[0]?.writableNeedDrain).toBe(true);
    expect(responses[0]!.writableLength).toBeLessThan(200_000);
    const reader = open(port);
    reader.write(GET('/'));
    const heard = await hear(reader, (text) => text.length > BODY.length * 1.1);
    expect(Buffer.from(heard, 'latin1').toString().endsWith('abcdefghié')).toBe(true);
  });

  it('cannot be read byte by byte forever', async () => {
    const { port, responses } = await serveBody({ stalledMs: 1_000, bytesPerSecond: 4_000_000 });
    const socket = open(port).pause();
    socket.write(GET('/'));
    const reading = setInterval(() => socket.read(1_000), 20);
    await expect.poll(() => responses[0]?.destroyed).toBe(true);
    clearInterval(reading);
  });
});

describe('over TLS', () => {
  const authority = createAuthority();
  const current = authority.issue();

  /** Without the heap of JavaScript, which grows with everything that runs before it is collected. */
  function measureBuffers(): number {
    const { rss, heapTotal } = process.memoryUsage();
    return rss - heapTotal;
  }

  it('many clients that read nothing hold little of our memory', async () => {
    const api = createApi({
      name: 'backend',
      document: readDocument('backend'),
      operations: {},
      partial: true,
      items: 'brief',
      logger: false,
      tls: { current, onRenewal: () => {} },
    });
    const { port } = new URL(await api.listen({ host: '127.0.0.1', port: 0 }));
    closing.push(() => api.close());
    const ask = () =>
      new Promise<void>((done) => {
        const socket = connectTls({ port: Number(port), host: '127.0.0.1', ca: authority.cert }, () => {
          socket.pause();
          socket.write(GET('/docs/viewer.js').repeat(3), () => done());
        });
        socket.on('error', () => {});
        closing.push(() => socket.destroy());
      });
    await ask();
    await sleep(1_000);
    const before = measureBuffers();
    await Promise.all(Array.from({ length: howMany(40, 100) }, ask));
    await sleep(2_000);
    // Without back-pressure each would hold the four megabytes that it asked for. They are in this process too.
    expect((measureBuffers() - before) / 1e6).toBeLessThan(howMany(120, 250));
  });

  it('connections beyond the limits affect only themselves', async () => {
    const server = createTlsServer(current, (_, response) => void response.end('hello'));
    const port = await serve(limitConnections(server, { all: 1_000, address: 2 }));
    const dial = () =>
      new Promise<string>((done) => {
        const socket = connectTls({ port, host: '127.0.0.1', ca: authority.cert }, () => done('open'));
        socket.on('error', () => done('refused'));
        closing.push(() => socket.destroy());
      });
    expect([await dial(), await dial()]).toEqual(['open', 'open']);
    expect(await Promise.all([dial(), dial(), dial()])).toEqual(['refused', 'refused', 'refused']);
  });
});

describe('requests on one connection', () => {
  const serveApi = async () => {
    const api = createApi({
      name: 'backend',
      document: readDocument('backend'),
      operations: {},
      partial: true,
      items: 'brief',
      logger: false,
    });
    closing.push(() => api.close());
    return Number(new URL(await api.listen({ host: '127.0.0.1', port: 0 })).port);
  };
  const answers = (heard: string) => heard.split('HTTP/1.1 404').length - 1;

  it('may come before the answers to earlier ones', async () => {
    const socket = open(await serveApi());
    socket.write(GET('/nothing').repeat(15));
    expect(answers(await hear(socket, (heard) => answers(heard) === 15 && heard.endsWith('}')))).toBe(15);
  });

  const ASKED = 500;
  /** Most requests wait for the answer to the first. */
  const MOST_WAITING = 16;

  it('are not buffered by the hundred while they wait for an answer', async () => {
    let taken = 0;
    // The first is never answered.
    const listener = limitPipelining(() => {
      taken += 1;
    });
    const socket = open(await serve(createServer(listener)));
    socket.resume().write(GET('/').repeat(ASKED));
    await expect.poll(() => socket.closed || taken === ASKED).toBe(true);
    expect({ taken, isClosed: socket.closed }).toEqual({ taken: 1 + MOST_WAITING, isClosed: true });
  });

  it('are not buffered by the hundred by an API', async () => {
    const socket = open(await serveApi());
    let heard = '';
    socket.on('data', (part) => {
      heard += part.toString('latin1');
    });
    socket.write(GET('/nothing').repeat(ASKED));
    await expect.poll(() => socket.closed || answers(heard) === ASKED).toBe(true);
    expect(answers(heard)).toBeLessThanOrEqual(1 + MOST_WAITING);
  });
});
