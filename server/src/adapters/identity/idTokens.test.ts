import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import {
  base64url,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthority } from '../../../../test/support/http/certificate.ts';
import { listen } from '../../../../test/support/http/listen.ts';
import type { Reach } from '../supplied/fetchSupplied.ts';
import { idTokens } from './idTokens.ts';
import { appleIssuer, firebaseIssuer, googleIssuer, oidcIssuer } from './issuerRule.ts';

/** An issuer on a real socket, with discovery, keys, and faults that tests can switch on. */
let server: Server;
let url: string;
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let other: Awaited<ReturnType<typeof generateKeyPair>>;
const issuer = {
  requests: 0,
  fault: 'none' as 'none' | 'down' | 'hang' | 'lies' | 'huge' | 'redirects' | 'null key' | 'no key',
  kid: 'one',
  /** The `jwks_uri` of the discovery document, if it is not on this server. */
  jwksUri: undefined as string | undefined,
};

beforeAll(async () => {
  keys = await generateKeyPair('ES256');
  other = await generateKeyPair('ES256');
  const jwk = await exportJWK(keys.publicKey);
  server = createServer((request, answer) => {
    issuer.requests++;
    if (issuer.fault === 'hang') return;
    if (issuer.fault === 'down') answer.writeHead(500).end();
    else if (issuer.fault === 'huge') answer.end(`"${'x'.repeat(400_000)}"`);
    else if (issuer.fault === 'redirects' && request.url?.startsWith('/.well'))
      answer.writeHead(302, { location: '/jwks' }).end();
    else if (issuer.fault === 'null key' && request.url === '/jwks') answer.end('{"keys":[null,5,"x"]}');
    else if (issuer.fault === 'no key' && request.url === '/jwks') answer.end('{"keys":[]}');
    else if (request.url === '/.well-known/openid-configuration') {
      const said = issuer.fault === 'lies' ? 'https://evil.example' : url;
      answer.end(JSON.stringify({ issuer: said, jwks_uri: issuer.jwksUri ?? `${url}/jwks` }));
    } else answer.end(JSON.stringify({ keys: [{ ...jwk, kid: issuer.kid, alg: 'ES256' }] }));
  });
  url = `http://127.0.0.1:${await listen(server)}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => Object.assign(issuer, { requests: 0, fault: 'none', kid: 'one', jwksUri: undefined }));

const seconds = () => Math.floor(Date.now() / 1000);
const rule = () => oidcIssuer({ issuer: url, audiences: ['florin'], identity: 'test-people' });

async function token(claims: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}, key = keys.privateKey) {
  const base = { iss: url, aud: 'florin', sub: 'alice', iat: seconds(), exp: seconds() + 600 };
  const payload = Object.fromEntries(Object.entries({ ...base, ...claims }).filter(([, value]) => value !== undefined));
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'one', ...header }).sign(key);
}

const refusal = async (idToken: string, tokens = idTokens([rule()])) =>
  tokens.verify(idToken).then(
    () => 'accepted',
    (error) => error.details?.reason ?? error.code,
  );

describe('an ID token', () => {
  it('identifies the person', async () => {
    const idToken = await token({ email: 'Alice@Example.com', email_verified: 'true' });
    const { identity, expiresAt } = await idTokens([rule()]).verify(idToken);
    expect(expiresAt.getTime()).toBeGreaterThan(Date.now());
    expect(identity).toEqual({
      issuer: 'test-people',
      subject: 'alice',
      email: 'alice@example.com',
      emailVerified: true,
    });
  });

  const unsigned = (header: object, claims: object) =>
    `${base64url.encode(JSON.stringify(header))}.${base64url.encode(JSON.stringify(claims))}.`;

  it.each<[string, string, () => Promise<string>]>([
    ['of another issuer', 'issuer', () => token({ iss: 'https://evil.example' })],
    ['without an issuer', 'issuer', () => token({ iss: undefined as never })],
    ['for another audience', 'audience', () => token({ aud: 'someone-else' })],
    ['for several audiences, requested by another', 'audience', () => token({ aud: ['florin', 'x'], azp: 'x' })],
    ['signed with another key', 'signature', () => token({}, {}, other.privateKey)],
    ['with a changed signature', 'signature', async () => `${(await token()).slice(0, -6)}AAAAAA`],
    ['without a signature (alg none)', 'algorithm', async () => unsigned({ alg: 'none' }, { iss: url, sub: 'alice' })],
    [
      'signed by HMAC with the public key',
      'algorithm',
      async () =>
        new SignJWT({ iss: url, aud: 'florin', sub: 'alice', iat: seconds(), exp: seconds() + 600 })
          .setProtectedHeader({ alg: 'HS256', kid: 'one' })
          .sign(new TextEncoder().encode(await exportSPKI(keys.publicKey))),
    ],
    ['that expired', 'expired', () => token({ iat: seconds() - 900, exp: seconds() - 300 })],
    ['issued more than a day ago', 'expired', () => token({ iat: seconds() - 100_000 })],
    ['from the future (nbf)', 'not_yet_valid', () => token({ nbf: seconds() + 300 })],
    ['from the future (iat)', 'not_yet_valid', () => token({ iat: seconds() + 300 })],
    ['without an expiry', 'claims', () => token({ exp: undefined as never })],
    ['without a time of issue', 'claims', () => token({ iat: undefined as never })],
    ['without a subject', 'subject', () => token({ sub: undefined as never })],
    ['with an empty subject', 'subject', () => token({ sub: '' })],
    ['with half a character as subject', 'subject', () => token({ sub: 's\ud800' })],
    ['with a NUL in its subject', 'subject', () => token({ sub: 'a\0b' })],
    ['that is an access token', 'claims', () => token({}, { typ: 'at+jwt' })],
    [
      'without a signature, of a type that is not text',
      'claims',
      async () => unsigned({ alg: 'ES256', typ: 1 }, { iss: url }),
    ],
    ['of a type that is a list', 'claims', () => token({}, { typ: ['JWT', 'x'] as never })],
    ['with an algorithm that is not text', 'algorithm', async () => unsigned({ alg: 1 }, { iss: url })],
    ['with a key id that is not text', 'unknown_key', async () => unsigned({ alg: 'ES256', kid: 1 }, { iss: url })],
    ['with an issuer that is not text', 'issuer', async () => unsigned({ alg: 'ES256' }, { iss: { a: 1 } })],
    ['that expires beyond any date', 'claims', () => token({ exp: 1e15 })],
    ['that expires after the year 9999', 'claims', () => token({ exp: 253_402_300_800 })],
    ['that is a logout token', 'claims', () => token({ events: {} })],
    ['with a subject that is not a string', 'subject', () => token({ sub: 7 as never })],
    [
      'that contains its own key',
      'header_key',
      async () => token({}, { jwk: await exportJWK(other.publicKey) }, other.privateKey),
    ],
    ['that names its own key set', 'header_key', () => token({}, { jku: `${url}/jwks` })],
    ['that names its own certificate', 'header_key', () => token({}, { x5u: 'https://evil.example/cert' })],
    ['with an unknown key id', 'unknown_key', () => token({}, { kid: 'two' })],
    ['that is not a token', 'malformed', async () => 'hello'],
    ['that is empty', 'malformed', async () => ''],
    ['with a payload that is not JSON', 'malformed', async () => `${(await token()).split('.')[0]}.eA.AAAA`],
    ['of 20,000 characters', 'malformed', () => token({ pad: 'x'.repeat(20_000) })],
  ])('%s is refused: %s', async (_, reason, make) => {
    expect(await refusal(await make())).toBe(reason);
  });

  it('of an anonymous Firebase user is refused; presets accept their spellings only', async () => {
    const asLocal = (preset: ReturnType<typeof firebaseIssuer>) => ({
      ...preset,
      jwksUri: `${url}/jwks`,
      algorithms: ['ES256'],
    });
    const firebase = idTokens([asLocal(firebaseIssuer('shop'))]);
    const claims = { iss: 'https://securetoken.google.com/shop', aud: 'shop' };
    expect(await refusal(await token({ ...claims, firebase: { sign_in_provider: 'anonymous' } }), firebase)).toBe(
      'anonymous',
    );
    expect(await refusal(await token({ ...claims, firebase: { sign_in_provider: 'google.com' } }), firebase)).toBe(
      'accepted',
    );
    const google = idTokens([asLocal(googleIssuer(['web'])), asLocal(appleIssuer(['app']))]);
    const short = await google.verify(await token({ iss: 'accounts.google.com', aud: 'web' }));
    expect(short.identity.issuer).toBe('https://accounts.google.com');
    expect(await refusal(await token({ iss: 'https://appleid.apple.com', aud: 'web' }), google)).toBe('audience');
  });
});

describe('when the issuer has a fault', () => {
  it.each(['down', 'lies', 'huge', 'redirects', 'null key', 'no key'] as const)(
    '%s: 503, and then it recovers',
    async (fault) => {
      const tokens = idTokens([rule()], { retryMs: 0 });
      issuer.fault = fault;
      expect(await refusal(await token(), tokens)).toBe('service.unavailable');
      issuer.fault = 'none';
      expect(await refusal(await token(), tokens)).toBe('accepted');
    },
  );

  it('never hangs', async () => {
    issuer.fault = 'hang';
    expect(await refusal(await token(), idTokens([rule()], { timeoutMs: 100 }))).toBe('service.unavailable');
  });

  it('cached keys keep working through an outage, and stop after a day', async () => {
    let clock = Date.now();
    const tokens = idTokens([rule()], { now: () => clock });
    const long = await token({ exp: seconds() + 500_000 });
    expect(await refusal(long, tokens)).toBe('accepted');
    for (const fault of ['down', 'null key', 'no key'] as const) {
      issuer.fault = fault;
      clock += 3_600_000;
      expect(await refusal(long, tokens)).toBe('accepted');
      expect(await refusal(await token({}, { kid: 'two' }), tokens)).toBe('service.unavailable');
    }
    clock += 86_400_000;
    expect(await refusal(long, tokens)).toBe('service.unavailable');
  });

  it('a rotated key is found, and unknown key ids cannot make us flood the issuer', async () => {
    let clock = Date.now();
    const tokens = idTokens([rule()], { now: () => clock });
    expect(await refusal(await token(), tokens)).toBe('accepted');
    issuer.requests = 0;
    for (let i = 0; i < 50; i++)
      expect(await refusal(await token({}, { kid: `k${i}` }), tokens)).toBe('service.unavailable');
    expect(issuer.requests).toBe(0);
    clock += 31_000;
    issuer.kid = 'two';
    const many = Array.from({ length: 50 }, () => token({}, { kid: 'two' }).then((made) => refusal(made, tokens)));
    expect(new Set(await Promise.all(many))).toEqual(new Set(['accepted']));
    expect(issuer.requests).toBe(2);
  });

  it('a key that was rotated in after the last fetch is refused for now, until the issuer may be asked again', async () => {
    let clock = Date.now();
    const tokens = idTokens([rule()], { now: () => clock });
    expect(await refusal(await token(), tokens)).toBe('accepted');
    issuer.kid = 'two';
    clock += 12_000;
    const rotated = await token({}, { kid: 'two' });
    const early = await tokens.verify(rotated).catch((error) => error);
    expect([early.code, early.details]).toEqual([
      'service.unavailable',
      { dependency: 'identity issuer', retry_after_seconds: 18 },
    ]);
    clock += 18_000;
    expect(await refusal(rotated, tokens)).toBe('accepted');
    // The keys that were just fetched do not have this one: it is unknown, not new.
    clock += 30_000;
    expect(await refusal(await token({}, { kid: 'three' }), tokens)).toBe('unknown_key');
  });

  it('unknown key ids cannot make us flood the issuer while it is down either', async () => {
    const clock = Date.now();
    const tokens = idTokens([rule()], { now: () => clock });
    issuer.fault = 'down';
    for (let i = 0; i < 50; i++)
      expect(await refusal(await token({}, { kid: `k${i}` }), tokens)).toBe('service.unavailable');
    expect(issuer.requests).toBe(1);
  });
});

describe("keys outside the issuer's own origin", () => {
  const authority = createAuthority();
  let otherServer: TlsServer;
  let asked: string[] = [];
  beforeAll(async () => {
    const jwk = await exportJWK(keys.publicKey);
    otherServer = createTlsServer(authority.issue(), (request, answer) => {
      asked.push(`${request.headers.host}${request.url}`);
      answer.end(JSON.stringify({ keys: [{ ...jwk, kid: 'one', alg: 'ES256' }] }));
    });
    await new Promise<void>((done) => otherServer.listen(0, '127.0.0.1', done));
  });
  afterAll(() => {
    otherServer.closeAllConnections();
    otherServer.close();
  });
  beforeEach(() => {
    asked = [];
  });
  const port = () => (otherServer.address() as AddressInfo).port;
  const reach = (address: string): Reach => ({
    resolve: async () => [address],
    connect: (_address, _port, name) =>
      connect({ host: '127.0.0.1', port: port(), servername: name, ca: authority.cert }),
  });

  it('are fetched from a public address', async () => {
    issuer.jwksUri = 'https://localhost/keys';
    expect(await refusal(await token(), idTokens([rule()], { reach: reach('93.184.215.14') }))).toBe('accepted');
    expect(asked).toEqual(['localhost/keys']);
  });

  it.each<[string, () => string, Reach | undefined]>([
    ['this machine', () => `https://127.0.0.1:${port()}/keys`, undefined],
    ['this machine by name', () => 'https://localhost/keys', undefined],
    ['another port of the issuer', () => `http://127.0.0.1:${port()}/keys`, undefined],
    ['a name that resolves to our network', () => 'https://localhost/keys', reach('169.254.169.254')],
    ['nothing', () => 'keys', undefined],
  ])('are not fetched from %s', async (_, where, inside) => {
    issuer.jwksUri = where();
    const tokens = idTokens([rule()], inside && { reach: inside });
    expect(await refusal(await token(), tokens)).toBe('service.unavailable');
    expect(asked).toEqual([]);
  });
});

