/**
 * M40: a benchmark measured nothing for weeks and no one noticed. A short run of every benchmark must succeed with all
 * of its figures; their size does not matter here. Part of `npm run test:all`.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { FIGURES } from '../../bench/support/finish.ts';
import { findPostgresProgram } from '../../bench/support/yardsticks/pgbench.ts';
import { findChromium } from '../support/browser/findChromium.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

function hasTools(): boolean {
  try {
    return existsSync(findPostgresProgram('pgbench')) && findChromium() !== undefined;
  } catch {
    return false;
  }
}

const runShort = (): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const args = ['--import', 'tsx', join(root, 'bench/run.ts'), '--short'];
    // Benchmarks that need a test PostgreSQL start their own: a second one must not create its logins in ours.
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
