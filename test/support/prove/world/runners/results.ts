/** Stores the results of a run, one line per seed, so that a stopped run can continue. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SeedResult } from '../runSeed.ts';

interface Results {
  readonly path: string;
  /** Results of earlier runs. A seed that failed runs again. */
  readonly before: readonly SeedResult[];
  add(result: SeedResult): void;
}

export function openResults(resume: boolean): Results {
  const path = process.env.FLORIN_WORLD_RESULTS ?? join(tmpdir(), 'florin-world', 'results.jsonl');
  if (!resume) rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  const known = new Map<number, SeedResult>();
  for (const result of lines.map((line) => JSON.parse(line) as SeedResult)) {
    if (result.faults.length === 0) known.set(result.seed, result);
    else known.delete(result.seed);
  }
  return {
    path,
    before: [...known.values()],
    add: (result) => appendFileSync(path, `${JSON.stringify({ ...result, story: [], end: '' })}\n`),
  };
}
