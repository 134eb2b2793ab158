/**
 * Reads from standbys (`FLORIN_DATABASE_READ_URL`) that are never older than reads from the primary: each read asks the
 * primary for its log position and uses a standby that has reached it. If there is no such standby, the primary
 * answers. See decision 43.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PayError } from '../../core/errors.ts';
import { isOutage, type Queryable, types } from '../database.ts';
import { listHosts } from '../hosts.ts';
import { asText, type DedicatedConnection, openDedicatedConnection, type TextRow } from '../openDedicatedConnection.ts';
import { openPositions, type Position } from './openPositions.ts';
import { openStandby, type Standby, type Standing } from './openStandby.ts';

/** Runs work that only reads, and may run it twice. It sees everything that was answered before the call. */
export type Read = <T>(work: (db: Queryable) => Promise<T>) => Promise<T>;

/** Reads everything from the primary. */
export const readOn =
  (db: Queryable): Read =>
  (work) =>
    work(db);

interface ReadConnectionOptions {
  readonly applicationName: string;
  /** Adds settings to the URL of each connection. */
  readonly adapt?: (url: string) => string;
}

/** Opens a dedicated connection for statements that only read. */
export type OpenReadConnection = (options: ReadConnectionOptions) => DedicatedConnection;

/** Why a read went to the primary: no standby was usable (`none`), or the result of the last one that was tried. */
type Why = Standing | 'none' | 'busy' | 'refused' | 'unasked';

interface SeenStandby {
  /** Includes the port, never a password. */
  readonly host: string;
  readonly standing: Standing;
}

export interface Reads {
  readonly read: Read;
  readonly openConnection: OpenReadConnection;
  /** Checks every host, and waits a moment for those that are behind. */
  inspect(): Promise<SeenStandby[]>;
  close(): Promise<void>;
}

interface ReadsOptions {
  readonly databaseUrl: string;
  readonly readUrl: string;
  /** Runs reads that find no usable standby. */
  readonly db: Queryable;
  /** Per host. */
  readonly maxConnections?: number;
  /** `why` is `replayed` for a read from a standby. */
  readonly onRead?: (place: 'standby' | 'primary', why: Why) => void;
}

/** A standby is usually a millisecond behind. Waiting for it is cheaper than asking another host. */
const CATCH_UP_MS = 5;
/** How often to check an unusable host. Reads do not wait for this check. */
const PROBE_EVERY_MS = 1_000;
const PROBE_PATIENCE_MS = 1_000;
/** A lagging standby is skipped, for twice as long each time. */
const [FIRST_REST_MS, LAST_REST_MS] = [5, 500];

/** The host ended a statement because of its time-out. The host itself is healthy. */
const TOOK_TOO_LONG = '57014';

interface Host {
  readonly url: string;
  readonly name: string;
  /** Undefined: not checked yet. */
  standing: Standing | undefined;
  restMs: number;
  restsUntilMs: number;
  /** Idle connections for `read`. */
  readonly free: Standby[];
  connections: number;
  /** For `inspect`, and to detect when the host is usable again. */
  readonly probe: Standby;
}