describe('what operators see of an issuer', () => {
  it.each([
    ['down', 'status 500'],
    ['hang', 'aborted due to timeout'],
    ['lies', 'the discovery document names another issuer'],
    ['huge', 'the answer has more'],
    ['null key', 'a JWK set without a usable key'],
  ] as const)('%s: no one can log in, and why', async (fault, why) => {
    issuer.fault = fault;
    const [standing] = await idTokens([rule()], { timeoutMs: fault === 'hang' ? 200 : 60_000 }).probe();
    expect(standing).toMatchObject({ name: `issuer ${url}`, status: 'down' });
    expect(standing!.says).toContain(why);
  });

  it('healthy, and during an outage that cached keys are used; it is not polled more often than for logins', async () => {
    let now = Date.now();
    const tokens = idTokens([rule()], { now: () => now });
    expect(await tokens.probe()).toEqual([{ name: `issuer ${url}`, status: 'ok' }]);
    issuer.fault = 'down';
    await tokens.probe();
    expect(issuer.requests).toBe(2);
    now += 31_000;
    expect(await tokens.probe()).toMatchObject([{ status: 'degraded' }]);
    issuer.fault = 'none';
    now += 31_000;
    expect(await tokens.probe()).toMatchObject([{ status: 'ok' }]);
  });
});
