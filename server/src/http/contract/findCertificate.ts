import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Reading a certificate takes longer than the rest of a call's way in, and a connection has one for its whole life. */
const known = new WeakMap<Socket, string | undefined>();

/** SHA-256 of the client certificate that this connection was opened with, 64 hexadecimal digits; undefined: none. */
export function findCertificate(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  if (known.has(socket)) return known.get(socket);
  // Only one that our authority has signed: the handshake refuses others, where certificates are asked for at all.
  const shown = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  const fingerprint = shown?.fingerprint256.replaceAll(':', '').toLowerCase();
  known.set(socket, fingerprint);
  return fingerprint;
}
