/** Stores the results of a run, one line per pair, so that a stopped run can continue. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Raced } from './racePair.ts';

interface Results {
  readonly path: string;
  /** Results of earlier runs with this seed, without faults. A pair that failed runs again. */
  readonly before: readonly Raced[];
  add(raced: Raced): void;
}

type Line = Raced & { readonly seed: number };

export function openResults(seed: number, resume: boolean): Results {
  const path = process.env.FLORIN_RACES_RESULTS ?? join(tmpdir(), 'florin-races', 'results.jsonl');
  if (!resume) rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  const known = new Map<string, Raced>();
  for (const { seed: other, ...raced } of lines.map((line) => JSON.parse(line) as Line)) {
    if (other !== seed) continue;
    if (raced.violations.length + raced.deadlocks.length === 0) known.set(raced.pair.join(), raced);
    else known.delete(raced.pair.join());
  }
  return {
    path,
    before: [...known.values()],
    add: (raced) => appendFileSync(path, `${JSON.stringify({ seed, ...raced })}\n`),
  };
}
