/**
 * `npm run upgrade`: an upgrade from the previous release (`sql/released.json`) under load, as
 * docs/operating/upgrade.md says. That release is built in a git worktree with its own packages, so this needs a
 * package registry. Prints one line per phase and, last, one JSON line; fails when a call failed permanently, when
 * anything was lost or paid twice, or when the books do not balance.
 *
 *   npm run upgrade -- [PAYMENTS PER PHASE] [SENDS PER PHASE]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPrograms } from '../../test/support/buildPrograms.ts';
import { useTestPostgres } from '../../test/support/startTestPostgres.ts';
import { getPrevious, installRelease, isInHistory } from '../../test/support/upgrade/previousRelease.ts';
import { rollUpgrade } from '../../test/support/upgrade/rollUpgrade.ts';
import { readCommandLine } from '../readCommandLine.ts';

const { numbers } = readCommandLine('npm run upgrade -- [PAYMENTS PER PHASE] [SENDS PER PHASE]', { numbers: 2 });
const [payments = 1_500, sends = 15] = numbers;
const entry = getPrevious();
if (!isInHistory(entry)) throw new Error(`the commit of ${entry.version} is missing: git fetch --unshallow`);
const folder = mkdtempSync(join(tmpdir(), 'florin-previous-'));
const previous = installRelease(entry, join(folder, 'release'));
const built = await buildPrograms();
process.env.FLORIN_BUILT_PROGRAMS = built.folder;
const postgres = await useTestPostgres();
try {
  const { phases, endedBadly, ...result } = await rollUpgrade(previous, {
    people: 10,
    payments,
    sends,
    say: (line) => console.log(line),
  });
  for (const words of endedBadly) console.log(words);
  const longestGapMs = Math.round(Math.max(...phases.map((phase) => phase.longestGapMs)));
  console.log(
    JSON.stringify({
      upgrade: true,
      from: entry.version,
      phases: phases.length,
      ...result,
      longestGapMs,
      ended_badly: endedBadly.length,
    }),
  );
  const { lost, doubled, wronglyPaid, movedWallets, books, sends: sent, sendsComplete } = result;
  const isWrong = lost + doubled + wronglyPaid + movedWallets + books.length > 0 || sent !== sendsComplete;
  if (isWrong) process.exitCode = 1;
} finally {
  await postgres.stop();
  built.remove();
  previous.remove();
  rmSync(folder, { recursive: true, force: true });
}
