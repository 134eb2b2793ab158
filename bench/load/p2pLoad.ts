/** Load on `POST /api/v1/send_usdc`: wrk if it is installed, otherwise autocannon. */
import { randomUUID } from 'node:crypto';
import autocannon from 'autocannon';
import type { Person } from '../support/ledgerWorld.ts';
import { hasWrk, type Loaded, runWrk } from './runWrk.ts';

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
  readonly hot?: boolean;
  /** Every other payment has a note. */
  readonly noted?: boolean;
  /** The exponent of a Zipf distribution of senders and receivers; undefined: everyone is as likely. */
  readonly zipf?: number;
}

const PATH = '/api/v1/send_usdc';
const NOTE = 'Dinner on Friday, and the tickets for both of us';

export const applyLoad = (load: Load): Promise<Loaded> =>
  hasWrk()
    ? runWrk({ ...load, lines: load.people.map(renderPerson), script: (file) => script(load, file) })
    : runAutocannon(load);

/**
 * Every request has its own sender, receiver and Idempotency-Key. The request text is joined from prepared parts,
 * because the load takes processor time from the server and PostgreSQL.
 */
const script = ({ hot, noted, zipf, url }: Load, peopleFile: string): string => `
local head = 'POST ${PATH} HTTP/1.1\\r\\nHost: ${new URL(url).host}\\r\\nContent-Type: application/json\\r\\n'
local heads, senders, receivers = {}, {}, {}
for line in io.lines('${peopleFile}') do
  local id, name, token = line:match('^(%S+) (%S+) ?(%S*)$')
  local credential = token == '' and '' or 'Authorization: Bearer ' .. token .. '\\r\\n'
  heads[#heads + 1] = head .. credential .. 'Idempotency-Key: ${randomUUID()}-'
  senders[#heads] = '{"sender_user_id":"' .. id .. '","receiver_username":"'
  receivers[#heads] = name .. '","amount":0.001'
end
local count = #heads
${zipf === undefined ? 'local function draw() return math.random(count) end' : drawZipf(zipf)}
local thread = 0
function setup(t) t:set('number', thread); thread = thread + 1 end
local sent = 0
function init() math.randomseed(os.time() + number * 7919) end
function request()
  local from = draw()
  local to = ${hot ? 'math.random(5) > 1 and 1 or draw()' : 'draw()'}
  while to == from do to = draw() end
  sent = sent + 1
  local rest = receivers[to] .. ${noted ? `(sent % 2 == 0 and ',"payment_note":"${NOTE}"}' or '}')` : `'}'`}
  return heads[from] .. number .. '-' .. sent .. '\\r\\nContent-Length: ' .. #senders[from] + #rest
    .. '\\r\\n\\r\\n' .. senders[from] .. rest
end
`;

/** Lua: the person of rank n is drawn in proportion to n to the power of -exponent. */
const drawZipf = (exponent: number): string => `
local sums, total = {}, 0
for rank = 1, count do
  total = total + rank ^ -${exponent}
  sums[rank] = total
end
local function draw()
  local at, low, high = math.random() * total, 1, count
  while low < high do
    local middle = math.floor((low + high) / 2)
    if sums[middle] < at then low = middle + 1 else high = middle end
  end
  return low
end`;

const renderPerson = ({ userId, username, accessToken }: Load['people'][number]): string =>
  `${userId} ${username}${accessToken === undefined ? '' : ` ${accessToken}`}`;

/** Only for short runs: `zipf` draws one person for half of the payments. */
async function runAutocannon({ url, people, connections, seconds, hot, noted, zipf }: Load): Promise<Loaded> {
  const pick = () => people[zipf !== undefined && Math.random() < 0.5 ? 0 : Math.floor(Math.random() * people.length)]!;
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
          const body = {
            sender_user_id: sender.userId,
            receiver_username: receiver.username,
            amount: 0.001,
            ...(noted && Math.random() < 0.5 && { payment_note: NOTE }),
          };
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
  return readAutocannon(result);
}

export const readAutocannon = (result: Awaited<ReturnType<typeof autocannon>>): Loaded => ({
  requests: result['2xx'],
  perSecond: result['2xx'] / result.duration,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  refused: result.non2xx + result.errors,
  quantilesMs: [result.latency.p50, result.latency.p99],
});
