/**
 * `npm run events -- [PAYMENTS] [SERVER_KILLS] [WORKER_KILLS]`: payments under load while server and worker are killed,
 * with two readers of the feed and four webhook receivers, of which one is slow and one fails half of the time. Fails
 * when a reader misses an event, or gets one in the wrong order or too early.
 *
 * `npm run events -- streams [STREAMS] [PAYMENTS]`: this many streams, one of which is never read. Fails when a person
 * misses one of their events, when the unread stream is not closed, or when the server's memory grows.
 *
 * Both print their progress and, last, one JSON line.
 */
import { buildPrograms } from '../test/support/buildPrograms.ts';
import { runEvents } from '../test/support/events/runEvents.ts';
import { runStreams } from '../test/support/events/runStreams.ts';
import { useTestPostgres } from '../test/support/startTestPostgres.ts';
import { readCommandLine } from './readCommandLine.ts';

const { numbers, words } = readCommandLine(
  'npm run events -- [PAYMENTS] [SERVER_KILLS] [WORKER_KILLS], or: streams [STREAMS] [PAYMENTS]',
  { numbers: 3, words: ['streams'] },
);
const onProgress = (line: string) => console.log(line);
const row = (name: string, ...cells: readonly (string | number)[]) =>
  console.log(name.padEnd(12) + cells.map((cell) => String(cell).padStart(10)).join(''));

async function sendEvents(): Promise<readonly string[]> {
  const [payments = 10_000, serverKills = 10, workerKills = 20] = numbers;
  const run = { payments, serverKills, workerKills, hurries: false, onProgress };
  const { receivers, readers, faults, ...report } = await runEvents(run);
  row('delivered', 'events', 'calls');
  for (const [nth, count] of readers.entries()) row(`reader ${nth + 1}`, count);
  for (const { name, events, calls } of receivers) row(name, events, calls);
  for (const fault of faults) console.log(`FAULT: ${fault}`);
  console.log(JSON.stringify({ run: 'events', ...report, faults: faults.length }));
  return faults;
}

async function streamEvents(): Promise<readonly string[]> {
  const [streams = 5_000, payments = 20_000] = numbers;
  const { faults, ...report } = await runStreams({ streams, payments, waitsForCut: true, onProgress });
  for (const fault of faults.slice(0, 20)) console.log(`FAULT: ${fault}`);
  console.log(JSON.stringify({ run: 'streams', ...report, faults: faults.length }));
  return faults;
}

const programs = await buildPrograms();
process.env.FLORIN_BUILT_PROGRAMS = programs.folder;
const { stop } = await useTestPostgres();
try {
  const faults = words[0] === 'streams' ? await streamEvents() : await sendEvents();
  if (faults.length > 0) process.exitCode = 1;
} finally {
  await stop();
  programs.remove();
}
