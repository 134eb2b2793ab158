/**
 * Every event reaches every reader, whichever process is killed. `npm run events` does the same with 10,000 payments.
 */
import { expect, it } from 'vitest';
import { runEvents } from '../support/events/runEvents.ts';
import { runStreams } from '../support/events/runStreams.ts';
import { howMany } from '../support/run/thorough.ts';

it('reaches readers in order and receivers at least once, while server and worker are killed', async () => {
  const payments = howMany(72, 240);
  const report = await runEvents({ payments, serverKills: 1, workerKills: howMany(1, 2), hurries: true });
  expect(report.faults).toEqual([]);
  expect(report).toMatchObject({ payments, serverKills: 1, workerKills: howMany(1, 2) });
  expect(report.events).toBeGreaterThanOrEqual(payments);
});

it('reaches hundreds of streams, one of which is not read', async () => {
  const streams = howMany(100, 300);
  const report = await runStreams({ streams, payments: streams, waitsForCut: false });
  expect(report).toMatchObject({ faults: [], streams, payments: streams, events: streams * 10 });
});
