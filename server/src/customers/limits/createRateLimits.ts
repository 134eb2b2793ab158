import { createBatcher } from '../../db/createBatcher.ts';
import type { DedicatedConnection, Statement } from '../../db/openDedicatedConnection.ts';

/** How many calls are allowed in how many seconds for one key: an address, a person, a service. */
export interface RatePolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

export interface Spending {
  readonly policy: RatePolicy;
  readonly allowed: boolean;
  /** The rest of the window's quota for all processes together, as far as this process knows. */
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface RateLimits {
  /** Takes one call from the quota. Answers synchronously unless a new share is needed. */
  spend(policy: RatePolicy, key: string): Spending | Promise<Spending>;
  /** The rest of the quota, as far as this process knows without a query. */
  left(policy: RatePolicy, key: string): number;
}

/**
 * A process first takes a twentieth of a key's quota, after that a tenth at a time. All calls of one share together
 * cost one write.
 */
const FIRST_SHARES = 20;
const LATER_SHARES = 10;
/** Per policy. Dropping a share loses the calls left in it. It never allows more calls than the quota. */
const MAX_KEYS = 50_000;
const CLEAN_EVERY = 1_000;

interface Share {
  isFirst: boolean;
  left: number;
  /** The part of the quota that no process had taken when this share was taken. */
  untaken: number;
  endsAtMs: number;
  taking: Promise<void> | undefined;
}

/**
 * Limits that hold for all processes together. PostgreSQL stores the window; a process takes shares of it and spends
 * them in memory, so most calls write nothing. The unused calls of a share are lost when the window ends, so a limit
 * may be a little too strict, never too lax. `nowMs` must never go backwards.
 */
export function createRateLimits(
  connection: Pick<DedicatedConnection, 'run'>,
  nowMs: () => number = () => performance.now(),
): RateLimits {
  const policies = new Map<RatePolicy, Map<string, Share>>();
  const batcher = createBatcher<Wanted, Window>({
    concurrency: 1,
    isConflict: () => false,
    run: (_, wanted) => takeShares(connection, wanted),
  });
  let taken = 0;

  async function take(policy: RatePolicy, key: string, share: Share): Promise<void> {
    const size = Math.ceil(policy.quota / (share.isFirst ? FIRST_SHARES : LATER_SHARES));
    const window = await batcher.submit({ bucket: `${policy.name}:${key}`, policy, size });
    share.isFirst = false;
    share.left = window.granted;
    share.untaken = window.untaken;
    share.endsAtMs = nowMs() + window.secondsLeft * 1000;
    if (++taken % CLEAN_EVERY === 0) void connection.run(FORGET_ENDED, []).catch(() => {});
  }

  async function spendNewShare(policy: RatePolicy, key: string, share: Share): Promise<Spending> {
    while (share.left === 0 && !isSpentUp(share, nowMs())) {
      share.taking ??= take(policy, key, share).finally(() => {
        share.taking = undefined;
      });
      await share.taking;
    }
    return spendFrom(policy, share, nowMs());
  }

  const isOver = (share: Share, now: number): boolean => now >= share.endsAtMs;
  const isSpentUp = (share: Share, now: number): boolean =>
    share.left === 0 && share.untaken === 0 && !isOver(share, now);

  function spendFrom(policy: RatePolicy, share: Share, now: number): Spending {
    const allowed = share.left > 0;
    if (allowed) share.left--;
    const resetSeconds = Math.max(1, Math.ceil((share.endsAtMs - now) / 1000));
    return { policy, allowed, remaining: share.left + share.untaken, resetSeconds };
  }

  function getShares(policy: RatePolicy): Map<string, Share> {
    const known = policies.get(policy);
    if (known) return known;
    const shares = new Map<string, Share>();
    policies.set(policy, shares);
    return shares;
  }

  return {
    spend(policy, key) {
      const now = nowMs();
      const shares = getShares(policy);
      let share = shares.get(key);
      if (share && isOver(share, now) && !share.taking) {
        shares.delete(key);
        share = undefined;
      }
      if (!share) {
        if (shares.size >= MAX_KEYS) shares.delete(shares.keys().next().value as string);
        share = {
          isFirst: true,
          left: 0,
          untaken: policy.quota,
          endsAtMs: Number.POSITIVE_INFINITY,
          taking: undefined,
        };
        shares.set(key, share);
      }
      if (share.left > 0 || isSpentUp(share, now)) return spendFrom(policy, share, now);
      return spendNewShare(policy, key, share);
    },
    left(policy, key) {
      const share = policies.get(policy)?.get(key);
      return share && !isOver(share, nowMs()) ? share.left + share.untaken : policy.quota;
    },
  };
}

interface Wanted {
  readonly bucket: string;
  readonly policy: RatePolicy;
  readonly size: number;
}

interface Window {
  readonly granted: number;
  readonly untaken: number;
  readonly secondsLeft: number;
}

/**
 * One statement for all keys that need a share at the same moment, including the first call of a window: with many
 * people who make a few calls each, one statement per share halved the payments per second. Sorted by name, so that two
 * processes cannot deadlock. The count may exceed the quota by one share: this distinguishes a full window from one
 * whose last share was just taken.
 */
const TAKE_SHARES: Statement = {
  name: 'take_shares',
  text: `INSERT INTO rate_windows AS w (bucket, ends_at, taken)
         SELECT u.bucket, clock_timestamp() + make_interval(secs => u.seconds), u.size
           FROM json_to_recordset($1::json) AS u(bucket text, seconds float8, size integer) ORDER BY u.bucket
         ON CONFLICT (bucket) DO UPDATE SET
           taken = CASE WHEN w.ends_at <= clock_timestamp() THEN excluded.taken ELSE w.taken + excluded.taken END,
           ends_at = CASE WHEN w.ends_at <= clock_timestamp() THEN excluded.ends_at ELSE w.ends_at END
         RETURNING bucket, taken, extract(epoch FROM ends_at - clock_timestamp())`,
};

const FORGET_ENDED: Statement = {
  name: 'forget_rate_windows',
  text: `DELETE FROM rate_windows WHERE ends_at < now() - interval '10 minutes'`,
};

async function takeShares(connection: Pick<DedicatedConnection, 'run'>, wanted: readonly Wanted[]): Promise<Window[]> {
  const asked = wanted.map(({ bucket, policy, size }) => ({ bucket, seconds: policy.windowSeconds, size }));
  const rows = await connection.run(TAKE_SHARES, [JSON.stringify(asked)]);
  const found = new Map(rows.map((row) => [row[0], row]));
  return wanted.map(({ bucket, policy: { quota }, size }) => {
    const [, takenText, secondsText] = found.get(bucket)!;
    const taken = Number.parseInt(takenText!, 10);
    return {
      granted: Math.max(0, Math.min(size, quota - (taken - size))),
      untaken: Math.max(0, quota - taken),
      secondsLeft: Math.max(0.001, Number.parseFloat(secondsText!)),
    };
  });
}
