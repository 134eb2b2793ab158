/**
 * Builds every program that tests start as a process, once per test run. From its sources, through tsx, a program needs
 * 1.6 s of processor time before its first line; built, a quarter of a second, and a test run starts over a hundred.
 * One test starts `npm start` itself, which builds its own.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundlePrograms } from '../../sandbox/src/programs/bundlePrograms.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const PROGRAMS = [
  'server/src/bin/florin',
  'sandbox/src/start',
  'sandbox/src/chain/chainProcess',
  'bench/support/p2pServer',
  'test/support/florin/florinRunner',
  'test/support/ledgerWorker',
  'test/support/ledger/refundWorker',
  'test/support/sandboxDoubles',
];

interface BuiltPrograms {
  /** The list that `argumentsOf` reads from `FLORIN_BUILT_PROGRAMS`. */
  readonly folder: string;
  remove(): void;
}

export async function buildPrograms(): Promise<BuiltPrograms> {
  // In `node_modules`, where the packages that are not bundled are found.
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'florin-programs-'));
  // Another user starts some of them.
  chmodSync(folder, 0o755);
  await bundlePrograms({ root: ROOT, programs: PROGRAMS, folder });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
