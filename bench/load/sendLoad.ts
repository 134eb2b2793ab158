/**
 * Load on `POST /wallet/send-usdc`, by wrk if it is installed, otherwise by autocannon: every request has its own
 * sender, destination and Idempotency-Key.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import autocannon from 'autocannon';
import { readAutocannon } from './p2pLoad.ts';
import { hasWrk, type Loaded, runWrk } from './runWrk.ts';

interface SendLoad {
  readonly url: string;
  /** The service key. */
  readonly key: string;
  readonly usernames: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

const script = ({ url, key }: SendLoad, namesFile: string): string => `
local names = {}
for line in io.lines('${namesFile}') do names[#names + 1] = line end
local sent = 0
math.randomseed(os.time())
local head = 'POST /wallet/send-usdc HTTP/1.1\\r\\nHost: ${new URL(url).host}\\r\\nContent-Type: application/json\\r\\n'
  .. 'Authorization: Bearer ${key}\\r\\nIdempotency-Key: ${randomUUID()}-'
function request()
  sent = sent + 1
  local address = '0x'
  for _ = 1, 5 do address = address .. string.format('%08x', math.random(0, 2147483647)) end
  local body = '{"destination_address":"' .. address .. '","amount":0.01,"wallet_username":"'
    .. names[math.random(#names)] .. '"}'
  return head .. sent .. '\\r\\nContent-Length: ' .. #body .. '\\r\\n\\r\\n' .. body
end
`;

export const applySendLoad = (load: SendLoad): Promise<Loaded> =>
  hasWrk() ? runWrk({ ...load, lines: load.usernames, script: (file) => script(load, file) }) : runAutocannon(load);

async function runAutocannon({ url, key, usernames, connections, seconds }: SendLoad): Promise<Loaded> {
  const result = await autocannon({
    url: `${url}/wallet/send-usdc`,
    method: 'POST',
    headers: {},
    body: '',
    connections,
    duration: seconds,
    requests: [
      {
        setupRequest(request) {
          const body = {
            destination_address: `0x${randomBytes(20).toString('hex')}`,
            amount: 0.01,
            wallet_username: usernames[Math.floor(Math.random() * usernames.length)],
          };
          const headers = {
            'content-type': 'application/json',
            authorization: `Bearer ${key}`,
            'idempotency-key': randomUUID(),
          };
          return { ...request, headers, body: JSON.stringify(body) };
        },
      },
    ],
  });
  return readAutocannon(result);
}
