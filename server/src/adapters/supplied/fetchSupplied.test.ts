import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthority } from '../../../../test/support/http/certificate.ts';
import { listen } from '../../../../test/support/http/listen.ts';
import { fetchSupplied, type Reach, type SuppliedRequest, UrlRefused } from './fetchSupplied.ts';
import { isPublicAddress } from './isPublicAddress.ts';

const PUBLIC = '93.184.215.14';
const authority = createAuthority();
let server: Server;
let port: number;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const sockets = new Set<Duplex>();

beforeAll(async () => {
  server = createServer(authority.issue(), (request, response) => answer(request, response));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  port = await listen(server);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  answer = (_, response) => response.end('hello');
});

/** A fake internet: every address leads to our server. It records what was resolved and connected to. */
function internet(resolve: (call: number, name: string) => readonly string[] | Promise<readonly string[]>) {
  const seen = { resolved: 0, connected: [] as string[] };
  const reach: Reach = {
    resolve: async (name) => resolve(++seen.resolved, name),
    connect(address, asked, name) {
      seen.connected.push(`${address}:${asked}`);
      return connect({ host: '127.0.0.1', port, servername: name, ca: authority.cert });
    },
  };
  const ask = (url: string, request: SuppliedRequest = {}) => fetchSupplied(url, { reach, ...request });
  return { seen, ask, reach };
}
const safe = () => internet(() => [PUBLIC]);

describe('a URL supplied by another party', () => {
  it('is called at the checked address, under its own name', async () => {
    const { seen, ask } = internet(() => [PUBLIC, '2606:4700::1111']);
    let heard = {};
    answer = (request, response) => {
      heard = { method: request.method, url: request.url, host: request.headers.host, a: request.headers['x-a'] };
      let body = '';
      request
        .on('data', (part: Buffer) => (body += part))
        .on('end', () => response.writeHead(201, { 'x-b': '2' }).end(body));
    };
    const got = await ask('https://localhost/path?q=1', { method: 'POST', body: 'text', headers: { 'x-a': '1' } });
    expect([got.status, got.headers['x-b'], got.body.toString()]).toEqual([201, '2', 'text']);
    expect(heard).toEqual({ method: 'POST', url: '/path?q=1', host: 'localhost', a: '1' });
    expect(seen).toEqual({ resolved: 1, connected: [`${PUBLIC}:443`] });
  });

  it.each([
    ['without TLS', 'http://localhost/'],
    ['of another scheme', 'file:///etc/passwd'],
    ['with a name and a password', 'https://user:pass@localhost/'],
    ['with a name', 'https://user@localhost/'],
    ['on another port', 'https://localhost:8443/'],
    ['on the port of a database', 'https://localhost:5432/'],
    ['that is not a URL', 'localhost'],
  ])('%s is refused before its name is resolved', async (_, url) => {
    const { seen, ask } = safe();
    await expect(ask(url)).rejects.toThrow(UrlRefused);
    expect(seen).toEqual({ resolved: 0, connected: [] });
  });

  it.each([
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '10.0.0.1', '169.254.169.254', '0'],
    ...['[::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fd00::1]', '[fe80::1]'],
  ])('at %s is refused without a connection', async (host) => {
    const { seen, ask } = safe();
    await expect(ask(`https://${host}/`)).rejects.toThrow(UrlRefused);
    expect(seen).toEqual({ resolved: 0, connected: [] });
  });

  it.each([
    ['only private ones', ['192.168.1.1']],
    ['a private one among public ones', [PUBLIC, '10.0.0.1', '2606:4700::1111']],
    ['an IPv4-mapped one', ['::ffff:169.254.169.254']],
    ['none', []],
  ])('whose name has %s is refused', async (_, addresses) => {
    const { seen, ask } = internet(() => addresses);
    await expect(ask('https://localhost/')).rejects.toThrow(UrlRefused);
    expect(seen.connected).toEqual([]);
  });

  it('cannot rebind: its name is resolved once, and the checked address is connected to', async () => {
    const { seen, ask } = internet((call) => (call === 1 ? [PUBLIC] : ['127.0.0.1']));
    expect((await ask('https://localhost/')).body.toString()).toBe('hello');
    expect(seen).toEqual({ resolved: 1, connected: [`${PUBLIC}:443`] });
    await expect(ask('https://localhost/')).rejects.toThrow(UrlRefused);
    expect(seen.connected.every((place) => isPublicAddress(place.replace(/:443$/, '')))).toBe(true);
  });

  it.each([301, 302, 303, 307, 308])(
    'that redirects with %i is refused, and the redirect is not followed',
    async (status) => {
      const { seen, ask } = safe();
      answer = (_, response) => response.writeHead(status, { location: 'https://localhost/other' }).end();
      await expect(ask('https://localhost/')).rejects.toThrow(UrlRefused);
      expect(seen.connected).toHaveLength(1);
    },
  );

  it.each<[string, typeof answer]>([
    ['an answer that never comes', () => {}],
    ['an answer byte by byte', (_, response) => void setInterval(() => response.write('x'), 20).unref()],
  ])('%s ends at the time limit, and so does the connection', async (_, given) => {
    const { ask } = safe();
    answer = given;
    await expect(ask('https://localhost/', { timeoutMs: 150 })).rejects.toThrow(/abort|within 150 ms/);
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('ends when its name is never resolved, and when the caller aborts', async () => {
    const { seen, ask } = internet(() => new Promise(() => {}));
    await expect(ask('https://localhost/', { timeoutMs: 50 })).rejects.toThrow(/within 50 ms/);
    const signal = AbortSignal.abort(new Error('not wanted any more'));
    await expect(ask('https://localhost/', { signal })).rejects.toThrow('not wanted any more');
    expect(seen.connected).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['says so', { 'content-length': '300000' }],
    ['does not declare it', {}],
  ])('an answer that is too large and %s is aborted', async (_, headers) => {
    const { ask } = safe();
    answer = (_, response) => response.writeHead(200, headers).end('x'.repeat(300_000));
    await expect(ask('https://localhost/')).rejects.toThrow(/262144 bytes/);
    expect((await ask('https://localhost/', { maxBytes: 300_000 })).body).toHaveLength(300_000);
  });

  it('whose answer breaks off is an error', async () => {
    const { ask } = safe();
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half');
      setTimeout(() => response.destroy(), 20);
    };
    await expect(ask('https://localhost/')).rejects.toThrow(/aborted/);
  });

  it('must have a certificate for its name', async () => {
    const { ask } = safe();
    await expect(ask('https://example.com/')).rejects.toThrow(/altnames|Hostname/);
  });

  it('is called at its next address when the first does not answer', async () => {
    const { seen, ask, reach } = internet(() => [PUBLIC, '2606:4700::1111']);
    const half: Reach = {
      resolve: reach.resolve,
      // Port 1 of this machine refuses immediately.
      connect: (address, port, name) =>
        address === PUBLIC ? connect({ host: '127.0.0.1', port: 1 }) : reach.connect(address, port, name),
    };
    expect((await ask('https://localhost/', { reach: half })).status).toBe(200);
    expect(seen.connected).toEqual(['2606:4700::1111:443']);
  });
});
