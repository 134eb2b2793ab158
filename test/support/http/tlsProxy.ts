import { request as forward } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Certificate } from './certificate.ts';
import { listen } from './listen.ts';

/** TLS in front of a plain HTTP server on this machine, as if it were on the internet. */
export async function startTlsProxy(certificate: Certificate, target: string): Promise<Server> {
  const { hostname, port, host } = new URL(target);
  const server = createServer(certificate, (request, response) => {
    const { method, url: path, headers } = request;
    const passed = forward({ hostname, port, path, method, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  await listen(server);
  return server;
}
