import { createServer, type Server } from 'node:http';
import { base64url } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../../../../test/support/http/listen.ts';
import { codeFlow } from './codeFlow.ts';

/** An issuer on a real socket, with faults that tests can switch on. */
let server: Server;
let url: string;
const issuer = {
  says: undefined as string | undefined,
  tokenEndpoint: undefined as string | undefined,
  status: 200,
  nonce: 'the nonce',
  isDown: false,
  posted: '',
  discoveries: 0,
};

beforeAll(async () => {
  server = createServer(async (request, answer) => {
    if (issuer.isDown) return void answer.destroy();
    if (request.url === '/.well-known/openid-configuration') {
      issuer.discoveries++;
      const token = issuer.tokenEndpoint ?? `${url}/token`;
      const said = { issuer: issuer.says ?? url, authorization_endpoint: `${url}/auth?a=b`, token_endpoint: token };
      return void answer.end(JSON.stringify(said));
    }
    issuer.posted = '';
    for await (const part of request) issuer.posted += part;
    const idToken = `e30.${base64url.encode(JSON.stringify({ nonce: issuer.nonce }))}.x`;
    answer.writeHead(issuer.status).end(JSON.stringify({ id_token: idToken }));
  });
  url = `http://127.0.0.1:${await listen(server)}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  const fresh = { says: undefined, tokenEndpoint: undefined, status: 200, nonce: 'the nonce', isDown: false };
  Object.assign(issuer, fresh, { posted: '', discoveries: 0 });
});

const done = { redirectUri: 'https://w.example/callback', code: 'c0de', verifier: 'v3rifier', nonce: 'the nonce' };
const asked = { redirectUri: done.redirectUri, state: 's', nonce: 'n', challenge: 'ch' };
const open = (options = {}) => codeFlow({ issuer: url, clientId: 'wallet', ...options });

describe('a login at an issuer', () => {
  it('sends the person to the endpoint that the issuer announces, with PKCE', async () => {
    const flow = open();
    const leads = new URL(await flow.findLoginUrl({ ...asked, extra: { login_hint: 'a@example.com' } }));
    expect(leads.origin + leads.pathname).toBe(`${url}/auth`);
    expect(Object.fromEntries(leads.searchParams)).toEqual({
      a: 'b',
      response_type: 'code',
      client_id: 'wallet',
      redirect_uri: 'https://w.example/callback',
      scope: 'openid email profile',
      state: 's',
      nonce: 'n',
      code_challenge: 'ch',
      code_challenge_method: 'S256',
      login_hint: 'a@example.com',
    });
    await flow.findLoginUrl(asked);
    expect(issuer.discoveries).toBe(1);
  });

  it('exchanges the code with its verifier, and with a secret if there is one', async () => {
    await open().exchange(done);
    const posted = Object.fromEntries(new URLSearchParams(issuer.posted));
    expect(posted).toEqual({
      grant_type: 'authorization_code',
      client_id: 'wallet',
      redirect_uri: 'https://w.example/callback',
      code: 'c0de',
      code_verifier: 'v3rifier',
    });
    await open({ clientSecret: 's3cret' }).exchange(done);
    expect(issuer.posted).toContain('client_secret=s3cret');
  });

  it('refuses a token for another login', async () => {
    issuer.nonce = 'another nonce';
    await expect(open().exchange(done)).rejects.toMatchObject({ code: 'auth.invalid', details: { reason: 'nonce' } });
  });

  it('distinguishes a refused code from an issuer that is down', async () => {
    issuer.status = 400;
    await expect(open().exchange(done)).rejects.toMatchObject({ code: 'auth.invalid', details: { reason: 'code' } });
    issuer.status = 500;
    await expect(open().exchange(done)).rejects.toMatchObject({ code: 'service.unavailable' });
    issuer.isDown = true;
    await expect(open().findLoginUrl(asked)).rejects.toMatchObject({ code: 'service.unavailable' });
  });

  it('trusts no other issuer, and calls no address inside our network that it names', async () => {
    issuer.says = 'https://evil.example';
    await expect(open().findLoginUrl(asked)).rejects.toMatchObject({ code: 'service.unavailable' });
    issuer.says = undefined;
    issuer.tokenEndpoint = 'https://169.254.169.254/token';
    await expect(open().exchange(done)).rejects.toMatchObject({ code: 'service.unavailable' });
    expect(issuer.posted).toBe('');
  });
});
