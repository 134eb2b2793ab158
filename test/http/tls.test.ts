/** APIs that terminate TLS themselves, and clients that need a certificate. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as openRequest } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTls } from '../../server/src/bin/config/tlsFiles.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { type Certificate, createAuthority } from '../support/http/certificate.ts';
import { operate } from '../support/operate.ts';
import { startProduction } from '../support/production.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const OVERVIEW = '/subgraph/wallet-overview?address=0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const HOUR_MS = 3_600_000;

const folder = mkdtempSync(join(tmpdir(), 'florin-tls-'));
const write = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
afterAll(() => rmSync(folder, { recursive: true }));

const servers = createAuthority();
const clients = createAuthority();
const foreign = createAuthority();
const install = (identity: Certificate, clientCa: string) => ({
  FLORIN_TLS_CERT_FILE: write('cert.pem', identity.cert),
  FLORIN_TLS_KEY_FILE: write('key.pem', identity.key),
  FLORIN_WEB3_CLIENT_CA_FILE: write('clients.pem', clientCa),
});

let florin: TestServer;
let serviceKey: { authorization: string };
beforeAll(async () => {
  florin = await startTestServer({
    FLORIN_MODE: 'production',
    FLORIN_OIDC_ISSUERS: '[{"issuer":"https://login.example.com","audience":"florin"}]',
    ...install(servers.issue(), clients.cert),
  });
  const db = openDatabase(florin.databaseUrl);
  const printed = await operate(db, 'key', 'create', 'robot', '--scope', 'read');
  await db.close();
  serviceKey = { authorization: `Bearer ${/fsk_\S+/.exec(printed)![0]}` };
});
afterAll(() => florin.stop());

interface Asked {
  readonly client?: Certificate | undefined;
  readonly headers?: Record<string, string>;
  readonly trusts?: string;
  readonly agent?: Agent;
}
/** The status and code of the answer, or `refused` when TLS failed. */
const ask = (url: string, { client, headers = {}, trusts = servers.cert, agent }: Asked = {}): Promise<string> =>
  new Promise((resolve) => {
    const options = { ...client, ca: trusts, headers, agent: agent ?? false };
    const request = openRequest(url, options, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        const { code } = JSON.parse(text) as { code?: string };
        resolve(`${response.statusCode}${code ? ` ${code}` : ''}`);
      });
    });
    request.on('error', () => resolve('refused'));
    request.end();
  });

const dial = (url: string, options: object): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(url);
    const socket = connect({ host, port: Number(port), ca: servers.cert, ...options }, () => resolve(socket));
    socket.on('error', reject);
  });

