/**
 * Browser tests use the system's own Chromium. `npm test` runs this first: it finds one, installs Debian's if it may,
 * and otherwise reports that those tests are skipped. A missing browser never fails a test run.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findChromium } from '../test/support/browser/findChromium.ts';
import { readCommandLine } from './readCommandLine.ts';

readCommandLine('npm test');

const INSTALL_TIMEOUT_MS = 240_000;

function install(): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  console.log('Installing Chromium for the browser tests …');
  const deadline = Date.now() + INSTALL_TIMEOUT_MS;
  return [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
  ].every((args) => {
    const timeout = Math.max(1, deadline - Date.now());
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return spawnSync('apt-get', args, { stdio: 'ignore', timeout, env }).status === 0;
  });
}

const found = findChromium() ?? (!process.env.CHROMIUM_PATH && install() ? findChromium() : undefined);
console.log(
  found ? `Chromium: ${found}` : 'No Chromium: browser tests are skipped (set CHROMIUM_PATH=/path/to/chromium).',
);
