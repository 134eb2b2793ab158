import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Failure {
  readonly file: string;
  readonly test: string;
  readonly error?: string | undefined;
}

interface Outcome {
  readonly failures: readonly Failure[];
  /** Files that passed. */
  readonly passed: readonly string[];
  /** `time`: it was stopped. `broken`: nothing ran, for example because the database could not be created. */
  readonly end: 'failure' | 'all' | 'time' | 'broken';
  /** Measured as the limit is. */
  readonly tookMs: number;
  /** The last lines of its output. */
  readonly said: string;
}

interface Limits {
  /**
   * The time limit starts with the first test, because the set-up takes the same time for every bug. Time that the tests
   * wait because other programs use the processors does not count.
   */
  readonly limitMs: number;
  readonly stopsAtFailure: boolean;
}

/** Longer than the set-up takes on a busy machine. */
const SETUP_MS = 240_000;
const CONFIG = 'test/support/prove/planted/vitest.planted.ts';

/**
 * Ends processes that tests have started in groups of their own and could not stop: their command lines name the copy.
 */
function endStrays(root: string): void {
  for (const pid of existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${root}/`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** How long the process of this group that waited longest has waited for a processor. */
function measureWaitMs(group: number): number {
  const read = (pid: string): number => {
    try {
      // After the name in brackets: the state, the parent and the group.
      if (Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[2]) !== group) return 0;
      return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
    } catch {
      // It has ended meanwhile.
      return 0;
    }
  };
  return Math.max(
    0,
    ...(existsSync('/proc') ? readdirSync('/proc') : []).filter((name) => /^\d+$/.test(name)).map(read),
  );
}

/** Runs these tests in the copy of the repository. */
export function runTests(root: string, tests: readonly string[], limits: Limits): Promise<Outcome> {
  const { limitMs, stopsAtFailure } = limits;
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--config', CONFIG], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      FLORIN_PLANTED_TESTS: JSON.stringify(tests),
      CI: '1',
      NO_COLOR: '1',
      // Programs run from their sources: to build them takes longer than most bugs need, and few of the nearest tests
      // start one.
      FLORIN_BUILT_PROGRAMS: '',
    },
  });
  const said: string[] = [];
  const passed: string[] = [];
  const failures: Failure[] = [];
  let isLate = false;
  let hasBegun = false;
  let beganMs = 0;
  let waitedBeforeMs = 0;
  let tookMs = 0;
  const stop = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  process.prependOnceListener('exit', stop);
  const giveUp = () => {
    isLate = hasBegun;
    stop();
  };
  const measure = () => {
    tookMs = Math.max(tookMs, Date.now() - beganMs - Math.max(0, measureWaitMs(child.pid!) - waitedBeforeMs));
  };
  let timer = setTimeout(giveUp, SETUP_MS);
  const hear: Readonly<Record<string, (json: string) => void>> = {
    began() {
      if (hasBegun) return;
      hasBegun = true;
      beganMs = Date.now();
      waitedBeforeMs = measureWaitMs(child.pid!);
      clearTimeout(timer);
      timer = setInterval(() => {
        measure();
        if (tookMs >= limitMs) giveUp();
      }, 1_000);
    },
    passed: (json) => passed.push((JSON.parse(json) as Failure).file),
    failed(json) {
      failures.push(JSON.parse(json) as Failure);
      if (stopsAtFailure) stop();
    },
  };
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      const [, word, json] = /^planted (began|failed|passed) (\{.*\})$/.exec(line) ?? [];
      if (word) hear[word]!(json!);
      else said.push(line);
    });
  }
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer);
      process.off('exit', stop);
      endStrays(root);
      const end = failures.length > 0 ? 'failure' : isLate ? 'time' : code === 0 ? 'all' : 'broken';
      resolve({ failures, passed, end, tookMs, said: said.slice(-15).join('\n') });
    });
  });
}
