/**
 * Measures the cost of the whole contract layer: requests per second through routing, reading, exact JSON, validation
 * and the answer, on a route that does nothing, against a bare Fastify handler with its own JSON parser. The servers
 * are separate processes, compiled as in production, and the rounds alternate, so that a busy machine slows all three
 * alike. The load is wrk if it is installed: autocannon needs more time per request than the servers do.
 */
import { type ChildProcess, fork } from 'node:child_process';
import autocannon from 'autocannon';
import { hasWrk, runWrk } from './load/runWrk.ts';
import { buildServer } from './support/buildServer.ts';
import { finish } from './support/finish.ts';
import { isShort, sized } from './support/short.ts';
import { compileServer } from './support/startBuiltServer.ts';

const ROUNDS = sized(9, 1);
const WARM_UP_SECONDS = 2;
const ROUND_SECONDS = sized(2, 1);
const CONNECTIONS = 32;

const request = { destination_address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72', blockchain: 'ETH-SEPOLIA' };
const accepted = JSON.stringify({ ...request, amount: 12.5 });
const refused = JSON.stringify({ ...request, amount: 0 });

interface Contender {
  readonly name: 'bare' | 'refused' | 'accepted';
  readonly url: string;
  readonly body: string;
  readonly status: number;
}

export default async function benchHttp(): Promise<void> {
  await compileServer();
  const bare = await startServer('bare');
  const contract = await startServer('contract');
  const contenders: Contender[] = [
    { name: 'bare', url: bare.url, body: accepted, status: 200 },
    { name: 'refused', url: contract.url, body: refused, status: 422 },
    { name: 'accepted', url: contract.url, body: accepted, status: 200 },
  ];
  const rates: Record<Contender['name'], number[]> = { bare: [], refused: [], accepted: [] };
  try {
    if (!isShort) for (const contender of contenders) await load(contender, WARM_UP_SECONDS);
    for (let round = 0; round < ROUNDS; round++) {
      for (const contender of contenders) rates[contender.name].push(await load(contender, ROUND_SECONDS));
    }
  } finally {
    bare.process.kill();
    contract.process.kill();
  }
  console.log('server      median/s   rounds');
  for (const { name } of contenders) {
    console.log(
      `${name.padEnd(10)} ${String(Math.round(median(rates[name]))).padStart(9)}   ${rates[name].map(Math.round)}`,
    );
  }
  // Each round is compared with the bare one just before it, since the machine's speed changes over minutes.
  const ratio = (name: 'refused' | 'accepted') =>
    Math.round(median(rates[name].map((rate, round) => rate / rates.bare[round]!)) * 1000) / 1000;
  finish('http', { refused_ratio: ratio('refused'), accepted_ratio: ratio('accepted') });
}

async function startServer(name: 'bare' | 'contract'): Promise<{ url: string; process: ChildProcess }> {
  const { file, execArgv } = await buildServer(new URL('./support/httpServer.ts', import.meta.url));
  const child = fork(file, [name], { execArgv });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve(String(message)));
    child.once('exit', (code) => reject(new Error(`the ${name} server ended with ${code}`)));
  });
  return { url, process: child };
}

const load = (contender: Contender, seconds: number): Promise<number> =>
  hasWrk() ? loadByWrk(contender, seconds) : loadByAutocannon(contender, seconds);

async function loadByWrk({ name, url, body, status }: Contender, seconds: number): Promise<number> {
  const { requests, refused, perSecond } = await runWrk({
    url,
    connections: CONNECTIONS,
    seconds,
    lines: [body],
    script: (file) => `
wrk.method = 'POST'
wrk.headers['Content-Type'] = 'application/json'
for line in io.lines('${file}') do wrk.body = line end
`,
  });
  if (requests === 0 || refused !== (status === 200 ? 0 : requests)) {
    throw new Error(`${name} did not only answer ${status}: ${refused} of ${requests} were refused`);
  }
  return perSecond;
}

async function loadByAutocannon({ name, url, body, status }: Contender, seconds: number): Promise<number> {
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    connections: CONNECTIONS,
    duration: seconds,
  });
  const answered = result.statusCodeStats?.[String(status)]?.count ?? 0;
  if (answered === 0 || answered !== result['2xx'] + result.non2xx || result.errors > 0) {
    throw new Error(`${name} did not only answer ${status}: ${JSON.stringify(result.statusCodeStats)}`);
  }
  return result.requests.total / result.duration;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
