/** The probes of each dependency. docs/operating/observability.md describes their results. */
import type { Chain } from '../../core/ports.ts';
import type { Signer } from '../../core/signer.ts';
import { listRunways } from '../../custody/eip3009/relaying/listRunways.ts';
import { listFaultyNodes } from '../../custody/nodeFaults.ts';
import type { Queryable } from '../../db/database.ts';
import { findLosses, readDurability } from '../../db/durability.ts';
import { describeStanding, type Reads } from '../../db/standbys/openReads.ts';
import { findJobsOf } from '../../jobs/jobs.ts';
import { summarizePauses } from '../../operators/pauses.ts';
import type { Dependency, Probe } from './readiness.ts';

/** A pause by an operator or by one of custody's checks. */
interface ShownPause {
  /** `all`, `user`, `chain` or `chain:<blockchain>`. */
  readonly scope: string;
  readonly cause: string;
  readonly reason: string;
  readonly paused_at: Date;
}

export interface ShownPauses {
  readonly paused: readonly ShownPause[];
  /** Only the number: this port shows no personal data. */
  readonly paused_people: number;
}

/**
 * Reading the pauses also proves that the database answers. Pauses do not make the process unready. Neither does a
 * database that could lose answered payments; `can_lose` reports it.
 */
export const probeDatabase = (db: Queryable, keep: (pauses: ShownPauses) => void): Probe => ({
  names: ['database'],
  isVital: true,
  async run() {
    const [{ pauses, people }, durability] = await Promise.all([summarizePauses(db), readDurability(db)]);
    keep({
      paused: pauses.map(({ scope, cause, reason, pausedAt }) => ({ scope, cause, reason, paused_at: pausedAt })),
      paused_people: people,
    });
    const losses = findLosses(durability);
    return [{ name: 'database', status: 'ok', durability, ...(losses.length > 0 && { can_lose: losses }) }];
  },
});

/** Not vital: without standbys, the primary answers. */
export const probeStandbys = (reads: Pick<Reads, 'inspect'>): Probe => ({
  names: ['standbys'],
  isHearsay: true,
  async run() {
    const hosts = await reads.inspect();
    const says = hosts.flatMap((one) => describeStanding(one) ?? []);
    const isUsed = hosts.some(({ standing }) => standing === 'replayed');
    if (!isUsed) says.push('no reads go to standbys');
    const status = says.length === 0 ? 'ok' : isUsed ? 'degraded' : 'down';
    return [{ name: 'standbys', status, hosts, ...(says.length > 0 && { says: says.join('; ') }) }];
  },
});

/**
 * Without the signer, payments between people and reads continue; sends wait, and new people get their wallet later.
 */
export const probeSigner = (signer: Pick<Signer, 'check'>, everyMs: number): Probe => ({
  names: ['signer'],
  everyMs,
  async run() {
    const answer = await signer.check();
    if (answer.outcome === 'accepted') return [{ name: 'signer', status: 'ok' }];
    throw answer.outcome === 'unknown' ? answer.cause : new Error(answer.reason);
  },
});

/** An adapter's report about one outside party. */
interface Standing {
  readonly name: string;
  readonly status: 'ok' | 'degraded' | 'down';
  readonly says?: string;
}

export const probeOutside = (
  names: readonly string[],
  everyMs: number,
  probe: () => Promise<readonly Standing[]>,
): Probe => ({ names, everyMs, run: async () => (await probe()).map((one) => ({ ...one })) });

const networkName = (blockchain: string): string => `network ${blockchain}`;
/** The head is stale after this long without a read. */
const STALE_SECONDS = 30;
/** The worker counts as late from this many final blocks behind. */
const FAR_BEHIND = 100n;

interface NetworkRow {
  readonly blockchain: string;
  readonly head: bigint | null;
  readonly seen: number | null;
  readonly final: bigint | null;
  readonly read_to: bigint | null;
  readonly read_seconds: number | null;
}

/** The nodes as this process, the other servers and the workers see them. */
export const probeNetworks = (db: Queryable, chains: readonly Pick<Chain, 'blockchain' | 'nodes'>[]): Probe => ({
  names: chains.map(({ blockchain }) => networkName(blockchain)),
  isHearsay: true,
  async run() {
    const [rows, faults, jobs] = await Promise.all([
      db.query<NetworkRow>(
        `SELECT n.blockchain, h.block_number AS head, h.final_number AS final, c.block_number AS read_to,
                extract(epoch FROM clock_timestamp() - h.seen_at)::float8 AS seen,
                extract(epoch FROM clock_timestamp() - c.moved_at)::float8 AS read_seconds
           FROM networks n LEFT JOIN chain_heads h USING (network_id) LEFT JOIN chain_cursors c USING (network_id)
          WHERE n.blockchain = ANY ($1)`,
        [chains.map(({ blockchain }) => blockchain)],
      ),
      listFaultyNodes(db),
      findJobsOf(db, 'track', chains),
    ]);
    return chains.map((chain): Dependency => {
      const { blockchain } = chain;
      const row = rows.find((one) => one.blockchain === blockchain);
      const own = chain.nodes();
      const known = new Map(
        faults.filter((one) => one.blockchain === blockchain).map(({ blockchain: _, ...fault }) => [fault.host, fault]),
      );
      for (const { host, fault } of own) if (fault && !known.has(host)) known.set(host, { host, ...fault });
      const nodes = [...known.values()];
      const silent = own.filter(({ host }) => known.get(host)?.kind === 'silent').length;
      const hasMajority = own.length - silent > own.length / 2;
      const job = jobs.find((one) => one.key === blockchain);
      const isRead = job !== undefined && job.lastError === null && job.overdueSeconds < STALE_SECONDS;
      const isSeen = row?.seen != null && row.seen < STALE_SECONDS;
      const lag = row?.final != null && row.read_to !== null ? row.final - row.read_to : undefined;
      const hosts = nodes.map(({ host, kind }) => `${host} ${KINDS[kind]}`).join(', ');
      const trouble = !hasMajority
        ? `too few of its nodes answer: ${hosts}`
        : !isSeen && !isRead
          ? `its head has not been read for ${Math.round(row?.seen ?? 0)} s${hosts && `: ${hosts}`}`
          : undefined;
      const worry =
        hosts ||
        (job?.lastError && `the worker cannot read it: ${job.lastError}`) ||
        (lag !== undefined && lag > FAR_BEHIND ? `the worker is ${lag} final blocks behind` : '');
      return {
        name: networkName(blockchain),
        status: trouble ? 'down' : worry ? 'degraded' : 'ok',
        ...((trouble || worry) && { says: trouble || worry }),
        head: toNumber(row?.head),
        head_seconds_ago: roundSeconds(row?.seen),
        lag_blocks: toNumber(lag),
        nodes,
      };
    });
  },
});

