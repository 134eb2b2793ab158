import type { Logger } from 'pino';
import { listen } from '../contract/listen.ts';
import { createOps } from './createOps.ts';
import type { Metrics } from './metrics.ts';
import type { ShownPauses } from './probes.ts';
import { type Dependency, keepProbing, type Probe, type Status } from './readiness.ts';

/** Where the operations port of a process listens. */
export interface OpsEndpoint {
  readonly host: string;
  /** Names, without ports, that it answers to besides addresses and `localhost`. */
  readonly hosts: readonly string[];
  readonly port: number;
}

interface OpsOptions {
  readonly process: 'server' | 'worker' | 'signer' | 'console';
  readonly place: OpsEndpoint;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Until then everything is reported as down. */
  readonly isPrepared: () => boolean;
  /** The probes to run; `keep` receives the current pauses. */
  readonly probes: (keep: (pauses: ShownPauses) => void) => readonly Probe[];
}

interface Ops {
  /** Returns the URL. If the port is taken, `elsewhere` uses a free one and logs it. */
  listen(whenTaken?: 'fail' | 'elsewhere'): Promise<string>;
  close(): Promise<void>;
}

/** Opens the operations port of a process and starts its background probes. */
export function openOps({ process, place, metrics, log, isPrepared, probes }: OpsOptions): Ops {
  let pauses: ShownPauses = { paused: [], paused_people: 0 };
  const keep = (next: ShownPauses) => {
    logPauses(log, pauses, next);
    pauses = next;
  };
  const probing = keepProbing(probes(keep), { onChange: (now, before) => logChange(log, now, before) });
  metrics.showDependencies(probing.known);
  const server = createOps({
    hosts: [place.host, ...place.hosts],
    registry: metrics.registry,
    async readiness() {
      const { status, dependencies } = await probing.read();
      return { status: isPrepared() ? status : 'down', process, dependencies, ...pauses };
    },
  });
  return {
    async listen(whenTaken = 'fail') {
      try {
        return await listen(server, place);
      } catch (error) {
        if (whenTaken === 'fail' || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
        const url = await listen(server, { ...place, port: 0 });
        log.warn({ port: place.port, ops_url: url }, 'the operations port is taken; another one is used');
        return url;
      }
    },
    async close() {
      await probing.stop();
      await new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      });
    },
  };
}

function logChange(log: Logger, { name, status, says }: Dependency, before: Status | undefined): void {
  const fields = { incident: 'dependency', dependency: name, status, ...(before && { before }), ...(says && { says }) };
  if (status === 'ok') log.info(fields, 'a dependency has recovered');
  else log.warn(fields, 'a dependency is failing');
}

/** A pause is an incident, no matter who set it: one line when it is first seen, and one when it has ended. */
function logPauses(log: Logger, before: ShownPauses, now: ShownPauses): void {
  const keyOf = ({ scope, cause }: { scope: string; cause: string }) => `${scope} ${cause}`;
  const known = new Set(before.paused.map(keyOf));
  const still = new Set(now.paused.map(keyOf));
  for (const pause of now.paused)
    if (!known.has(keyOf(pause))) log.warn({ incident: 'pause', ...pause }, 'payments are paused');
  for (const { scope, cause } of before.paused.filter((one) => !still.has(keyOf(one))))
    log.info({ incident: 'pause', scope, cause }, 'payments have resumed');
  const people = now.paused_people - before.paused_people;
  if (people !== 0)
    log.info(
      { incident: 'pause', scope: 'user', people: now.paused_people },
      'the number of paused people has changed',
    );
}
