/**
 * `npm run rails -- [CRASHES] [SEED] [own|signs|sends|Solana|Aptos]`: a dying worker, faults and restores with each
 * set-up: own keys, Circle signs, Circle sends (by its double). The worker and its signer die at random steps while the
 * chain reorganizes and Circle loses answers; then 100 parallel sends under Circle's limits per second, every story of
 * the restore matrix, with a backup after each of its steps, and with Circle the typical flow and races of 64 in the
 * whole sandbox. On Solana and Aptos, where only Circle reads the chain, the stories alone. Prints one JSON line per
 * set-up. Fails if a payment does not have exactly one transfer or has not ended, a cancelled one has any, or anything
 * does not add up.
 */
import { spawnSync } from 'node:child_process';
import { runDyingWorker } from '../test/support/chain/dyingWorker.ts';
import { runParallelSends } from '../test/support/circle/parallelSends.ts';
import { SET_UPS, type SetUp } from '../test/support/circle/sendingWorld.ts';
import { railStories, runsIn } from '../test/support/restores/allStories.ts';
import { listSteps, tryStory } from '../test/support/restores/runStory.ts';
import { WALLET_SETUPS, type WalletSetup } from '../test/support/restores/stage.ts';
import { copied, inPlace } from '../test/support/restores/ways.ts';
import { useTestPostgres } from '../test/support/startTestPostgres.ts';
import { readCommandLine } from './readCommandLine.ts';

const PARALLEL = 100;
const WALLETS: Partial<Record<WalletSetup, string>> = { 'Circle signs': 'circle', 'Circle sends': 'circle_send' };

/** In a separate process: it is a test of `npm run test:all` too. */
function runStory(wallets: string): readonly string[] {
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'PostgreSQL 18',
    'test/stories/circleSandbox.test.ts',
  ];
  const { FLORIN_TEST_DATABASE_URL: _, ...env } = process.env;
  const ended = spawnSync(process.execPath, args, {
    // The story is one of the long tests.
    env: { ...env, FLORIN_TESTS: 'all', FLORIN_STORY_WALLETS: wallets },
    encoding: 'utf8',
  });
  return ended.status === 0 ? [] : [ended.stdout, ended.stderr];
}

const { numbers, words } = readCommandLine('npm run rails -- [CRASHES] [SEED] [own|signs|sends|Solana|Aptos]', {
  numbers: 2,
  words: ['own', 'signs', 'sends', 'Solana', 'Aptos'],
});
const [crashes = 100, seed = Date.now() % 1_000_000] = numbers;
const named = WALLET_SETUPS.filter((kind) => words.some((word) => kind.split(' ').includes(word)));
const kinds = named.length > 0 ? named : WALLET_SETUPS;
const { stop } = await useTestPostgres();
let bad = 0;
const report = (words: string, faults: readonly string[]): void => {
  if (faults.length === 0) return;
  bad++;
  console.log(`WRONG  ${words}`);
  for (const fault of faults) console.log(`       ${fault}`);
};
/** Crashes the worker on a local chain, which can be reorganized. */
async function crash(kind: SetUp) {
  const { places, faults, ...died } = await runDyingWorker({ seed, crashes, reorgs: Math.ceil(crashes / 10), kind });
  report(`${kind}: a dying worker with seed ${seed}`, faults);
  report(`${kind}: ${PARALLEL} parallel sends`, await runParallelSends(kind, PARALLEL));
  return { ...died, crash_points: places.size, parallel: PARALLEL };
}

async function restoreAll(kind: WalletSetup): Promise<number> {
  let restores = 0;
  for (const story of railStories.filter((one) => runsIn(one, kind))) {
    const steps = await listSteps(story, kind);
    for (let backUpAfter = 0; backUpAfter <= steps.length; backUpAfter++) {
      const way = backUpAfter % 2 === 0 ? copied : inPlace;
      const servers = backUpAfter % 2 === 0 ? 'stopped' : 'left running';
      const wrong = await tryStory({ story, backUpAfter, way, servers, kind });
      restores++;
      report(`${kind}: ${story.name}, backup after step ${backUpAfter}, ${way.name}, servers ${servers}`, wrong);
    }
  }
  return restores;
}

try {
  for (const kind of kinds) {
    const begun = Date.now();
    const setUp = SET_UPS.find((one) => one === kind);
    const died = setUp && (await crash(setUp));
    const restores = await restoreAll(kind);
    if (WALLETS[kind]) report(`${kind}: the typical flow and races of 64`, runStory(WALLETS[kind]));
    const seconds = Math.round((Date.now() - begun) / 1000);
    console.log(JSON.stringify({ rails: kind, ...died, restores, seconds }));
  }
} finally {
  await stop();
}
console.log(JSON.stringify({ set_ups: kinds.length, wrong: bad }));
process.exitCode = bad === 0 ? 0 : 1;
