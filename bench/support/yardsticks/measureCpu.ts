import { readCpuSeconds, readEndedCpuSeconds } from './cpuSeconds.ts';

/** CPU time of each party, in microseconds per operation. NaN (`null` in JSON) on other systems than Linux. */
export interface Cpu {
  /** Florin's processes. */
  readonly node: number;
  readonly postgres: number;
  /** The load generator: this process and the children that it has waited for. */
  readonly load: number;
}

/** Read how many CPU seconds they have used so far. */
export interface Parties {
  node(): number;
  postgres(): number;
}

interface WithCpu<Result> {
  readonly result: Result;
  readonly cpu: Cpu;
}

/** `count`: the operations of a result. */
export async function measureCpu<Result>(
  { node, postgres }: Parties,
  run: () => Promise<Result>,
  count: (result: Result) => number,
): Promise<WithCpu<Result>> {
  const load = () => readCpuSeconds(process.pid) + readEndedCpuSeconds(process.pid);
  const read = (): Cpu => ({ node: node(), postgres: postgres(), load: load() });
  const before = read();
  const result = await run();
  const after = read();
  const each = (party: keyof Cpu) => Math.round(((after[party] - before[party]) / count(result)) * 1e7) / 10;
  return { result, cpu: { node: each('node'), postgres: each('postgres'), load: each('load') } };
}

export const CPU_HEADINGS = '   µs node   µs pg   µs load';

export const renderCpu = ({ node, postgres, load }: Cpu): string =>
  [node, postgres, load].map((one, i) => one.toFixed(1).padStart([10, 8, 10][i]!)).join('');
