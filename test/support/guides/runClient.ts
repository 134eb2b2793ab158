/** `npx @florin/client …` in a guide: the program of the packed client, with a receiver of this test. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { splitWords } from '../payouts/runCurl.ts';

/** What the commands of a page have started. */
export interface Clients {
  /** A folder in which the client is installed. */
  readonly consumer: string;
  readonly backendUrl: string;
  readonly started: { readonly child: ChildProcess; readonly receiver: Server; said(): string }[];
}

/** Its variables, such as FLORIN_KEY, and its words. */
const CLIENT = /^((?:[A-Z_]+=\S+ )*)npx @florin\/client (.+)$/;

export const isClient = (command: string): boolean => CLIENT.test(command);

export async function runClient(
  command: string,
  clients: Clients,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const [, given = '', rest = ''] = CLIENT.exec(command)!;
  const assigned = splitWords(given, variables).map((one) => one.split('=') as [string, string]);
  const env = { ...process.env, FLORIN_BACKEND_URL: clients.backendUrl, ...Object.fromEntries(assigned) };
  const words = splitWords(rest, variables);
  const program = join(clients.consumer, 'node_modules/.bin/florin-client');
  if (words[0] === 'listen') return listen(clients, program, words, env);
  const { stdout } = await promisify(execFile)(program, words, { env });
  expect(stdout).toMatch(new RegExp(`^${words[1]}: `));
  await eventually(async () => {
    const line = new RegExp(`^\\S+ ${words[1]} evt_\\w+ -> 204 `, 'm');
    expect(clients.started.map(({ said }) => said()).join('')).toMatch(line);
  });
}

/** A reader has a receiver at the URL of the page. Here it is a server that accepts everything. */
async function listen(clients: Clients, program: string, words: readonly string[], env: NodeJS.ProcessEnv) {
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const own = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const args = words.map((word) => (/^http:\/\/(localhost|127\.0\.0\.1):3000\//.test(word) ? own : word));
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  clients.started.push({ child, receiver, said: () => said });
  await eventually(async () => expect(said).toMatch(/^Forwarding events to .*\nVerify them with the secret whsec_/));
}

export async function stopClients({ started }: Clients): Promise<void> {
  for (const { child, receiver } of started.splice(0)) {
    const ended = new Promise((done) => child.once('exit', (code) => done(code)));
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    receiver.closeAllConnections();
    await new Promise((done) => receiver.close(done));
  }
}
