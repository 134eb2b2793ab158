import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer, request } from 'node:https';
import { exportJWK, generateKeyPair } from 'jose';
import { listen } from '../../test/support/http/listen.ts';
import { startProduction } from '../../test/support/production.ts';
import type { Judge } from './judge.ts';
import { OIDC } from './packages.ts';

const REDIRECT = 'https://wallet.shop.test/callback';

interface OidcModule {
  readonly default: new (issuer: string, configuration: object) => { callback(): RequestListener };
}

/**
 * A person logs in at a certified OpenID provider, and with its ID token at a server in production mode: with
 * discovery, its own keys, and TLS everywhere.
 */
export const judgeIssuer: Judge = async (court) => {
  const { versionOf, load } = await court.install('oidc', OIDC);
  const { default: Provider } = await load<OidcModule>('oidc-provider');
  const production = await startProduction();
  const findings: string[] = [];
  const expect = (what: string, said: unknown, wanted: unknown) => {
    if (said !== wanted) findings.push(`${what}: ${String(said)} instead of ${String(wanted)}`);
  };
  const server = createServer(production.certificate);
  const issuer = `https://localhost:${await listen(server)}`;
  server.on('request', new Provider(issuer, await configure()).callback());
  try {
    const settings = JSON.stringify([{ issuer, audience: 'florin' }]);
    const other = await production.startAnother({ FLORIN_OIDC_ISSUERS: settings });
    const idToken = await logIn(issuer, production.certificate.cert);
    const call = (token: string) => post(`${other.backend_url}/api/v1/login`, token);
    const first = await call(idToken);
    expect('a login', first.status, 200);
    expect('the same ID token again', (await call(idToken)).status, 401);
    const [head, claims, signature] = idToken.split('.');
    const forged = Buffer.from(claims!, 'base64url').toString().replace('"ada"', '"eve"');
    const token = [head, Buffer.from(forged).toString('base64url'), signature].join('.');
    expect('changed claims', (await call(token)).status, 401);
    await other.end();
  } finally {
    server.closeAllConnections();
    server.close();
    await production.stop();
  }
  const about = 'the issuer of a server in production mode: login, the same token again, changed claims';
  return [{ judge: 'oidc-provider', version: versionOf('oidc-provider'), about, findings }];
};

async function configure(): Promise<object> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return {
    clients: [
      {
        client_id: 'florin',
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'one' }] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub, email: `${sub}@shop.test`, email_verified: true }),
    }),
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    features: { devInteractions: { enabled: true } },
  };
}

/** The authorization code flow with PKCE, as a browser goes through the provider's own pages. */
async function logIn(issuer: string, ca: string): Promise<string> {
  const cookies = new Map<string, string>();
  const verifier = randomBytes(32).toString('base64url');
  const ask = async (url: string, form?: Readonly<Record<string, string>>) => {
    const answer = await send(new URL(url, issuer), ca, cookies, form);
    for (const one of answer.cookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(one)!;
      cookies.set(name!, value!);
    }
    return answer;
  };
  const query = new URLSearchParams({
    client_id: 'florin',
    response_type: 'code',
    scope: 'openid email',
    redirect_uri: REDIRECT,
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  });
  let next = `/auth?${query}`;
  for (let step = 0; step < 12 && !next.startsWith(REDIRECT); step++) {
    const { location, text } = await ask(next);
    if (location !== undefined) {
      next = location;
      continue;
    }
    // The page of the interaction has one form, for the login and then for the consent.
    const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(text) ?? [];
    const action = /action="([^"]+)"/.exec(text)?.[1] ?? next;
    const said = await ask(action, { prompt, login: 'ada', password: 'any' });
    if (said.location === undefined) throw new Error(`the provider shows: ${said.text.slice(0, 300)}`);
    next = said.location;
  }
  const code = new URL(next).searchParams.get('code');
  if (code === null) throw new Error(`the provider gave no code: ${next}`);
  const form = { grant_type: 'authorization_code', client_id: 'florin', redirect_uri: REDIRECT };
  const { text } = await ask('/token', { ...form, code, code_verifier: verifier });
  return (JSON.parse(text) as { id_token: string }).id_token;
}

function send(url: URL, ca: string, cookies: ReadonlyMap<string, string>, form?: Readonly<Record<string, string>>) {
  const body = form && new URLSearchParams(form).toString();
  const headers = {
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
  };
  return new Promise<{ location: string | undefined; cookies: readonly string[]; text: string }>((done, failed) => {
    const heard = async (answer: IncomingMessage) => {
      let text = '';
      for await (const part of answer.setEncoding('utf8')) text += part;
      done({ location: answer.headers.location, cookies: answer.headers['set-cookie'] ?? [], text });
    };
    request(url, { method: body === undefined ? 'GET' : 'POST', headers, ca }, (answer) => heard(answer).catch(failed))
      .on('error', failed)
      .end(body);
  });
}

const post = (url: string, idToken: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id_token: idToken }),
  });
