/**
 * `npm run chaos -- [SEED] [CRASHES] [REORGS] [mixed]`: a worker that dies at random steps, on a chain that
 * reorganizes, with lost and refused broadcasts, and payments that are cancelled meanwhile. Prints where it died and,
 * as its last line, one JSON object. Fails if a payment does not have exactly one transfer, if a cancelled one has any,
 * if the books do not balance, or if coins are not where custody counts them.
 */
import { runChaos } from '../test/support/chain/chaos.ts';
import { useTestPostgres } from '../test/support/startTestPostgres.ts';
import { readCommandLine } from './readCommandLine.ts';

const { numbers, words } = readCommandLine('npm run chaos -- [SEED] [CRASHES] [REORGS] [mixed]', {
  numbers: 3,
  words: ['mixed'],
});
const isMixed = words.includes('mixed');
const [seed = Date.now() % 1_000_000, crashes = 200, reorgs = 20] = numbers;
const { stop } = await useTestPostgres();
try {
  const { places, faults, ...result } = await runChaos({ seed, crashes, reorgs, isMixed });
  const most = [...places].sort((a, b) => b[1] - a[1]);
  for (const [place, times] of most) console.log(`${String(times).padStart(4)} × ${place}`);
  for (const fault of faults) console.log(`FAULT: ${fault}`);
  console.log(JSON.stringify({ chaos: true, ...result, crash_points: places.size, faults: faults.length }));
  if (faults.length > 0) process.exitCode = 1;
} finally {
  await stop();
}
