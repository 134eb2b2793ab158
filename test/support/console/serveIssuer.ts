import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An OpenID issuer of a test. It logs in whom the test names: the code of a login is the subject. */
export interface TestIssuer {
  readonly url: string;
  readonly codes: string[];
  close(): Promise<void>;
}

export const CLIENT_ID = 'console';

export async function serveIssuer(): Promise<TestIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const codes: string[] = [];
  let url = '';
  /** The nonce of each login, by its challenge. */
  let nonce = '';
  const server = createServer(async (request, response) => {
    const asked = new URL(request.url!, url);
    const answer = (body: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (asked.pathname.endsWith('openid-configuration'))
      return answer({
        issuer: url,
        authorization_endpoint: `${url}/auth`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
      });
    if (asked.pathname === '/keys') return answer({ keys: [key] });
    if (asked.pathname === '/auth') {
      nonce = asked.searchParams.get('nonce')!;
      return answer({});
    }
    let form = '';
    for await (const part of request) form += part;
    const code = new URLSearchParams(form).get('code')!;
    codes.push(code);
    const idToken = await new SignJWT({ nonce, email: `${code}@example.com`, email_verified: true })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(url)
      .setAudience(CLIENT_ID)
      .setSubject(code)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
    return answer({ id_token: idToken });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    codes,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
