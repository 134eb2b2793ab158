/** Runs `npm run prove -- planted`: plants each bug alone in a copy, and reports which tests notice it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { TEMPLATE } from '../../database.ts';
import { openRelated } from './findRelated.ts';
import { type Bug, readBugs } from './readBugs.ts';
import { type Failure, runTests } from './runTests.ts';
import { makeWorkCopy, type WorkCopy } from './workCopy.ts';

interface Options {
  /** Names of bugs; empty: all. */
  readonly only: readonly string[];
  /** Continues where the last run was stopped. */
  readonly resume: boolean;
}

interface Verdict {
  /** `invalid`: the patch does not apply, or nothing could run with it. */
  readonly verdict: 'caught' | 'missed' | 'invalid';
  readonly text: string;
  readonly by?: Failure;
  /** Test files that passed, and why no more were run. */
  readonly passed: readonly string[];
  readonly note?: string;
  /** How long its tests ran. */
  readonly tookMs: number;
  readonly seconds: number;
}

/** The verdicts by bug, and for test files whether they pass without any bug. A file that does not proves nothing. */
interface Results {
  bugs: Record<string, Verdict>;
  readonly clean: Record<string, boolean>;
}

type Log = (line: string) => void;

const LIMIT_MS = 180_000;
/** Most bugs are noticed in the first minute. The others get the rest of their three minutes afterwards. */
const ROUNDS_MS = [60_000, LIMIT_MS];
const TIME_OVER = 'time over';
const RESULTS = process.env.FLORIN_PLANTED_RESULTS ?? join(tmpdir(), 'florin-planted', 'results.json');

export async function provePlanted({ only, resume }: Options, log: Log) {
  const known = readBugs();
  const unknown = only.filter((name) => !known.some((bug) => bug.name === name));
  if (unknown.length > 0) throw new Error(`there is no planted bug ${unknown.join(', ')}`);
  const wanted = known.filter(({ name }) => only.length === 0 || only.includes(name));
  const results = read(resume);
  const copy = await makeWorkCopy();
  process.once('exit', copy.remove);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  log(`${wanted.length} bugs; results are kept in ${RESULTS}`);
  try {
    const related = openRelated(copy.root, copy.files);
    const tryOpen = async (limitMs: number): Promise<boolean> => {
      const todo = findOpen(wanted, results, limitMs);
      for (const [nth, bug] of todo.entries()) {
        const tests = related.findTests([...new Set(bug.edits.map(({ file }) => file))]);
        const useful = tests.filter((file) => results.clean[file] !== false);
        const verdict = await tryBug(copy, bug, useful, limitMs, results.bugs[bug.name]);
        results.bugs[bug.name] = verdict;
        save(results);
        log(`${nth + 1}/${todo.length} ${render(bug, verdict)}`);
      }
      return todo.length > 0;
    };
    for (const limitMs of ROUNDS_MS) await tryOpen(limitMs);
    // A bug is tried again when the test that noticed it turns out to fail without any bug.
    do await checkClean(copy, results, log);
    while (await tryOpen(LIMIT_MS));
  } finally {
    copy.remove();
  }
  return summarize(wanted, results, log);
}

const findOpen = (wanted: readonly Bug[], { bugs, clean }: Results, limitMs: number): Bug[] =>
  wanted.filter(({ name, text }) => {
    const before = bugs[name];
    if (before?.text !== text) return true;
    if (before.by) return clean[before.by.file] === false;
    return before.note === TIME_OVER && before.tookMs < limitMs;
  });

