/**
 * The state of everything a process depends on. docs/operating/observability.md describes the form of `/readyz`.
 *
 * A request never waits for a dependency: probes run in the background, each with its own timeout, and the answer
 * contains the last results with their age.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../../core/describeError.ts';

/** `degraded`: works in part, or will soon fail. `unknown`: the source of this information does not answer. */
export type Status = 'ok' | 'degraded' | 'down' | 'unknown';

export interface Dependency {
  /** `database`, `network ETH`, `issuer https://…`: constant during the life of the process. */
  readonly name: string;
  readonly status: Status;
  /** A description of the problem, for people. */
  readonly says?: string;
  /** More details, by kind; see docs/operating/observability.md. */
  readonly [detail: string]: unknown;
}

/** A way to check one or more dependencies. */
export interface Probe {
  /** The names that it reports as unknown while there is no result. */
  readonly names: readonly string[];
  /** Whether the process can do nothing at all without the dependency. */
  readonly isVital?: boolean;
  /** The probe asks a third party, so a failed probe says nothing about the dependency itself. */
  readonly isHearsay?: boolean;
  /** The interval for outside parties; they are never asked more often. */
  readonly everyMs?: number;
  run(): Promise<readonly Dependency[]>;
}

interface Seen {
  dependencies: readonly Dependency[];
  atMs: number;
  underWay: Promise<void> | undefined;
}

interface Found {
  readonly status: 'ready' | 'degraded' | 'down';
  readonly dependencies: readonly (Dependency & { readonly seconds_ago: number })[];
}

export interface Probing {
  /** Runs the cheap probes, waits briefly for them, and returns the known results. */
  read(): Promise<Found>;
  /** The last results, without probing. */
  known(): readonly Dependency[];
  stop(): Promise<void>;
}

const EVERY_MS = 5_000;
/** A probe that takes longer has failed. */
const TIMEOUT_MS = 3_000;
/** The longest time that a request waits. */
const PATIENCE_MS = 800;

interface ProbingOptions {
  /** Called when the status of a dependency changes. */
  readonly onChange?: (now: Dependency, before: Status | undefined) => void;
  readonly timeoutMs?: number;
}

export function keepProbing(probes: readonly Probe[], options: ProbingOptions = {}): Probing {
  const { onChange, timeoutMs = TIMEOUT_MS } = options;
  const stopping = new AbortController();
  const seen = new Map<Probe, Seen>(
    probes.map((one) => [one, { dependencies: one.names.map(notSeen), atMs: 0, underWay: undefined }]),
  );
  const statuses = new Map<string, Status>();

  function runProbe(one: Probe): Promise<void> {
    const state = seen.get(one)!;
    state.underWay ??= withPatience(one.run(), timeoutMs)
      .catch((error: unknown) => one.names.map((name) => toFailed(one, name, error)))
      .then((dependencies) => {
        state.dependencies = dependencies;
        state.atMs = Date.now();
        state.underWay = undefined;
        if (!stopping.signal.aborted) for (const dependency of dependencies) compare(dependency);
      });
    return state.underWay;
  }

  function compare(now: Dependency): void {
    const before = statuses.get(now.name);
    // `unknown` is not a change: the dependency that could not be asked is reported itself.
    if (before === now.status || now.status === 'unknown') return;
    statuses.set(now.name, now.status);
    // An `ok` at the start is not a change.
    if (before !== undefined || now.status !== 'ok') onChange?.(now, before);
  }

  async function repeat(one: Probe): Promise<void> {
    while (!stopping.signal.aborted) {
      await runProbe(one);
      await sleep(one.everyMs ?? EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }
  const running = Promise.all(probes.map(repeat));

  return {
    async read() {
      // Outside parties keep their own interval, so that requests cannot flood them.
      const fresh = Promise.all(probes.filter(({ everyMs }) => everyMs === undefined).map(runProbe));
      await Promise.race([fresh, sleep(PATIENCE_MS, undefined, { ref: false })]);
      return toFound(probes, seen);
    },
    known: () => [...seen.values()].flatMap(({ dependencies }) => dependencies),
    async stop() {
      stopping.abort();
      await Promise.race([running, sleep(timeoutMs)]);
    },
  };
}

function toFound(probes: readonly Probe[], seen: ReadonlyMap<Probe, Seen>): Found {
  const vital = probes.filter(({ isVital }) => isVital).flatMap((one) => seen.get(one)!.dependencies);
  const all = [...seen.values()].flatMap(({ dependencies, atMs }) => {
    const secondsAgo = atMs === 0 ? 0 : Math.round((Date.now() - atMs) / 100) / 10;
    return dependencies.map((one) => ({ ...one, seconds_ago: secondsAgo }));
  });
  const isDown = vital.some(({ status }) => status !== 'ok' && status !== 'degraded');
  const isWell = all.every(({ status }) => status === 'ok');
  return { status: isDown ? 'down' : isWell ? 'ready' : 'degraded', dependencies: all };
}

const notSeen = (name: string): Dependency => ({ name, status: 'unknown', says: 'has not been checked yet' });

const toFailed = (one: Probe, name: string, error: unknown): Dependency =>
  one.isHearsay
    ? { name, status: 'unknown', says: `cannot be checked: ${describeError(error)}` }
    : { name, status: 'down', says: describeError(error) };

async function withPatience<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