describe('the Web3 API', () => {
  const web3 = (client: Certificate | undefined, headers: Record<string, string> = serviceKey) =>
    ask(florin.web3Url + OVERVIEW, { client, headers });

  it('accepts a client certificate of its authority together with a service key', async () => {
    expect(florin.web3Url).toMatch(/^https:/);
    expect(await web3(clients.issue())).toBe('200');
  });

  it('accepts a key that is bound to a certificate only with that certificate', async () => {
    const [own, other] = [clients.issue(), clients.issue()];
    const db = openDatabase(florin.databaseUrl);
    const fingerprint = new X509Certificate(own.cert).fingerprint256;
    const options = ['--scope', 'read', '--scope', 'send', '--any-wallet', '--certificate', fingerprint];
    const printed = await operate(db, 'key', 'create', 'bound', ...options);
    await db.close();
    const bound = { authorization: `Bearer ${/fsk_\S+/.exec(printed)![0]}` };
    expect(await web3(own, bound)).toBe('200');
    expect(await web3(other, bound)).toBe('401 auth.invalid');
    expect(await web3(own, bound)).toBe('200');
  });

  it('still requires the service key', async () => {
    expect(await web3(clients.issue(), {})).toBe('401 auth.required');
    expect(await web3(clients.issue(), { authorization: 'Bearer fsk_made_up' })).toBe('401 auth.invalid');
  });

  it.each<[string, () => Certificate | undefined]>([
    ['no certificate', () => undefined],
    ['a certificate of another authority with the same name', () => foreign.issue()],
    ['a self-signed certificate', () => foreign],
    ["a certificate of the servers' authority", () => servers.issue()],
    ['an expired certificate', () => clients.issue({ fromMs: Date.now() - 2 * HOUR_MS, toMs: Date.now() - HOUR_MS })],
    ['a certificate that is not valid yet', () => clients.issue({ fromMs: Date.now() + HOUR_MS })],
  ])('refuses %s at the handshake, before any request is read', async (_, make) => {
    const requests = () => florin.logLines.filter((line) => line.includes('"msg":"request"')).length;
    const before = requests();
    expect(await web3(make())).toBe('refused');
    expect(requests()).toBe(before);
  });

  it('resumes no session: every connection is verified', async () => {
    const { cert, key } = clients.issue();
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      let session: Buffer | undefined;
      const first = await dial(florin.web3Url, { cert, key, maxVersion });
      first.on('session', (given) => {
        session = given;
      });
      first.write(`GET ${OVERVIEW} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      await new Promise((done) => first.resume().on('close', done));
      const second = await dial(florin.web3Url, { cert, key, maxVersion, session: session ?? first.getSession() });
      expect(second.isSessionReused()).toBe(false);
      second.destroy();
    }
  });
});

describe('both APIs', () => {
  it('speak TLS 1.2 and newer, and nothing else', async () => {
    expect(await ask(`${florin.backendUrl}/api/v1/sessions`)).toBe('401 auth.required');
    const versions = (['TLSv1.2', 'TLSv1.3'] as const).map(async (version) => {
      const socket = await dial(florin.backendUrl, { minVersion: version, maxVersion: version });
      socket.destroy();
      return socket.getProtocol() ?? version;
    });
    expect(await Promise.all(versions)).toEqual(['TLSv1.2', 'TLSv1.3']);
    // OpenSSL offers such an old version only at security level 0.
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(dial(florin.backendUrl, old)).rejects.toThrow(/alert protocol version|unsupported protocol/i);
  });

  it('do not answer plain HTTP', async () => {
    const { hostname, port } = new URL(florin.backendUrl);
    const heard = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connectPlain(Number(port), hostname, () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      socket.on('error', () => {}).on('close', () => resolve(text));
    });
    expect(heard).not.toContain('HTTP');
  });

  it('refuse broken and smuggled HTTP over TLS as they do without TLS', async () => {
    const raw = async (text: string) => {
      const socket = await dial(florin.backendUrl, {});
      let heard = '';
      socket.on('data', (chunk) => {
        heard += chunk;
      });
      socket.write(text);
      await new Promise((done) => socket.on('close', done));
      return heard;
    };
    const smuggled = 'GET /docs HTTP/1.1\r\nHost: a\r\n\r\n';
    const both = 'POST /api/v1/login HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n';
    const heard = await raw(`${both}0\r\n\r\n${smuggled}`);
    expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(heard).toContain('"code":"request.malformed"');
    expect(await raw('NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('certificates that are replaced while the server runs', () => {
  it('are used by every new connection; old connections end with their next answer', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const [old, next] = [clients.issue(), foreign.issue()];
    const url = florin.web3Url + OVERVIEW;
    expect(await ask(url, { client: old, headers: serviceKey, agent })).toBe('200');
    // A connection with the old certificate is in the middle of a request when the authorities change.
    const { cert, key } = old;
    const held = await dial(florin.web3Url, { cert, key });
    held.write(`GET ${OVERVIEW} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${serviceKey.authorization}\r\n`);
    // A whole call on another connection: by then the server has read what came before it.
    expect(await ask(url, { client: old, headers: serviceKey })).toBe('200');

    const later = createAuthority();
    install(later.issue(), foreign.cert);
    florin.reload();
    expect(await ask(url, { client: old, headers: serviceKey, agent, trusts: later.cert })).toBe('refused');
    expect(await ask(url, { client: next, headers: serviceKey, trusts: later.cert })).toBe('200');
    expect(await ask(url, { client: next, headers: serviceKey, trusts: servers.cert })).toBe('refused');
    let heard = '';
    held.on('data', (chunk) => {
      heard += chunk;
    });
    held.write('\r\n');
    await new Promise((done) => held.on('close', done));
    expect(heard).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close/i);
    agent.destroy();
  });

  it('that do not match are not used, and the log says why, once', async () => {
    const before = florin.logLines.length;
    const orphan = createAuthority();
    write('cert.pem', orphan.issue().cert);
    florin.reload();
    florin.reload();
    expect(await ask(florin.web3Url + OVERVIEW, { client: foreign.issue() })).toBe('refused');
    const logged = florin.logLines.slice(before).filter((line) => line.includes('TLS'));
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0]!)).toMatchObject({
      level: 'error',
      faults: ['FLORIN_TLS_KEY_FILE is not the key of FLORIN_TLS_CERT_FILE'],
    });
    const metrics = await (await fetch(`${florin.opsUrl}/metrics`)).text();
    const [, expiry] = /florin_tls_certificate_expiry_seconds (\d+)/.exec(metrics)!;
    expect(Number(expiry) * 1000).toBeGreaterThan(Date.now());
  });
});

it('are read again on SIGHUP by a process that keeps running', async () => {
  const files = (identity: Certificate) => ({
    FLORIN_TLS_CERT_FILE: write('process-cert.pem', identity.cert),
    FLORIN_TLS_KEY_FILE: write('process-key.pem', identity.key),
  });
  const production = await startProduction(files(servers.issue()));
  const sessions = `${production.backendUrl}/api/v1/sessions`;
  expect(await ask(sessions)).toBe('401 auth.required');
  const later = createAuthority();
  files(later.issue());
  production.signal('SIGHUP');
  await expect.poll(() => ask(sessions, { trusts: later.cert })).toBe('401 auth.required');
  expect(await ask(sessions)).toBe('refused');
  await production.stop();
});

describe('files that cannot be used', () => {
  const good = servers.issue();
  const files = (cert: string, key: string, ca?: string) => ({
    certFile: write('a.pem', cert),
    keyFile: write('b.pem', key),
    ...(ca !== undefined && { clientCaFile: write('c.pem', ca) }),
  });
  const expired = { fromMs: Date.now() - 2 * HOUR_MS, toMs: Date.now() - HOUR_MS };
  const withPassphrase = (key: string) =>
    createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString();

  it.each<[string, () => Parameters<typeof readTls>[0], RegExp[]]>([
    [
      'all files missing',
      () => ({ certFile: '/no/a', keyFile: '/no/b', clientCaFile: '/no/c' }),
      [/CERT_FILE cannot be read \(ENOENT\)/, /KEY_FILE cannot be read/, /CLIENT_CA_FILE cannot be read/],
    ],
    ['a folder', () => ({ ...files(good.cert, good.key), keyFile: folder }), [/KEY_FILE cannot be read \(EISDIR\)/]],
    ['not PEM', () => files('hello', 'there', 'you'), [/CERT_FILE holds no/, /KEY_FILE holds no/, /CA_FILE holds no/]],
    ['a broken certificate', () => files(good.cert.replace(/MI/, 'XX'), good.key), [/CERT_FILE holds no certificate/]],
    ['a key with a passphrase', () => files(good.cert, withPassphrase(good.key)), [/KEY_FILE holds no private key/]],
    ["another's key", () => files(good.cert, servers.issue().key), [/KEY_FILE is not the key of/]],
    [
      'expired, both',
      () => {
        const old = servers.issue(expired);
        return files(old.cert, old.key, createAuthority(expired).cert);
      },
      [/CERT_FILE: the certificate expired at/, /CLIENT_CA_FILE: it expired at/],
    ],
    [
      'not yet valid',
      () => {
        const early = servers.issue({ fromMs: Date.now() + HOUR_MS });
        return files(early.cert, early.key);
      },
      [/is not valid before/],
    ],
    [
      'an authority file with a certificate that is not an authority',
      () => files(good.cert, good.key, servers.issue().cert),
      [/not an authority's/],
    ],
  ])('%s', (_, make, wanted) => {
    const { identity, faults } = readTls(make());
    expect(identity).toBeUndefined();
    expect(faults).toHaveLength(wanted.length);
    for (const [i, pattern] of wanted.entries()) expect(faults[i]).toMatch(pattern);
    expect(faults.join()).not.toContain('-----');
  });

  it('an expired authority beside a valid one is accepted', () => {
    const both = createAuthority(expired).cert + clients.cert;
    expect(readTls(files(good.cert, good.key, both)).faults).toEqual([]);
  });
});
