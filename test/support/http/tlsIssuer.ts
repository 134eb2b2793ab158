/** An OpenID issuer behind TLS that signs whatever a test wants. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import type { Certificate } from './certificate.ts';
import { listen } from './listen.ts';

export const httpsUrlOf = (server: Server): string => `https://localhost:${(server.address() as AddressInfo).port}`;

export interface TlsIssuer {
  readonly url: string;
  /** The number of requests for its keys. */
  readonly keyRequests: number;
  /** The address of its keys in its discovery document. */
  jwksUri: string;
  /** A valid token, except for the given claims and header. */
  sign(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
  stop(): Promise<void>;
}

export async function startTlsIssuer(certificate: Certificate): Promise<TlsIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
  let keyRequests = 0;
  let url = '';
  let jwksUri = '';
  const server = createServer(certificate, (request, response) => {
    if (request.url === '/jwks') keyRequests++;
    const said = request.url === '/jwks' ? { keys: [jwk] } : { issuer: url, jwks_uri: jwksUri };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
  await listen(server);
  url = httpsUrlOf(server);
  jwksUri = `${url}/jwks`;
  return {
    url,
    get jwksUri() {
      return jwksUri;
    },
    set jwksUri(next) {
      jwksUri = next;
    },
    get keyRequests() {
      return keyRequests;
    },
    sign(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const base = { iss: url, aud: 'florin', sub: 'alice', iat: now, exp: now + 600 };
      return new SignJWT({ ...base, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one', ...header })
        .sign(privateKey);
    },
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
