import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BenchSandbox, startBenchSandbox } from '../../bench/support/startBenchSandbox.ts';

interface Traced extends BenchSandbox {
  /** The bodies that the sandbox has exported as traces. */
  readonly exported: readonly string[];
}

let started: Promise<Traced> | undefined;

/** One sandbox for all judges of a run. It exports its traces to us. */
export const useSandbox = (): Promise<Traced> => (started ??= start());

export async function stopSandbox(): Promise<void> {
  await (await started)?.stop();
}

async function start(): Promise<Traced> {
  const exported: string[] = [];
  const receiver = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      exported.push(text);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const port = (receiver.address() as AddressInfo).port;
  const sandbox = await startBenchSandbox({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  return {
    ...sandbox,
    exported,
    async stop() {
      await sandbox.stop();
      receiver.closeAllConnections();
      receiver.close();
    },
  };
}
