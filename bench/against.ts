/**
 * Payments between people against another version: `FLORIN_BENCH_COMMIT` names its commit. That version is checked out
 * into a git worktree with its own packages, so this needs a package registry and the history. Each version has its own
 * PostgreSQL, and both take turns under the same loads: as much as they can take, and a fixed rate of independent
 * arrivals. CPU time per payment is the figure that depends least on the machine. A short run compares this version with
 * itself.
 */
import { execFileSync, fork } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyLoad } from './load/p2pLoad.ts';
import type { Peer } from './load/servePeer.ts';
import { startOpenLoop } from './load/startOpenLoop.ts';
import { finish } from './support/finish.ts';
import { median, round, SECONDS } from './support/ledgerWorld.ts';
import { isShort, sized } from './support/short.ts';
import { readChildrenCpuSeconds, readPostgresCpuSeconds } from './support/yardsticks/cpuSeconds.ts';
import { type Cpu, measureCpu } from './support/yardsticks/measureCpu.ts';

/** Version 0.3.0 as it was reviewed. */
const COMMIT = process.env.FLORIN_BENCH_COMMIT ?? 'b9b91b45';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PEOPLE = sized(10_000, 100);
const ROUNDS = sized(6, 1);
const SECONDS_EACH = sized(Math.max(2, Math.ceil(SECONDS / ROUNDS)), 1);
const VERSIONS = ['old', 'new'] as const;
const LOADS = ['saturated', 'fixed'] as const;
/** Of what the slower version reaches. */
const FIXED_SHARE = 0.5;

interface Running {
  readonly peer: Peer;
  readCpuSeconds(party: 'node' | 'postgres'): number;
  /** Recomputes the books. */
  stop(): Promise<void>;
  kill(): void;
}

interface Measured {
  readonly perSecond: number;
  readonly cpu: Cpu;
}

type Mode = Peer['modes'][number]['mode'];
type Line = `${Mode} ${(typeof LOADS)[number]} ${(typeof VERSIONS)[number]}`;

export default async function benchAgainst(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-against-'));
  const other = isShort ? ROOT : checkOut(join(folder, 'version'));
  const openLoop = startOpenLoop();
  const running: Partial<Record<(typeof VERSIONS)[number], Running>> = {};
  try {
    running.old = await start(other);
    running.new = await start(ROOT);
    const lines: Partial<Record<Line, Measured[]>> = {};
    const rates: Partial<Record<Mode, number>> = {};
    const run = async (version: (typeof VERSIONS)[number], mode: Mode, load: (typeof LOADS)[number]) => {
      const { peer, readCpuSeconds } = running[version]!;
      const { url, people } = peer.modes.find((one) => one.mode === mode)!;
      const parties = { node: () => readCpuSeconds('node'), postgres: () => readCpuSeconds('postgres') };
      const apply = async () => {
        const seconds = SECONDS_EACH;
        if (load === 'saturated') return applyLoad({ url, people, connections: 256, seconds });
        const { latenciesMs, refused } = await openLoop.run({ url, people, rate: rates[mode]!, seconds });
        return { requests: latenciesMs.length, perSecond: latenciesMs.length / seconds, refused };
      };
      const { result, cpu } = await measureCpu(parties, apply, ({ requests }) => requests);
      if (result.refused > 0) throw new Error(`${version}: ${result.refused} payments were refused or lost`);
      return { perSecond: result.perSecond, cpu };
    };
    for (const mode of ['sandbox', 'production'] as const) {
      const warm = [];
      for (const version of VERSIONS) warm.push(await run(version, mode, 'saturated'));
      rates[mode] = Math.floor(Math.min(...warm.map(({ perSecond }) => perSecond)) * FIXED_SHARE);
      for (let nth = 0; nth < ROUNDS; nth++)
        // The first of two has the quieter disk, so they change places.
        for (const load of LOADS)
          for (const version of nth % 2 === 0 ? VERSIONS : VERSIONS.toReversed()) {
            const line: Line = `${mode} ${load} ${version}`;
            lines[line] = [...(lines[line] ?? []), await run(version, mode, load)];
          }
    }
    for (const version of VERSIONS) await running[version]!.stop();
    report(lines as Record<Line, Measured[]>);
  } finally {
    openLoop.stop();
    for (const version of Object.values(running)) version.kill();
    if (!isShort) execFileSync('git', ['worktree', 'remove', '--force', other], { cwd: ROOT });
    rmSync(folder, { recursive: true, force: true });
  }
}

function checkOut(folder: string): string {
  const run = (command: string, words: readonly string[], cwd: string) =>
    execFileSync(command, words, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  run('git', ['worktree', 'add', '--detach', folder, COMMIT], ROOT);
  run('npm', ['ci'], folder);
  copyFileSync(join(ROOT, 'bench/load/servePeer.ts'), join(folder, 'bench/load/servePeer.ts'));
  return folder;
}

async function start(root: string): Promise<Running> {
  const child = fork('bench/load/servePeer.ts', [String(PEOPLE), ...(isShort ? ['--short'] : [])], {
    cwd: root,
    execArgv: ['--import', 'tsx'],
  });
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  const peer = await new Promise<Peer>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Peer));
    child.once('exit', (code) => reject(new Error(`the version in ${root} ended with ${code}`)));
  });
  return {
    peer,
    readCpuSeconds: (party) =>
      party === 'node' ? readChildrenCpuSeconds(child.pid!, /florin/) : readPostgresCpuSeconds(peer.postmaster),
    async stop() {
      child.send('stop');
      const code = await ended;
      if (code !== 0) throw new Error(`the version in ${root} ended with ${code}`);
    },
    kill: () => void child.kill(),
  };
}

function report(lines: Record<Line, readonly Measured[]>): void {
  const middle = (line: Line, read: (one: Measured) => number) => median(lines[line].map(read));
  const cpuOf = ({ cpu }: Measured) => cpu.node + cpu.postgres;
  console.log('                              payments/s   µs node   µs pg   together');
  for (const line of Object.keys(lines) as Line[]) {
    const reads = [(one: Measured) => one.cpu.node, (one: Measured) => one.cpu.postgres, cpuOf];
    const cells = [
      Math.round(middle(line, ({ perSecond }) => perSecond)),
      ...reads.map((read) => round(middle(line, read), 1)),
    ];
    console.log(line.padEnd(28) + cells.map((cell, i) => String(cell).padStart([12, 10, 8, 11][i]!)).join(''));
  }
  const ratio = (begin: `${Mode} ${(typeof LOADS)[number]}`, read: (one: Measured) => number) =>
    round(median(lines[`${begin} new`].map((one, nth) => read(one) / read(lines[`${begin} old`][nth]!))), 3);
  finish('against', {
    commit: COMMIT,
    tps_ratio: ratio('sandbox saturated', ({ perSecond }) => perSecond),
    cpu_ratio: ratio('sandbox saturated', cpuOf),
    fixed_cpu_ratio: ratio('sandbox fixed', cpuOf),
    production_tps_ratio: ratio('production saturated', ({ perSecond }) => perSecond),
    production_cpu_ratio: ratio('production saturated', cpuOf),
    production_fixed_cpu_ratio: ratio('production fixed', cpuOf),
  });
}
