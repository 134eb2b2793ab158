import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Chain } from '../../core/ports.ts';
import type { News } from '../../db/database.ts';
import type { Passes } from './probes.ts';
import type { Dependency, Status } from './readiness.ts';
import { countRequests, type SeenRequest } from './requestSeries.ts';

export interface Metrics {
  readonly registry: Registry;
  observeRequest(seen: SeenRequest): void;
  /** The routes of an API, as its document names them. */
  expectRoutes(api: string, paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>): void;
  /** Shows the values of `known` at every scrape. */
  showDependencies(known: () => readonly Dependency[]): void;
  showNodes(chains: readonly Pick<Chain, 'blockchain' | 'nodes'>[]): void;
  showPasses(passes: Passes): void;
  showRetries(counts: () => ReadonlyMap<string, number>): void;
  showLostLines(lost: () => number): void;
  countNews(news: readonly News[]): void;
  /** Counts a statement by the place where it was read (standby or primary) and the reason. */
  countRead(place: string, why: string): void;
  setCertificateExpiry(seconds: number): void;
}

const VALUES: Readonly<Record<Exclude<Status, 'unknown'>, number>> = { ok: 1, degraded: 0.5, down: 0 };

/** Metrics of the Node process. They never stop observing it, so a process has them once. */
let ofProcess: Registry | undefined;

function registerProcessMetrics(registry: Registry): void {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  for (const { name } of ofProcess.getMetricsAsArray()) registry.registerMetric(ofProcess.getSingleMetric(name)!);
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  registerProcessMetrics(registry);
  const show = (name: string, help: string, labelNames: string[], rows: () => [Record<string, string>, number][]) => {
    const gauge = new Gauge<string>({
      name,
      help,
      labelNames,
      registers,
      collect() {
        gauge.reset();
        for (const [labels, value] of rows()) gauge.set(labels, value);
      },
    });
  };
  const states = new Counter({
    name: 'florin_payment_states_total',
    help: 'States of payments to addresses that this process has set, and deposits that it has credited.',
    labelNames: ['kind', 'state'] as const,
    registers,
  });
  const reads = new Counter({
    name: 'florin_reads_total',
    help: 'Reads that may go to standbys, by where they went and why; none without FLORIN_DATABASE_READ_URL.',
    labelNames: ['place', 'why'] as const,
    registers,
  });
  const requests = countRequests(registry);
  let expiry: Gauge | undefined;
  return {
    registry,
    observeRequest: requests.observe,
    expectRoutes(api, paths) {
      for (const [route, methods] of Object.entries(paths))
        for (const method of Object.keys(methods)) requests.expectRoute({ api, route, method: method.toUpperCase() });
    },
    showDependencies: (known) =>
      show('florin_dependency_ready', '1: ok. 0.5: degraded. 0: down. Absent while unknown.', ['dependency'], () =>
        known().flatMap(({ name, status }) => (status === 'unknown' ? [] : [[{ dependency: name }, VALUES[status]]])),
      ),
    showNodes: (chains) =>
      show('florin_node_up', '0 while this process gets no answer from the node.', ['blockchain', 'host'], () =>
        chains.flatMap((chain) =>
          chain
            .nodes()
            .map(({ host, fault }): [Record<string, string>, number] => [
              { blockchain: chain.blockchain, host },
              fault?.kind === 'silent' ? 0 : 1,
            ]),
        ),
      ),
    showPasses: (passes) =>
      show(
        'florin_job_last_pass_seconds',
        'When this worker last finished the job, in seconds since 1970.',
        ['job'],
        () => [...passes.list()].map(([job, atMs]) => [{ job }, atMs / 1_000]),
      ),
    showRetries: (counts) =>
      show('florin_retries', 'Failures that were retried since the start, by what failed.', ['what'], () =>
        [...counts()].map(([what, times]) => [{ what }, times]),
      ),
    showLostLines: (lost) =>
      show('florin_log_lines_lost', 'Log lines that could not be written since the start.', [], () => [[{}, lost()]]),
    countNews: (news) => {
      for (const { kind = 'send', state } of news) if (state) states.inc({ kind, state });
    },
    countRead: (place, why) => reads.inc({ place, why }),
    setCertificateExpiry(at) {
      // Only with TLS: if a proxy terminates TLS, there is no certificate to watch.
      expiry ??= new Gauge({
        name: 'florin_tls_certificate_expiry_seconds',
        help: 'When the certificate of the APIs expires, in seconds since 1970.',
        registers,
      });
      expiry.set(at);
    },
  };
}