const KINDS: Readonly<Record<string, string>> = {
  silent: 'does not answer',
  behind: 'is behind',
  'no state': 'lacks the state of the final block',
  contradicts: 'contradicts the others',
};

/**
 * These jobs run continuously on every network. An overdue one means that no worker runs, or that the worker with the
 * job hangs.
 */
export const STEADY_JOBS = ['carry', 'track', 'gas'] as const;
const OVERDUE_SECONDS = 30;

/** The workers' state, derived from their jobs: a running worker moves its job's due time. */
export const probeWorkers = (db: Queryable, chains: readonly Pick<Chain, 'blockchain'>[]): Probe => ({
  names: ['worker'],
  isHearsay: true,
  async run() {
    if (chains.length === 0) return [];
    const jobs = (await Promise.all(STEADY_JOBS.map((kind) => findJobsOf(db, kind, chains)))).flat();
    const late = jobs.filter(({ overdueSeconds }) => overdueSeconds > OVERDUE_SECONDS);
    const oldest = Math.max(0, ...jobs.map(({ overdueSeconds }) => overdueSeconds));
    if (jobs.length === 0) return [{ name: 'worker', status: 'down', says: 'no worker has run yet' }];
    if (late.length === 0) return [{ name: 'worker', status: 'ok', last_pass_seconds_ago: roundSeconds(oldest) }];
    const what = late.map(({ kind }) => kind).join(', ');
    const says = `jobs not done for ${Math.round(oldest)} s (no worker runs, or it hangs): ${what}`;
    return [{ name: 'worker', status: 'down', says, last_pass_seconds_ago: roundSeconds(oldest) }];
  },
});

/** Below this many payments, the relayer needs gas. */
const FEW_PAYMENTS = 50n;

export const probeRelayers = (db: Queryable, chains: readonly Pick<Chain, 'blockchain'>[]): Probe => ({
  names: ['relayers'],
  isHearsay: true,
  async run() {
    const ours = new Set(chains.map(({ blockchain }) => blockchain));
    const all = (await listRunways(db)).filter(({ blockchain, isNeeded }) => isNeeded && ours.has(blockchain));
    const names = [...new Set(all.map(({ blockchain }) => blockchain))];
    return names.map((blockchain): Dependency => {
      const relayers = all.filter((one) => one.blockchain === blockchain);
      const faults = relayers.flatMap(({ address, fault, payments }) =>
        fault
          ? [`${address} ${fault}`]
          : payments !== undefined && payments < FEW_PAYMENTS
            ? [`${address} has gas for ${payments} payments`]
            : [],
      );
      const isStuck = relayers.every(({ fault, payments }) => fault !== null || payments === 0n);
      return {
        name: `relayers ${blockchain}`,
        status: faults.length === 0 ? 'ok' : isStuck ? 'down' : 'degraded',
        ...(faults.length > 0 && { says: faults.join('; ') }),
        relayers: relayers.map(({ address, payments, fault }) => ({
          address,
          payments_left: toNumber(payments),
          fault,
        })),
      };
    });
  },
});

/** When this process last finished each kind of work, successfully or not. */
export interface Passes {
  note(kind: string, atMs?: number): void;
  /** In milliseconds since 1970. */
  list(): ReadonlyMap<string, number>;
}

export function openPasses(): Passes {
  const passes = new Map<string, number>();
  return { note: (kind, atMs = Date.now()) => void passes.set(kind, atMs), list: () => passes };
}

const HANGS_SECONDS = 60;

/** A worker that waits forever seems alive from outside. This probe reports the age of its last pass. */
export const probePasses = (passes: Passes): Probe => ({
  names: ['last pass'],
  isVital: true,
  async run() {
    const steady = [...passes.list()].filter(([kind]) => STEADY_JOBS.some((job) => kind.startsWith(`${job} `)));
    const ages = steady.map(([kind, atMs]) => ({ kind, seconds: (Date.now() - atMs) / 1_000 }));
    const late = ages.filter(({ seconds }) => seconds > HANGS_SECONDS);
    const oldest = roundSeconds(Math.max(0, ...ages.map(({ seconds }) => seconds)));
    if (late.length === 0) return [{ name: 'last pass', status: 'ok', seconds: oldest }];
    const says = `not finished for ${Math.round(oldest!)} s: ${late.map(({ kind }) => kind).join(', ')}`;
    return [{ name: 'last pass', status: 'down', says, seconds: oldest }];
  },
});

const toNumber = (value: bigint | null | undefined): number | null => (value == null ? null : Number(value));
const roundSeconds = (seconds: number | null | undefined): number | null =>
  seconds == null ? null : Math.round(seconds * 10) / 10;
