/**
 * `npm run prove -- world`: a whole service per seed. A hundred or more events happen in an order that the seed
 * chooses, with faults at every step. After each step, an independent model says what may have happened.
 */
import { openStage } from './openStage.ts';
import { openResults } from './results.ts';
import { runSeed, type SeedResult } from './runSeed.ts';

interface Options {
  /** The first seed. */
  readonly seed: number;
  /** The number of seeds. Undefined: only the first seed, which runs twice, and both runs are compared. */
  readonly seeds: number | undefined;
  readonly minutes: number;
  readonly resume: boolean;
}

type Log = (line: string) => void;

export async function proveWorld({ seed, seeds, minutes, resume }: Options, log: Log) {
  const begunMs = performance.now();
  const isOver = () => performance.now() - begunMs > minutes * 60_000;
  const stage = await openStage();
  try {
    if (seeds === undefined) return await replay(seed);
    const results = openResults(resume);
    log(`results are kept in ${results.path}`);
    const done = results.before.filter((one) => one.seed >= seed && one.seed < seed + seeds);
    const known = new Set(done.map((one) => one.seed));
    for (let next = seed; next < seed + seeds && !isOver(); next++) {
      if (known.has(next)) continue;
      const result = await runSeed(stage, next);
      results.add(result);
      done.push(result);
      if (result.faults.length > 0) log(tell(result));
      log(`seed ${next} (${result.setting}): ${result.faults.length === 0 ? 'clean' : 'FAULTS'}, ${done.length} seeds`);
    }
    return summarize(seed, done, begunMs);
  } finally {
    await stage.close();
  }

  /** The same seed twice: the same story, or the first line in which the two differ. */
  async function replay(one: number) {
    const [first, second] = [await runSeed(stage, one), await runSeed(stage, one)];
    log(tell(first));
    const at = first.story.findIndex((line, i) => line !== second.story[i]);
    const isSameStory = at < 0 && first.story.length === second.story.length;
    const differs = !isSameStory || first.end !== second.end;
    if (isSameStory && differs) log(`the second run ends in another state:\n  ${first.end}\n  ${second.end}`);
    if (!isSameStory) {
      const line = at >= 0 ? at : first.story.length;
      log(`the second run differs:\n  first:  ${first.story[line]}\n  second: ${second.story[line]}`);
    }
    const summary = summarize(one, [first], begunMs);
    return { ...summary, replay: differs ? 'differs' : 'same', faults: summary.faults + (differs ? 1 : 0) };
  }
}

/** So that a person can follow what led to the fault. */
const tell = ({ seed, setting, story }: SeedResult): string =>
  [`SEED ${seed}: ${setting}`, ...story.map((line) => `  ${line}`), `  npm run prove -- world --seed ${seed}`].join(
    '\n',
  );

function summarize(seed: number, done: readonly SeedResult[], begunMs: number) {
  const counts: Record<string, number> = {};
  for (const one of done)
    for (const [name, times] of Object.entries(one.counts)) counts[name] = (counts[name] ?? 0) + times;
  const seconds = done.reduce((sum, one) => sum + one.seconds, 0);
  return {
    prove: 'world',
    seed,
    seeds: done.length,
    clean: done.filter((one) => one.faults.length === 0).length,
    failed: done.filter((one) => one.faults.length > 0).map((one) => one.seed),
    seconds: Math.round((performance.now() - begunMs) / 1_000),
    seconds_per_seed: Math.round((10 * seconds) / Math.max(1, done.length)) / 10,
    counts: Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))),
    faults: done.reduce((sum, one) => sum + one.faults.length, 0),
  };
}
