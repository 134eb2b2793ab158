/** A receiver of webhooks that does as little as possible. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Hook {
  readonly url: string;
  /** The delay of each event from its time to its first arrival, in milliseconds. */
  readonly delays: number[];
  close(): Promise<void>;
}

export async function openHook(): Promise<Hook> {
  const delays: number[] = [];
  const seen = new Set<string>();
  const server = createServer((request, response) => {
    const arrivedMs = Date.now();
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      response.writeHead(204).end();
      const id = String(request.headers['webhook-id']);
      if (seen.has(id)) return;
      seen.add(id);
      delays.push(arrivedMs - Date.parse(/"timestamp":"([^"]+)"/.exec(body)![1]!));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    delays,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
