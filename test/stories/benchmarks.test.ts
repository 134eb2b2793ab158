/**
 * M40: a benchmark measured nothing for weeks and nobody noticed. A short run of every benchmark must end well, with all of
 * its figures; how large they are is not judged here.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findMissed } from '../../bench/support/finish.ts';
import { findPgbench } from '../../bench/support/pgbench.ts';
import { findChromium } from '../support/browser/findChromium.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const FIGURES: Readonly<Record<string, readonly string[]>> = {
  audit: ['payments_ratio', 'rows_per_s', 'detect_s', 'cycle_s'],
  chain: ['payments', 'transfers', 'chain_txs', 'gas_ratio', 'blocks_to_mine', 'accepted_ratio', 'pgbench_tps'],
  events: ['sse_p99_ms', 'webhook_p99_ms', 'payments_ratio'],
  growth: ['rows', 'ratio', 'wal_ratio'],
  history: ['first_page_growth', 'deep_page_growth', 'page_ratio_64', 'pages_per_s', 'payments_per_s'],
  http: ['refused_ratio', 'accepted_ratio'],
  ledger: ['pgbench_tps', 'ratio_64', 'ratio_256', 'hot_ratio_256'],
  login: ['first_p50_ms', 'first_p99_ms', 'first_p99_ms_8', 'later_p50_ms', 'later_p99_ms'],
  overview: ['ratio_64', 'p99_ms_64'],
  p2p: ['pgbench_tps', 'rps_64', 'ratio_256', 'hot_ratio_256', 'production_ratio_256', 'checks_ratio'],
  payout: ['ratio', 'rows_per_second', 'pgbench_tps', 'files'],
  settle: ['payments', 'chain_transfers', 'max_difference'],
  timing: ['pairs', 'differing', 'calls'],
  wallet: ['fcp_ms', 'lcp_ms', 'balance_ms', 'cls', 'inp_ms', 'js_gz_kb'],
  wallets: ['wallets', 'call_growth', 'look_growth', 'reserve_growth', 'settle_growth', 'reconcile_growth'],
};

function hasTools(): boolean {
  try {
    return existsSync(findPgbench()) && findChromium() !== undefined;
  } catch {
    return false;
  }
}

const runShort = (): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const args = ['--import', 'tsx', join(root, 'bench/run.ts'), '--short'];
    // Benchmarks that need a PostgreSQL of tests start their own: a second one must not make its logins in ours.
    const { FLORIN_TEST_DATABASE_URL: _, ...env } = process.env;
    execFile(process.execPath, args, { cwd: root, env, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });

it.skipIf(!hasTools())(
  'a short run of every benchmark has all of its figures (needs pgbench and Chromium)',
  async () => {
    const { code, stdout, stderr } = await runShort();
    const reports = stdout.split('\n').filter((line) => line.startsWith('{"bench"'));
    const found = Object.fromEntries(reports.map((line) => [JSON.parse(line).bench, JSON.parse(line)]));
    expect(stderr.match(/^FAILED: .*/gm) ?? []).toEqual([]);
    expect([code, Object.keys(found).sort()]).toEqual([0, Object.keys(FIGURES).sort()]);
    for (const [name, figures] of Object.entries(FIGURES))
      expect(Object.keys(found[name]), name).toEqual(expect.arrayContaining([...figures]));
    expect(found.settle).toMatchObject({ max_difference: 0 });
    expect(found.settle.chain_transfers).toBeGreaterThan(0);
  },
);

it('a figure that was not measured and a promise that was missed are named', () => {
  expect(findMissed({ a: 1, b: 'x' }, { 'all is well': true })).toEqual([]);
  expect(findMissed({ ratio: Number.NaN, rate: 0 / 0, ms: 1 / 0 }, {})).toEqual([
    'ratio was not measured',
    'rate was not measured',
    'ms was not measured',
  ]);
  expect(findMissed({ transfers: 0 }, { 'there must be transfers': false })).toEqual(['there must be transfers']);
});
