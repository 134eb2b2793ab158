/** Circle's limits, in requests per second. */
const PER_SECOND = { get: 20, post: 5, wallets: 10, derive: 10, estimate: 10, sign: 10 };
export type LimitName = keyof typeof PER_SECOND;

export interface Limits {
  /** False if there were too many within the last second. A refused request does not count. */
  take(name: LimitName): boolean;
}

export function createLimits(now: () => number = () => performance.now()): Limits {
  const taken = new Map<LimitName, number[]>();
  return {
    take(name) {
      const since = now() - 1000;
      const recent = (taken.get(name) ?? []).filter((at) => at > since);
      taken.set(name, recent);
      if (recent.length >= PER_SECOND[name]) return false;
      recent.push(now());
      return true;
    },
  };
}
