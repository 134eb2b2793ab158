/** Load by wrk, if it is installed: a Lua script makes the requests. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const hasWrk = (): boolean => spawnSync('wrk', ['-v']).error === undefined;

export interface Loaded {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were not 200; there must be none. */
  readonly refused: number;
}

interface WrkLoad {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** The lines that the script reads. */
  readonly lines: readonly string[];
  /** Lua that defines `request`; it gets the name of the file with the lines. */
  script(linesFile: string): string;
}

const REPORT = `
function done(summary, latency)
  local errors = summary.errors
  print(string.format('RESULT {"requests":%d,"micros":%d,"p50":%d,"p99":%d,"status":%d,"broken":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
`;

export async function runWrk({ url, connections, seconds, lines, script }: WrkLoad): Promise<Loaded> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-wrk-'));
  try {
    const [linesFile, scriptFile] = [join(folder, 'lines.txt'), join(folder, 'load.lua')];
    writeFileSync(linesFile, `${lines.join('\n')}\n`);
    writeFileSync(scriptFile, script(linesFile) + REPORT);
    const args = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', scriptFile, url];
    const { stdout } = await promisify(execFile)('wrk', ['--timeout', '10s', ...args]);
    const result = JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? 'null');
    if (!result) throw new Error(`wrk printed no result:\n${stdout}`);
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
