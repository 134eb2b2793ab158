/** The same server behind TLS of its own, whose certificates can be exchanged while it runs. */
import { constants } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { surviveSocketErrors } from './surviveSocketErrors.ts';

/** Everything in PEM. */
export interface TlsIdentity {
  /** Ours, followed by whoever signed it. */
  readonly cert: string;
  readonly key: string;
  /** Given: only clients with a certificate of one of these authorities get past the handshake. */
  readonly clientCa?: string;
}

/** Where an identity comes from, and who tells when there is a newer one. */
export interface TlsSource {
  readonly current: TlsIdentity;
  onRenewal(listener: (next: TlsIdentity) => void): void;
}

export function createTlsServer(source: TlsSource, options: ServerOptions, answer: RequestListener): Server {
  const asksClients = source.current.clientCa !== undefined;
  /** Connections that were let in under the present identity. */
  let recent = new WeakSet<Socket>();
  const server = createServer(
    {
      ...options,
      ...toContext(source.current),
      requestCert: asksClients,
      rejectUnauthorized: asksClients,
      ALPNProtocols: ['http/1.1'],
    },
    (request, response) => {
      // Let in by a certificate that may not count any more: this answer is the connection's last.
      if (!recent.has(request.socket)) response.shouldKeepAlive = false;
      answer(request, response);
    },
  );
  surviveSocketErrors(server);
  server.on('secureConnection', (socket) => recent.add(socket));
  // Node would hand these to the handler of broken HTTP, which would write its answer into a line that nobody can read.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  source.onRenewal((next) => {
    server.setSecureContext(toContext(next));
    recent = new WeakSet();
    server.closeIdleConnections();
  });
  return server;
}

const toContext = ({ cert, key, clientCa }: TlsIdentity): SecureContextOptions => ({
  cert,
  key,
  minVersion: 'TLSv1.2',
  // A resumed session is not verified again, so a client could outlive its certificate, and its authority, by tickets.
  ...(clientCa !== undefined && { ca: clientCa, secureOptions: constants.SSL_OP_NO_TICKET }),
});
