/**
 * `npm run prove -- world`: a whole service per seed. A hundred or more events happen in an order that the seed
 * chooses, with faults at every step. After each step, an independent model says what may have happened.
 */
import { prepareForStandbys } from './openStandby.ts';
import { forkRunner, openRunner, type Runner } from './runners/openRunner.ts';
import { openResults } from './runners/results.ts';
import type { SeedResult } from './runSeed.ts';

interface Options {
  /** The first seed. */
  readonly seed: number;
  /** The number of seeds. Undefined: only the first seed, which runs twice, and both runs are compared. */
  readonly seeds: number | undefined;
  readonly minutes: number;
  readonly resume: boolean;
  /** Processes that run seeds in parallel. */
  readonly workers: number;
  /** Runs each seed twice and compares both runs. */
  readonly twice: boolean;
}

type Log = (line: string) => void;

export async function proveWorld({ seed, seeds, minutes, resume, workers, twice }: Options, log: Log) {
  const begunMs = performance.now();
  const isOver = () => performance.now() - begunMs > minutes * 60_000;
  await prepareForStandbys(process.env.FLORIN_TEST_DATABASE_URL!);
  const runners = [await openRunner(), ...Array.from({ length: seeds === undefined ? 0 : workers - 1 }, forkRunner)];
  try {
    if (seeds === undefined) return await replayOne(runners[0]!);
    const results = openResults(resume);
    log(`results are kept in ${results.path}`);
    const done = results.before.filter((one) => one.seed >= seed && one.seed < seed + seeds);
    const known = new Set(done.map((one) => one.seed));
    const todo = Array.from({ length: seeds }, (_, i) => seed + i).filter((one) => !known.has(one));
    const goOn = async (runner: Runner): Promise<void> => {
      for (let next = todo.shift(); next !== undefined && !isOver(); next = todo.shift()) {
        const result = twice ? await runTwice(runner, next) : await runner.run(next);
        results.add(result);
        done.push(result);
        if (result.faults.length > 0) log(tell(result));
        const verdict = result.faults.length === 0 ? 'clean' : 'FAULTS';
        log(`seed ${next} (${result.setting}): ${verdict}, ${result.seconds.toFixed(1)} s, ${done.length} seeds`);
      }
    };
    await Promise.all(runners.map(goOn));
    return summarize(seed, done, begunMs);
  } finally {
    await Promise.all(runners.map((runner) => runner.close()));
  }

  async function replayOne(runner: Runner) {
    const result = await runTwice(runner, seed);
    log(tell(result));
    return summarize(seed, [result], begunMs);
  }
}

/** The same seed must give the same story and the same end. */
async function runTwice(runner: Runner, seed: number): Promise<SeedResult> {
  const [first, second] = [await runner.run(seed), await runner.run(seed)];
  const differences = compareRuns(first, second);
  const story = [...first.story, ...differences.map((one) => `FAULT ${one}`)];
  return { ...first, story, faults: [...first.faults, ...differences] };
}

function compareRuns(first: SeedResult, second: SeedResult): string[] {
  const at = first.story.findIndex((line, i) => line !== second.story[i]);
  const line = at >= 0 ? at : first.story.length;
  if (at >= 0 || second.story.length > line)
    return [`the second run differs:\n    first:  ${first.story[line]}\n    second: ${second.story[line]}`];
  return first.end === second.end ? [] : [`the second run ends in another state:\n    ${first.end}\n    ${second.end}`];
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
  const mean = (of: (one: SeedResult) => number) =>
    Math.round((10 * done.reduce((sum, one) => sum + of(one), 0)) / Math.max(1, done.length)) / 10;
  return {
    prove: 'world',
    seed,
    seeds: done.length,
    clean: done.filter((one) => one.faults.length === 0).length,
    failed: done.filter((one) => one.faults.length > 0).map((one) => one.seed),
    seconds: Math.round((performance.now() - begunMs) / 1_000),
    seconds_per_seed: mean((one) => one.seconds),
    cpu_seconds_per_seed: mean((one) => one.cpuSeconds),
    counts: Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))),
    faults: done.reduce((sum, one) => sum + one.faults.length, 0),
  };
}
