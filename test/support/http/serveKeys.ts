import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { findFreePort } from '../../../sandbox/src/ports.ts';

/** An issuer that serves its keys and has no people. */
export async function serveKeys(port?: number): Promise<[Server, string]> {
  const chosen = port ?? (await findFreePort());
  const { publicKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
  const server = createServer((request, response) => {
    const body = request.url === '/jwks' ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/jwks` };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(chosen, '127.0.0.1', done));
  const url = `http://127.0.0.1:${chosen}`;
  return [server, url];
}
