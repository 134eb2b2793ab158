import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * Reading a certificate takes longer than all other work before a call runs, and it stays the same for the whole
 * connection.
 */
const known = new WeakMap<Socket, string | undefined>();

/** SHA-256 of the client certificate of this connection, 64 hexadecimal digits; undefined without a certificate. */
export function findCertificate(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  if (known.has(socket)) return known.get(socket);
  // Only certificates that our authority has signed: if certificates are requested, the handshake refuses others.
  const shown = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  const fingerprint = shown?.fingerprint256.replaceAll(':', '').toLowerCase();
  known.set(socket, fingerprint);
  return fingerprint;
}
