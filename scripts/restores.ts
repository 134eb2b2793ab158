/**
 * `npm run restores`: the restore matrix. In every story a backup is taken after every step, the world moves on, and
 * the backup is restored: physically and logically, while servers are stopped and while they run. After the documented
 * steps (docs/operating/restore.md) every payment must have ended, and everyone must have their own money. Stories
 * about wallets at Circle run in each place that they name: Circle signs, Circle sends, Solana, Aptos. `npm run
 * restores -- settlement` runs one story.
 */
import { allStories, setupsOf } from '../test/support/restores/allStories.ts';
import { startClusters } from '../test/support/restores/clusters.ts';
import { listSteps, tryStory } from '../test/support/restores/runStory.ts';
import { readCommandLine, refuse } from './readCommandLine.ts';

const USAGE = 'npm run restores -- [STORY]';
const { words } = readCommandLine(USAGE, { words: 'any' });
const wanted = words.join(' ');
const stories = allStories.filter(({ name }) => wanted === '' || name === wanted);
if (stories.length === 0) refuse(USAGE, `there is no story "${wanted}"`);
const clusters = await startClusters();
let runs = 0;
let bad = 0;
try {
  for (const story of stories) {
    for (const kind of setupsOf(story)) {
      const steps = ['nothing', ...(await listSteps(story, kind))];
      for (const [backUpAfter, step] of steps.entries()) {
        for (const way of [clusters.physical, clusters.logical]) {
          for (const servers of ['stopped', 'left running'] as const) {
            const faults = await tryStory({ story, backUpAfter, way, servers, kind });
            runs++;
            if (faults.length > 0) bad++;
            const words = `${story.name}: ${kind}, backup after "${step}", ${way.name}, servers ${servers}`;
            console.log(`${faults.length === 0 ? 'right' : 'WRONG'}  ${words}`);
            for (const fault of faults) console.log(`       ${fault}`);
          }
        }
      }
    }
  }
} finally {
  await clusters.stop();
}
console.log(JSON.stringify({ restores: runs, wrong: bad }));
process.exitCode = bad === 0 ? 0 : 1;
