import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface ListenAt {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/** Resolves with the URL when the server listens; rejects when it cannot, for example with `EADDRINUSE`. */
export function listen(server: Server, { host, port }: ListenAt): Promise<string> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, host, () => {
      server.removeListener('error', fail);
      const scheme = server instanceof TlsServer ? 'https' : 'http';
      const { port: taken } = server.address() as AddressInfo;
      done(`${scheme}://${host.includes(':') ? `[${host}]` : host}:${taken}`);
    });
  });
}
