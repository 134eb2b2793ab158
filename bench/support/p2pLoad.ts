/** Load on `POST /api/v1/send_usdc`: wrk where it is installed, autocannon where it is not. */
import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import type { Person } from './ledgerWorld.ts';

declare module 'autocannon' {
  interface Options {
    readonly requests?: readonly { setupRequest(request: Record<string, unknown>): Record<string, unknown> }[];
  }
  interface Result {
    readonly latency: { readonly p50: number; readonly p99: number };
  }
}

export interface Load {
  readonly url: string;
  readonly people: readonly (Person & { readonly accessToken?: string })[];
  readonly connections: number;
  readonly seconds: number;
  /** Four of five payments go to the same person. */
  readonly hot: boolean;
}

export interface Loaded {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were not 200; there must be none. */
  readonly refused: number;
}

const PATH = '/api/v1/send_usdc';

export const hasWrk = (): boolean => spawnSync('wrk', ['-v']).error === undefined;

export const applyLoad = (load: Load): Promise<Loaded> => (hasWrk() ? runWrk(load) : runAutocannon(load));

/**
 * Every request has its own sender, receiver and Idempotency-Key. The request text is built by hand, because wrk.format
 * makes a table of all headers each time and takes processor time from the server and PostgreSQL.
 */
const script = ({ hot, url }: Load, peopleFile: string): string => `
local ids, names, credentials = {}, {}, {}
for line in io.lines('${peopleFile}') do
  local id, name, token = line:match('^(%S+) (%S+) ?(%S*)$')
  ids[#ids + 1], names[#names + 1] = id, name
  credentials[#ids] = token == '' and '' or 'Authorization: Bearer ' .. token .. '\\r\\n'
end
local count = #ids
local thread = 0
function setup(t) t:set('number', thread); thread = thread + 1 end
local sent = 0
function init() math.randomseed(os.time() + number * 7919) end
local head = 'POST ${PATH} HTTP/1.1\\r\\nHost: ${new URL(url).host}\\r\\nContent-Type: application/json\\r\\n'
local key = 'Idempotency-Key: ${randomUUID()}-'
function request()
  local from = math.random(count)
  local to = ${hot ? 'math.random(5) > 1 and 1 or math.random(count)' : 'math.random(count)'}
  while to == from do to = math.random(count) end
  sent = sent + 1
  local body = '{"sender_user_id":"' .. ids[from] .. '","receiver_username":"' .. names[to] .. '","amount":0.001}'
  return head .. credentials[from] .. key .. number .. '-' .. sent .. '\\r\\nContent-Length: ' .. #body
    .. '\\r\\n\\r\\n' .. body
end
function done(summary, latency)
  local errors = summary.errors
  print(string.format('RESULT {"requests":%d,"micros":%d,"p50":%d,"p99":%d,"status":%d,"broken":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
`;

const renderPerson = ({ userId, username, accessToken }: Load['people'][number]): string =>
  `${userId} ${username}${accessToken === undefined ? '' : ` ${accessToken}`}\n`;

async function runWrk(load: Load): Promise<Loaded> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-wrk-'));
  try {
    const [peopleFile, scriptFile] = [join(folder, 'people.txt'), join(folder, 'p2p.lua')];
    writeFileSync(peopleFile, load.people.map(renderPerson).join(''));
    writeFileSync(scriptFile, script(load, peopleFile));
    const args = ['-t', '1', '-c', String(load.connections), '-d', `${load.seconds}s`, '-s', scriptFile, load.url];
    const { stdout } = await promisify(execFile)('wrk', ['--timeout', '10s', ...args]);
    const result = JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? 'null');
    if (!result) throw new Error(`wrk did not say what it measured:\n${stdout}`);
    return {
      perSecond: result.requests / (result.micros / 1e6),
      p50Ms: result.p50 / 1_000,
      p99Ms: result.p99 / 1_000,
      refused: result.status + result.broken,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runAutocannon({ url, people, connections, seconds, hot }: Load): Promise<Loaded> {
  const pick = () => people[Math.floor(Math.random() * people.length)]!;
  const result = await autocannon({
    url: url + PATH,
    method: 'POST',
    headers: {},
    body: '',
    connections,
    duration: seconds,
    requests: [
      {
        setupRequest(request) {
          const sender = pick();
          let receiver = hot && Math.random() < 0.8 ? people[0]! : pick();
          while (receiver === sender) receiver = pick();
          const body = { sender_user_id: sender.userId, receiver_username: receiver.username, amount: 0.001 };
          const headers = {
            'content-type': 'application/json',
            'idempotency-key': randomUUID(),
            ...(sender.accessToken !== undefined && { authorization: `Bearer ${sender.accessToken}` }),
          };
          return { ...request, headers, body: JSON.stringify(body) };
        },
      },
    ],
  });
  return {
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    refused: result.non2xx + result.errors,
  };
}
