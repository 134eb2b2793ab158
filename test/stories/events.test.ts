/** Everybody is told of every event, whoever is killed. `npm run events` does the same with 10,000 payments. */
import { expect, it } from 'vitest';
import { runEvents } from '../support/events/runEvents.ts';
import { runStreams } from '../support/events/runStreams.ts';

it('is told to readers in order and to receivers at least once, while server and worker are killed', async () => {
  const report = await runEvents({ payments: 240, serverKills: 1, workerKills: 2, hurries: true });
  expect(report.faults).toEqual([]);
  expect(report).toMatchObject({ payments: 240, serverKills: 1, workerKills: 2 });
  expect(report.events).toBeGreaterThanOrEqual(240);
});

it('is told to hundreds of streams, of which one is not read', async () => {
  const report = await runStreams({ streams: 300, payments: 300, waitsForCut: false });
  expect(report).toMatchObject({ faults: [], streams: 300, payments: 300, events: 3_000 });
});