/** Continues with the tests that `before` did not reach. */
async function tryBug(
  copy: WorkCopy,
  bug: Bug,
  tests: readonly string[],
  limitMs: number,
  before?: Verdict,
): Promise<Verdict> {
  const started = Date.now();
  const last = before?.text === bug.text && before.note === TIME_OVER ? before : undefined;
  const passed = new Set(last?.passed);
  let tookMs = last?.tookMs ?? 0;
  const end = (rest: Pick<Verdict, 'verdict' | 'by' | 'note'>): Verdict => ({
    ...rest,
    passed: [...passed],
    tookMs,
    text: bug.text,
    seconds: (last?.seconds ?? 0) + Math.round((Date.now() - started) / 1_000),
  });
  let takeOut: () => Promise<void>;
  try {
    takeOut = await copy.plant(bug);
  } catch (error) {
    return end({ verdict: 'invalid', note: (error as Error).message });
  }
  const run = (files: readonly string[], ms: number) =>
    runTests(copy.root, files, { limitMs: ms, stopsAtFailure: true }).finally(dropDatabases);
  try {
    for (;;) {
      const outcome = await run(
        tests.filter((file) => !passed.has(file)),
        limitMs - tookMs,
      );
      for (const file of outcome.passed) passed.add(file);
      tookMs += outcome.tookMs;
      const [by] = outcome.failures;
      if (outcome.end === 'broken') return end({ verdict: 'invalid', note: outcome.said });
      // A test that fails once and passes the next time has not noticed the bug: on a busy machine some tests do that.
      if (by && (await run([by.file], LIMIT_MS)).failures.length > 0)
        return end({ verdict: 'caught', by: { ...by, error: by.error?.slice(0, 300) } });
      if (by) passed.add(by.file);
      if (!by || tookMs >= limitMs)
        return end({ verdict: 'missed', note: outcome.end === 'all' ? 'all passed' : TIME_OVER });
    }
  } finally {
    await takeOut();
  }
}

/** A test that fails without any bug proves nothing: those that noticed a bug run without one, all together. */
async function checkClean(copy: WorkCopy, { bugs, clean, ...rest }: Results, log: Log): Promise<void> {
  const files = [...new Set(Object.values(bugs).flatMap(({ by }) => by?.file ?? []))].filter(
    (file) => !(file in clean),
  );
  if (files.length === 0) return;
  log(`${files.length} test files that noticed a bug run without one`);
  const outcome = await runTests(copy.root, files, { limitMs: files.length * LIMIT_MS, stopsAtFailure: false });
  await dropDatabases();
  for (const file of outcome.passed) clean[file] = true;
  for (const { file, test } of outcome.failures) {
    clean[file] = false;
    log(`fails without a bug: ${file}: ${test}`);
  }
  save({ bugs, clean, ...rest });
}

/** Stopped test runs have left theirs. */
async function dropDatabases(): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.FLORIN_TEST_DATABASE_URL });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>(
      `SELECT datname FROM pg_database WHERE NOT datistemplate AND datname NOT IN ('postgres', $1)`,
      [TEMPLATE],
    );
    for (const { datname } of rows)
      await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(datname)} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}

function read(resume: boolean): Results {
  if (!resume || !existsSync(RESULTS)) return { bugs: {}, clean: {} };
  return JSON.parse(readFileSync(RESULTS, 'utf8')) as Results;
}

function save(results: Results): void {
  mkdirSync(dirname(RESULTS), { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 1)}\n`);
}

function render({ name, module }: Bug, { verdict, by, passed, note, seconds }: Verdict): string {
  const why = by ? `${by.file}: ${by.test}` : `${passed.length} files passed, ${note}`;
  const word = verdict === 'caught' ? 'caught' : verdict.toUpperCase();
  return `${word.padEnd(7)} ${module.padEnd(9)} ${name.padEnd(36)} ${String(seconds).padStart(3)} s  ${why}`;
}

function summarize(wanted: readonly Bug[], { bugs }: Results, log: Log) {
  const tried = wanted.flatMap((bug) => (bugs[bug.name] ? [{ bug, verdict: bugs[bug.name]! }] : []));
  log('');
  for (const { bug, verdict } of tried) log(render(bug, verdict));
  const count = (word: Verdict['verdict']) => tried.filter(({ verdict }) => verdict.verdict === word).length;
  const [caught, missed, invalid] = [count('caught'), count('missed'), count('invalid')];
  // For missed bugs: there were more related tests, and no time for them.
  const time_over = tried.filter(({ verdict }) => verdict.note === TIME_OVER).length;
  return { prove: 'planted', planted: tried.length, caught, missed, time_over, invalid, faults: missed + invalid };
}
