/**
 * `npm run rails -- [CRASHES] [SEED] [own|signs|sends]`: crashes, chaos, faults and restores with each of three set-ups: own keys, Circle signs,
 * Circle sends (by its double). The worker and its signer die at random steps while the chain reorganizes and Circle loses
 * answers; then every story of the restore matrix, with a backup after each of its steps. Prints one JSON line per set-up.
 * Fails if a payment has not exactly one transfer, a cancelled one has any, or anything does not add up.
 */
import { runChaos } from '../test/support/chain/chaos.ts';
import { SET_UPS } from '../test/support/circle/sendingWorld.ts';
import { moneyStories } from '../test/support/restores/moneyStories.ts';
import { listSteps, runStory } from '../test/support/restores/runStory.ts';
import { copied, inPlace } from '../test/support/restores/ways.ts';
import { useTestPostgres } from '../test/support/startTestPostgres.ts';

const words = process.argv.slice(2);
const [crashes = 100, seed = Date.now() % 1_000_000] = words.filter((word) => /^\d+$/.test(word)).map(Number);
const named = SET_UPS.filter((kind) => words.some((word) => /^\w+$/.test(word) && kind.split(' ').includes(word)));
const kinds = named.length > 0 ? named : SET_UPS;
const { stop } = await useTestPostgres();
let bad = 0;
const report = (words: string, faults: readonly string[]): void => {
  if (faults.length === 0) return;
  bad++;
  console.log(`WRONG  ${words}`);
  for (const fault of faults) console.log(`       ${fault}`);
};
try {
  for (const kind of kinds) {
    const begun = Date.now();
    const { places, faults, ...chaos } = await runChaos({ seed, crashes, reorgs: Math.ceil(crashes / 10), kind });
    report(`${kind}: chaos with seed ${seed}`, faults);
    let restores = 0;
    for (const story of moneyStories) {
      const steps = await listSteps(story);
      for (let backUpAfter = 0; backUpAfter <= steps.length; backUpAfter++) {
        const way = backUpAfter % 2 === 0 ? copied : inPlace;
        const servers = backUpAfter % 2 === 0 ? 'stopped' : 'left running';
        const wrong = await runStory({ story, backUpAfter, way, servers, kind });
        restores++;
        report(`${kind}: ${story.name}, backup after step ${backUpAfter}, ${way.name}, servers ${servers}`, wrong);
      }
    }
    const seconds = Math.round((Date.now() - begun) / 1000);
    console.log(JSON.stringify({ rails: kind, ...chaos, crash_points: places.size, restores, seconds }));
  }
} finally {
  await stop();
}
console.log(JSON.stringify({ set_ups: kinds.length, wrong: bad }));
process.exitCode = bad === 0 ? 0 : 1;
