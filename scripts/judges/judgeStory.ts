import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { findFreePort } from '../../sandbox/src/ports.ts';
import { eventually } from '../../test/support/eventually.ts';
import { type GoodCall, listGoodCalls } from '../../test/support/prove/negatives/goodCalls.ts';
import { makeCall, type RawCall } from '../../test/support/prove/negatives/listCases.ts';
import { openWorld } from '../../test/support/prove/negatives/openWorld.ts';
import { openCast } from '../../test/support/prove/negatives/proveNegatives.ts';
import type { Court, Judge } from './judge.ts';
import { PRISM } from './packages.ts';

/** A valid call of every operation, through a proxy that compares requests and answers with the documents. */
export const judgeStory: Judge = async (court) => {
  const { versionOf } = await court.install('prism', PRISM);
  const world = await openWorld();
  const proxies: Partial<Record<'web3' | 'backend', Proxy>> = {};
  const findings: string[] = [];
  let answered = 0;
  try {
    const calls = await listGoodCalls(world, await openCast(world));
    // The service is a sandbox. Prism knows no client certificates, which the document of production offers.
    const documents = court.documents('sandbox');
    for (const api of ['web3', 'backend'] as const)
      proxies[api] = await startProxy(court, documents[api], world.florin[`${api}Url`]);
    for (const call of inOrder(calls)) {
      const made = makeCall(call, world);
      const violations = await pass(proxies[call.described.api]!.url, made, `story-${call.described.id}`);
      findings.push(...violations.map((one) => `${call.described.id}: ${one}`));
      answered++;
    }
  } finally {
    for (const { child } of Object.values(proxies)) {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    }
    await world.close();
  }
  const about = 'a proxy over both APIs: a valid call of every operation, its request and its answer';
  return [
    { judge: 'Prism', version: versionOf('@stoplight/prism-cli'), about, findings, figure: `${answered} operations` },
  ];
};

/**
 * Prism waits for the end of an answer, and a stream has none. Providers sign what they send. What is deleted is needed
 * before.
 */
function inOrder(calls: readonly GoodCall[]): GoodCall[] {
  const made = calls.filter(
    ({ described: { id, operation } }) => id !== 'stream_events' && !operation.requestBody?.['x-signed'],
  );
  const deletes = ({ described }: GoodCall) => Number(described.method === 'DELETE');
  return made.sort((one, other) => deletes(one) - deletes(other));
}

interface Proxy {
  readonly url: string;
  readonly child: ChildProcess;
}

async function startProxy(court: Court, document: string, target: string): Promise<Proxy> {
  const { pathOf, folder } = await court.install('prism', PRISM);
  const port = await findFreePort();
  const args = [pathOf('@stoplight/prism-cli/dist/index.js'), 'proxy', document, target, '-p', String(port)];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await eventually(() => fetch(url));
  return { url, child };
}

/** What Prism objects to. An answer that is not a success would be a mistake of ours, not of the service. */
async function pass(base: string, { method, path, headers, body }: RawCall, key: string): Promise<string[]> {
  const answer = await fetch(base + path, {
    method,
    headers: { 'idempotency-key': key, ...headers },
    ...(body !== undefined && { body: body as string }),
  });
  const text = await answer.text();
  const said = answer.headers.get('sl-violations');
  const violations = said === null ? [] : (JSON.parse(said) as { location: string[]; message: string }[]);
  return [
    ...violations.map(({ location, message }) => `${location.join('.')}: ${message}`),
    ...(answer.status >= 400 ? [`${answer.status} ${text.slice(0, 200)}`] : []),
  ];
}
