/** Attacks with forged ID tokens and keys. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { base64url, SignJWT } from 'jose';
import { fetchSupplied, UrlRefused } from '../../server/src/adapters/supplied/fetchSupplied.ts';
import { type Attack, logIn } from '../support/attacks.ts';
import { listen } from '../support/http/listen.ts';
import { operate } from '../support/operate.ts';

export const forgedTokens: Attack = {
  attack: 'Forged ID tokens: alg none, HS256, kid, jku, x5u, issuer, audience',
  wanted: '401 ×6, 503 ×1',
  async probe(world) {
    const { florin } = world;
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: florin.issuer.url, aud: 'florin', sub: 'victim_shop', iat: now, exp: now + 600 };
    const none = `${base64url.encode('{"alg":"none"}')}.${base64url.encode(JSON.stringify(claims))}.`;
    const shared = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(new TextEncoder().encode('a secret that everybody knows, of 32'));
    const tokens = [
      none,
      shared,
      await florin.issuer.sign(claims, { kid: '../../dev/null' }),
      await florin.issuer.sign(claims, { jku: 'https://evil.example/jwks' }),
      await florin.issuer.sign(claims, { x5u: 'https://evil.example/cert' }),
      await florin.issuer.sign({ ...claims, iss: 'https://evil.example' }),
      await florin.issuer.sign({ ...claims, aud: 'another app' }),
    ];
    const answers = await Promise.all(tokens.map((token) => logIn(world, token)));
    // The issuer may have begun to use an unknown key since its keys were fetched.
    const count = (status: string) => answers.filter((answer) => answer.startsWith(status)).length;
    return `401 ×${count('401')}, 503 ×${count('503')}`;
  },
};

export const jwksFlood: Attack = {
  attack: 'JWKS flood: 50 unknown keys',
  wanted: 'all 401 or 503; the issuer gets at most two more requests',
  async probe(world) {
    const { florin } = world;
    const before = florin.issuer.keyRequests;
    const tokens = await Promise.all(
      Array.from({ length: 50 }, () => florin.issuer.sign({ sub: 'x' }, { kid: randomUUID() })),
    );
    const answers = await Promise.all(tokens.map((token) => logIn(world, token)));
    const all = answers.every((answer) => /^(401|503)/.test(answer)) ? 'all 401 or 503' : answers.join();
    const asked = florin.issuer.keyRequests - before;
    return `${all}; the issuer gets ${asked <= 2 ? 'at most two' : asked} more requests`;
  },
};

export const tokenReplay: Attack = {
  attack: 'ID-token replay',
  wanted: '200, then 401 spent',
  async probe(world) {
    const { florin } = world;
    const idToken = await florin.issuer.sign({ sub: 'replayed' });
    return `${await logIn(world, idToken)}, then ${await logIn(world, idToken)}`;
  },
};

/** Ways to write the address of this machine, of its network, and of cloud metadata services. */
const INSIDE = [
  ...['https://127.0.0.1/', 'https://127.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://localhost/'],
  ...['https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[64:ff9b::7f00:1]/', 'https://[2002:7f00:1::]/'],
  ...['https://169.254.169.254/latest/meta-data', 'https://10.0.0.1/', 'https://100.64.0.1/', 'https://[fd00::1]/'],
  ...['http://example.com/', 'https://user:pass@example.com/', 'https://example.com:5432/', 'file:///etc/passwd'],
];

/** The parts of an API that accept a URL from a caller. */
function findTaking(name: string): string[] {
  const document = JSON.parse(readFileSync(new URL(`../../openapi/${name}.json`, import.meta.url), 'utf8'));
  const { paths, components } = document as {
    paths: Record<string, Record<string, { parameters?: unknown; requestBody?: unknown }>>;
    components: { schemas: Record<string, unknown> };
  };
  const takes = (part: unknown, seen: readonly string[] = []): boolean => {
    const text = JSON.stringify(part ?? null);
    if (/"\w*(url|uri|callback)\w*":\{/i.test(text)) return true;
    const named = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, schema]) => schema!);
    return named.some((schema) => !seen.includes(schema) && takes(components.schemas[schema], [...seen, schema]));
  };
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).some(({ parameters, requestBody }) => takes(parameters) || takes(requestBody)) ? [path] : [],
  );
  return [...new Set(found.map((path) => path.split('/')[3] ?? path))];
}

export const ssrf: Attack = {
  attack: 'SSRF: a trusted issuer names a key set inside our network',
  wanted: `login 503, the internal key set not fetched; ${INSIDE.length} of ${INSIDE.length} forms refused; only webhooks accept a URL, and refuse them too`,
  async probe(world) {
    const { florin } = world;
    let asked = 0;
    // The server trusts this certificate, so only the SSRF guard protects it.
    const inside = createServer(florin.certificate, (_, response) => {
      asked++;
      response.end('{"keys":[]}');
    });
    florin.rogue.jwksUri = `https://localhost:${await listen(inside)}/jwks`;
    const login = await logIn(world, await florin.rogue.sign({ sub: 'anybody' }));
    inside.close();
    const refusals = await Promise.all(INSIDE.map((url) => fetchSupplied(url).catch((error: Error) => error)));
    const refused = refusals.filter((one) => one instanceof UrlRefused).length;
    const printed = await operate(world.db, 'key', 'create', 'hooks', '--scope', 'webhooks');
    const authorization = `Bearer ${/fsk_\S+/.exec(printed)![0]}`;
    const kept: string[] = [];
    for (const url of INSIDE) {
      const { status } = await florin.call('POST', '/api/v1/webhooks', { url, types: ['*'] }, { authorization });
      if (status < 400) kept.push(url);
    }
    const taking = ['web3', 'backend'].flatMap((name) => findTaking(name));
    return `login ${login}, the internal key set ${asked === 0 ? 'not fetched' : 'fetched'}; ${refused} of ${INSIDE.length} forms refused; only ${taking.join(', ')} accept a URL, ${kept.length === 0 ? 'and refuse them too' : `which accepted ${kept.join(', ')}`}`;
  },
};