export function openReads({ databaseUrl, readUrl, db, maxConnections = 10, onRead }: ReadsOptions): Reads {
  const positions = openPositions(databaseUrl);
  const hosts = listHosts(readUrl).map(toHost);
  const stopping = new AbortController();
  const opened = new Set<Standby>(hosts.map(({ probe }) => probe));
  let rotation = 0;

  function note(host: Host, standing: Standing): void {
    host.standing = standing;
    host.restMs = standing === 'behind' ? Math.min(Math.max(host.restMs * 2, FIRST_REST_MS), LAST_REST_MS) : 0;
    host.restsUntilMs = performance.now() + host.restMs;
  }

  async function see(host: Host, position: Position, patienceMs: number): Promise<Standing> {
    const standing = await host.probe.catchUp(position, patienceMs);
    note(host, standing);
    return standing;
  }

  async function probe(): Promise<void> {
    while (!stopping.signal.aborted) {
      const unusable = hosts.filter(({ standing }) => !isUsable(standing));
      if (unusable.length > 0) {
        const position = await positions.ask().catch(() => undefined);
        if (position) await Promise.all(unusable.map((host) => see(host, position, 0)));
      }
      await sleep(PROBE_EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }
  const probing = probe();

  /** Returns undefined if the primary must answer. */
  async function readAtStandby<T>(
    take: (host: Host) => Standby | undefined,
    giveBack: (host: Host, standby: Standby) => void,
    work: (standby: Standby) => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> {
    let why: Why = 'none';
    const isReady = ({ standing, restsUntilMs }: Host) => isUsable(standing) && performance.now() >= restsUntilMs;
    rotation++;
    const order = hosts.map((_, i) => hosts[(i + rotation) % hosts.length]!);
    const position = order.some(isReady) ? await positions.ask().catch(() => undefined) : undefined;
    if (!position) why = order.some(isReady) ? 'unasked' : (order.find(({ standing }) => standing)?.standing ?? 'none');
    for (const host of position ? order : []) {
      if (!isReady(host)) continue;
      const standby = take(host);
      if (!standby) {
        why = 'busy';
        continue;
      }
      try {
        const standing = await standby.catchUp(position!, CATCH_UP_MS);
        note(host, standing);
        why = standing;
        if (standing !== 'replayed') continue;
        const value = await work(standby);
        onRead?.('standby', 'replayed');
        return { value };
      } catch (error) {
        // A business error comes from data that is recent enough, so it is the answer.
        if (error instanceof PayError) throw error;
        // Any other error, such as a conflict with recovery, is retried on the primary.
        const isAway = isOutage(error) && (error as { code?: string }).code !== TOOK_TOO_LONG;
        if (isAway) note(host, 'away');
        why = isAway ? 'away' : 'refused';
        standby.drop();
      } finally {
        giveBack(host, standby);
      }
    }
    onRead?.('primary', why);
    return undefined;
  }

  function take(host: Host): Standby | undefined {
    const free = host.free.pop();
    if (free || host.connections >= maxConnections) return free;
    host.connections++;
    return open(host.url, 'florin-read');
  }

  function open(url: string, applicationName: string): Standby {
    const standby = openStandby(url, applicationName);
    opened.add(standby);
    return standby;
  }

  return {
    async read(work) {
      const found = await readAtStandby(
        take,
        (host, standby) => void host.free.push(standby),
        (standby) => work(asQueryable(standby)),
      );
      return found ? found.value : work(db);
    },

    openConnection({ applicationName, adapt = (url) => url }) {
      const primary = openDedicatedConnection(adapt(databaseUrl), { applicationName });
      const standbys = new Map(hosts.map((host) => [host, open(adapt(host.url), applicationName)]));
      let last: Promise<unknown> = Promise.resolve();
      return {
        primary,
        run(statement, values) {
          const next = last.then(async () => {
            const found = await readAtStandby(
              (host) => standbys.get(host),
              () => {},
              async (standby) => {
                const asked = { ...statement, values: values as string[], rowMode: 'array', types: asText };
                return (await standby.query(asked)).rows as unknown as TextRow[];
              },
            );
            return found ? found.value : primary.run(statement, values);
          });
          last = next.catch(() => {});
          return next;
        },
        close: () => primary.close(),
      };
    },

    async inspect() {
      const position = await positions.ask();
      return Promise.all(
        hosts.map(async (host) => ({ host: host.name, standing: await see(host, position, PROBE_PATIENCE_MS) })),
      );
    },

    async close() {
      stopping.abort();
      await probing;
      for (const standby of opened) standby.drop();
      await positions.close();
    },
  };
}

const isUsable = (standing: Standing | undefined): boolean => standing === 'replayed' || standing === 'behind';

function toHost(url: string): Host {
  return {
    url,
    name: new URL(url).host,
    standing: undefined,
    restMs: 0,
    restsUntilMs: 0,
    free: [],
    connections: 0,
    probe: openStandby(url, 'florin-probes'),
  };
}

/** Runs one statement after another, because it is one connection. */
function asQueryable(standby: Standby): Queryable {
  let last: Promise<unknown> = Promise.resolve();
  return {
    query<Row>(sql: string, values: readonly unknown[] = []) {
      const next = last.then(() => standby.query({ text: sql, values: values as unknown[], types }));
      last = next.catch(() => {});
      return next.then(({ rows }) => rows as Row[]);
    },
  };
}

/**
 * Describes the standing, with what to do after a colon; undefined if it is as it should be. The URL may name all nodes
 * of a cluster.
 */
export function describeStanding({ host, standing }: SeenStandby): string | undefined {
  const says: Record<Standing, string | undefined> = {
    replayed: undefined,
    behind: `${host} is behind, so the primary answers: check why it replays so slowly`,
    primary: undefined,
    elsewhere: `${host} follows another database or timeline: make it a standby of the primary of DATABASE_URL`,
    unseen: `${host} follows no primary, or our login may not see it: GRANT pg_read_all_stats to the login, and check its replication`,
    away: `${host} does not answer: start it, or remove it from FLORIN_DATABASE_READ_URL`,
  };
  return says[standing];
}
