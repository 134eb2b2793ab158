/** The HTTP server with TLS. Its certificates can be replaced while it runs. */
import { constants } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { surviveSocketErrors } from '../connections/surviveSocketErrors.ts';

/** All values are PEM. */
export interface TlsIdentity {
  /** Our certificate, followed by the intermediate certificates. */
  readonly cert: string;
  readonly key: string;
  /** If set, only clients with a certificate of one of these authorities can connect. */
  readonly clientCa?: string;
}

/** The current identity, with a notification when it is renewed. */
export interface TlsSource {
  readonly current: TlsIdentity;
  onRenewal(listener: (next: TlsIdentity) => void): void;
}

export function createTlsServer(source: TlsSource, options: ServerOptions, answer: RequestListener): Server {
  const asksClients = source.current.clientCa !== undefined;
  /** Connections made with the current identity. */
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
      // An older connection: its client certificate may no longer be valid, so it is closed after this answer.
      if (!recent.has(request.socket)) response.shouldKeepAlive = false;
      answer(request, response);
    },
  );
  surviveSocketErrors(server);
  server.on('secureConnection', (socket) => recent.add(socket));
  // Node would pass these to the handler of broken HTTP, which would write plain text into a TLS connection.
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
  // A resumed session is not verified again: with tickets, a client could connect after its certificate has expired.
  ...(clientCa !== undefined && { ca: clientCa, secureOptions: constants.SSL_OP_NO_TICKET }),
});
