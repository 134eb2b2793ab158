/**
 * The end of every benchmark: its figures as one JSON line, the last of its output. If it has missed one of its own
 * targets, or a figure is not a number because nothing was measured, it reports that on the error output and exits with
 * code 1.
 */
import { isShort } from './short.ts';

type Figure = string | number | object;

/** Conditions on the figures, described in words. */
type Promises = Readonly<Record<string, boolean>>;

interface Judged {
  /** Checked in every run. */
  readonly promises?: Promises;
  /** About time: not checked in a short run. */
  readonly speed?: Promises;
}

export function finish(bench: string, figures: Readonly<Record<string, Figure>>, judged: Judged = {}): void {
  const missed = findMissed(figures, { ...judged.promises, ...(!isShort && judged.speed) });
  console.log(JSON.stringify({ bench, ...figures, ...(missed.length > 0 && { failed: missed }) }));
  if (missed.length > 0) fail(bench, missed.join('; '));
}

export function fail(bench: string, why: string): void {
  console.error(`FAILED: ${bench}: ${why}`);
  process.exitCode = 1;
}

export function findMissed(figures: Readonly<Record<string, Figure>>, promises: Promises): string[] {
  const unmeasured = Object.entries(figures).filter(([, one]) => typeof one === 'number' && !Number.isFinite(one));
  return [
    ...unmeasured.map(([name]) => `${name} was not measured`),
    ...Object.entries(promises)
      .filter(([, isKept]) => !isKept)
      .map(([words]) => words),
  ];
}

/**
 * The figures that each benchmark must have in its last line, besides others. `npm run test:all` runs each one and
 * compares.
 */
export const FIGURES: Readonly<Record<string, readonly string[]>> = {
  against: [
    'commit',
    'tps_ratio',
    'cpu_ratio',
    'fixed_cpu_ratio',
    'production_cpu_ratio',
    'production_fixed_cpu_ratio',
  ],
  audit: ['payments_ratio', 'rows_per_s', 'detect_s', 'cycle_s'],
  chain: [
    'payments',
    'transfers',
    'chain_txs',
    'gas_ratio',
    'blocks_to_mine',
    'accepted_ratio',
    'accepted_best_ratio',
    'pgbench_tps',
  ],
  console: ['payments', 'people', 'search_p95_ms', 'home_ms', 'home_day_ms'],
  contention: [
    'obvious_tps',
    'uniform_tps',
    'zipf2_tps',
    'zipf2_vs_obvious',
    'zipf2_vs_uniform',
    'errors',
    'deadlocks',
  ],
  events: ['sse_p99_ms', 'webhook_p99_ms', 'payments_ratio'],
  growth: ['rows', 'ratio', 'wal_ratio'],
  history: ['first_page_growth', 'deep_page_growth', 'page_ratio_64', 'pages_per_s', 'payments_per_s'],
  http: ['refused_ratio', 'accepted_ratio'],
  latency: ['rate', 'p50_ms', 'p99_ms', 'p999_ms', 'commit_ms', 'goal_p99_ms'],
  ledger: ['pgbench_tps', 'commit_ms', 'ratio_64', 'ratio_256', 'best_ratio_256', 'hot_ratio_256', 'cpu_us_256'],
  login: ['first_p50_ms', 'first_p99_ms', 'first_p99_ms_8', 'later_p50_ms', 'later_p99_ms'],
  overview: ['ratio_64', 'p99_ms_64'],
  p2p: ['pgbench_tps', 'commit_ms', 'rps_64', 'ratio_256', 'best_ratio_256', 'production_best_ratio_256', 'cpu_us_256'],
  payout: ['ratio', 'best_ratio', 'rows_per_second', 'pgbench_tps', 'commit_ms', 'cpu_us', 'files'],
  settle: ['payments', 'chain_transfers', 'max_difference'],
  timing: ['pairs', 'differing', 'calls'],
  wallet: ['fcp_ms', 'lcp_ms', 'balance_ms', 'cls', 'inp_ms', 'js_gz_kb'],
  wallets: ['wallets', 'call_growth', 'poll_growth', 'reserve_growth', 'settle_growth', 'reconcile_growth'],
};
