/**
 * What a process depends on, and how it is. The shape of `/readyz` is written down in docs/operating/observability.md.
 *
 * Nobody who asks waits for a dependency: looks are taken in the background, each with its own patience, and what was seen
 * last is answered, with its age.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../../core/describeError.ts';

/** `degraded`: it works in part, or soon will not. `unknown`: whoever could tell does not answer. */
export type Status = 'ok' | 'degraded' | 'down' | 'unknown';

export interface Dependency {
  /** `database`, `network ETH`, `issuer https://…`: the same for as long as the process lives. */
  readonly name: string;
  readonly status: Status;
  /** For people: what is wrong. */
  readonly says?: string;
  /** More about it, by its kind; see docs/operating/observability.md. */
  readonly [detail: string]: unknown;
}

/** One way to see one or more dependencies. */
export interface Look {
  /** What it answers for when nothing was seen yet, or nothing can be. */
  readonly names: readonly string[];
  /** Whether the process can do nothing at all without it. */
  readonly isVital?: boolean;
  /** A failed look says nothing about the dependency itself: somebody else was asked about it. */
  readonly isHearsay?: boolean;
  /** For outside parties, who are asked at this pace only. */
  readonly everyMs?: number;
  look(): Promise<readonly Dependency[]>;
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

export interface Looking {
  /** Looks at what is cheap to see, waits a moment for it, and answers what is known. */
  read(): Promise<Found>;
  /** What was seen last, without looking. */
  known(): readonly Dependency[];
  stop(): Promise<void>;
}

const EVERY_MS = 5_000;
/** A look that takes longer has failed. */
const TIMEOUT_MS = 3_000;
/** Who asks waits for so long at most. */
const PATIENCE_MS = 800;

interface LookingOptions {
  /** A dependency is not as it was. */
  readonly onChange?: (now: Dependency, before: Status | undefined) => void;
  readonly timeoutMs?: number;
}

export function keepLooking(looks: readonly Look[], options: LookingOptions = {}): Looking {
  const { onChange, timeoutMs = TIMEOUT_MS } = options;
  const stopping = new AbortController();
  const seen = new Map<Look, Seen>(
    looks.map((one) => [one, { dependencies: one.names.map(notSeen), atMs: 0, underWay: undefined }]),
  );
  const statuses = new Map<string, Status>();

  function look(one: Look): Promise<void> {
    const state = seen.get(one)!;
    state.underWay ??= withPatience(one.look(), timeoutMs)
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
    // Not to see something is no news about it: whoever could tell has a line of its own.
    if (before === now.status || now.status === 'unknown') return;
    statuses.set(now.name, now.status);
    // That everything is well at the start is no news.
    if (before !== undefined || now.status !== 'ok') onChange?.(now, before);
  }

  async function repeat(one: Look): Promise<void> {
    while (!stopping.signal.aborted) {
      await look(one);
      await sleep(one.everyMs ?? EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }
  const running = Promise.all(looks.map(repeat));

  return {
    async read() {
      // Outside parties are asked at their own pace: probes must not flood them.
      const fresh = Promise.all(looks.filter(({ everyMs }) => everyMs === undefined).map(look));
      await Promise.race([fresh, sleep(PATIENCE_MS, undefined, { ref: false })]);
      return toFound(looks, seen);
    },
    known: () => [...seen.values()].flatMap(({ dependencies }) => dependencies),
    async stop() {
      stopping.abort();
      await Promise.race([running, sleep(timeoutMs)]);
    },
  };
}

function toFound(looks: readonly Look[], seen: ReadonlyMap<Look, Seen>): Found {
  const vital = looks.filter(({ isVital }) => isVital).flatMap((one) => seen.get(one)!.dependencies);
  const all = [...seen.values()].flatMap(({ dependencies, atMs }) => {
    const secondsAgo = atMs === 0 ? 0 : Math.round((Date.now() - atMs) / 100) / 10;
    return dependencies.map((one) => ({ ...one, seconds_ago: secondsAgo }));
  });
  const isDown = vital.some(({ status }) => status !== 'ok' && status !== 'degraded');
  const isWell = all.every(({ status }) => status === 'ok');
  return { status: isDown ? 'down' : isWell ? 'ready' : 'degraded', dependencies: all };
}

const notSeen = (name: string): Dependency => ({ name, status: 'unknown', says: 'was not looked at yet' });

const toFailed = (one: Look, name: string, error: unknown): Dependency =>
  one.isHearsay
    ? { name, status: 'unknown', says: `cannot be seen: ${describeError(error)}` }
    : { name, status: 'down', says: describeError(error) };

async function withPatience<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`has not answered within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
