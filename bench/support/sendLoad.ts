/** Load on `POST /wallet/send-usdc`, by wrk: every request has its own sender, destination and Idempotency-Key. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface SendLoad {
  readonly url: string;
  /** The service key. */
  readonly key: string;
  readonly usernames: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

interface Loaded {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were not 200; there must be none. */
  readonly refused: number;
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
function done(summary, latency)
  local errors = summary.errors
  print(string.format('RESULT {"requests":%d,"micros":%d,"p50":%d,"p99":%d,"status":%d,"broken":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
`;

export async function applySendLoad(load: SendLoad): Promise<Loaded> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-wrk-'));
  try {
    const [namesFile, scriptFile] = [join(folder, 'names.txt'), join(folder, 'sends.lua')];
    writeFileSync(namesFile, `${load.usernames.join('\n')}\n`);
    writeFileSync(scriptFile, script(load, namesFile));
    const args = ['-t', '1', '-c', String(load.connections), '-d', `${load.seconds}s`, '-s', scriptFile, load.url];
    const { stdout } = await promisify(execFile)('wrk', ['--timeout', '10s', ...args]);
    const result = JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? 'null');
    if (!result) throw new Error(`wrk did not say what it measured:\n${stdout}`);
    return {
      requests: result.requests,
      perSecond: result.requests / (result.micros / 1e6),
      p50Ms: result.p50 / 1_000,
      p99Ms: result.p99 / 1_000,
      refused: result.status + result.broken,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
