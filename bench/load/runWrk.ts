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
  /** Milliseconds at equal steps of the distribution; empty without wrk. */
  readonly quantilesMs: readonly number[];
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

const QUANTILES = 200;

const REPORT = `
function done(summary, latency)
  local errors = summary.errors
  local quantiles = {}
  for nth = 1, ${QUANTILES} do quantiles[nth] = latency:percentile((nth - 0.5) * 100 / ${QUANTILES}) end
  print(string.format('RESULT {"requests":%d,"micros":%d,"p50":%d,"p99":%d,"status":%d,"broken":%d,"quantiles":[%s]}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, table.concat(quantiles, ',')))
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
      quantilesMs: result.quantiles.map((micros: number) => micros / 1_000),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The sum of loads that ran at the same time. */
export function mergeLoaded(all: readonly Loaded[]): Loaded {
  if (all.length === 1) return all[0]!;
  const sum = (read: (one: Loaded) => number) => all.reduce((total, one) => total + read(one), 0);
  const requests = sum((one) => one.requests);
  const weighted = all
    .flatMap(({ quantilesMs, requests: count }) =>
      quantilesMs.map((ms) => ({ ms, weight: count / quantilesMs.length })),
    )
    .sort((a, b) => a.ms - b.ms);
  const quantile = (share: number) => {
    let seen = 0;
    for (const { ms, weight } of weighted) {
      seen += weight;
      if (seen >= share * requests) return ms;
    }
    return Number.NaN;
  };
  return {
    requests,
    perSecond: sum((one) => one.perSecond),
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    refused: sum((one) => one.refused),
    quantilesMs: Array.from({ length: QUANTILES }, (_, nth) => quantile((nth + 0.5) / QUANTILES)),
  };
}
