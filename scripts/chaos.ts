/**
 * `npm run chaos -- [--minutes N] [--seed S]`: two servers, two workers, a signer and PostgreSQL, as production runs
 * them, killed with SIGKILL again and again while links between them are cut, silenced and slowed down. People pay and
 * repeat what was not answered; a checker outside the service decides (test/support/chaos). Its last line is JSON. Fails
 * if an acknowledged payment is lost, one was made twice, a balance was negative, or anything does not end.
 *
 * The seed decides which faults follow each other and what people pay, not when a process is scheduled.
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { percentile } from '../bench/support/ledgerWorld.ts';
import type { Recovered } from '../test/support/chaos/explainRecovery.ts';
import { type ChaosResult, runChaos } from '../test/support/chaos/runChaos.ts';
import { readCommandLine, refuse } from './readCommandLine.ts';

const USAGE = 'npm run chaos -- [--minutes N] [--seed S]';
const { values } = readCommandLine(USAGE, { options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
const minutes = Number(values.minutes ?? 20);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!(minutes > 0)) refuse(USAGE, '--minutes is a number above 0');
if (!Number.isSafeInteger(seed)) refuse(USAGE, '--seed is a whole number');
const folder = fileURLToPath(new URL('../node_modules/.cache/florin-chaos', import.meta.url));
mkdirSync(folder, { recursive: true });
const historyFile = `${folder}/history-${seed}.jsonl`;
console.log(`seed ${seed}, history ${historyFile}`);
const result = await runChaos({ seed, minutes, historyFile }, (line) => console.log(line));
report(result);

function report(result: ChaosResult): void {
  const { kills, disturbances, recoveries, faults, machine, failedStarts, seconds, callsPerSecond } = result;
  const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, one) => sum + one, 0);
  const print = (title: string, counts: ReadonlyMap<string, number>) => {
    console.log(`\n${title}`);
    for (const [kind, count] of [...counts].sort()) console.log(`${String(count).padStart(6)}  ${kind}`);
  };
  print('kills', kills);
  print('disturbed links', disturbances);
  console.log('\nrecovery in ms                     kills     p50     p99   worst');
  const rows = new Map<string, number[]>([['all', recoveries.map(msOf)]]);
  for (const one of recoveries) rows.set(one.kind, [...(rows.get(one.kind) ?? []), msOf(one)]);
  for (const [kind, times] of rows) {
    const sorted = times.sort((a, b) => a - b);
    const cells = [sorted.length, percentile(sorted, 0.5), percentile(sorted, 0.99), sorted.at(-1) ?? Number.NaN];
    console.log(`${kind.padEnd(32)}${cells.map((cell) => String(cell).padStart(8)).join('')}`);
  }
  console.log(
    'From the kill (or from the end of a link fault during it) until the restarted server, or after the kill',
  );
  console.log('of PostgreSQL any server, acknowledges a payment; for workers and the signer, until a send requested');
  console.log('after the kill is signed and broadcast.');
  if (failedStarts.length > 0)
    console.log(`\n${failedStarts.length} starts failed, the last of them: ${failedStarts.at(-1)}`);
  console.log(`Clients begin ${callsPerSecond} calls per second.`);
  printWaits(result);
  const found = Object.entries(faults);
  for (const [kind, some] of found)
    for (const fault of some.slice(0, 20)) console.log(`${kind.toUpperCase()}: ${fault}`);
  const sorted = rows.get('all')!;
  const line = {
    chaos: true,
    seed,
    seconds,
    paced_calls_per_second: callsPerSecond,
    kills: total(kills),
    kills_by_kind: Object.fromEntries([...kills].sort()),
    disturbed_links: total(disturbances),
    disturbed_by_kind: Object.fromEntries([...disturbances].sort()),
    ...countOperations(result),
    ...Object.fromEntries(found.map(([kind, some]) => [kind, some.length])),
    recovery_p50_ms: percentile(sorted, 0.5),
    recovery_p99_ms: percentile(sorted, 0.99),
    recovery_worst_ms: sorted.at(-1),
    failed_starts: failedStarts.length,
    machine,
  };
  console.log(JSON.stringify(line));
  if (found.some(([, some]) => some.length > 0)) process.exitCode = 1;
}

function msOf({ fromMs, recoveredMs }: Recovered): number {
  return recoveredMs - fromMs;
}

/** What the recoveries of each kind waited for; then the slowest recoveries in full, and the processor time. */
function printWaits({ recoveries, waits, cpu }: ChaosResult): void {
  const rows = new Map<string, number[]>();
  for (const [i, one] of recoveries.entries())
    for (const [what, ms] of waits[i]!) {
      const key = `${one.kind}: ${what}`;
      rows.set(key, [...(rows.get(key) ?? []), ms]);
    }
  console.log('\nwaits in ms                         count    mean     p50     p99');
  for (const [what, times] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const sorted = times.sort((a, b) => a - b);
    const mean = Math.round(sorted.reduce((sum, ms) => sum + ms, 0) / sorted.length);
    const cells = [sorted.length, mean, percentile(sorted, 0.5), percentile(sorted, 0.99)];
    console.log(`${what.padEnd(33)}${cells.map((cell) => String(cell).padStart(8)).join('')}`);
  }
  console.log('\nslowest');
  const slowest = recoveries.map((one, i) => ({ one, of: waits[i]! })).sort((a, b) => msOf(b.one) - msOf(a.one));
  for (const { one, of } of slowest.slice(0, 15))
    console.log(
      `${String(msOf(one)).padStart(6)}  ${one.name}: ${[...of].map(([what, ms]) => `${what} ${ms}`).join(', ')}`,
    );
  console.log('\nprocessor time in seconds');
  for (const [what, seconds] of Object.entries(cpu)) console.log(`${seconds.toFixed(1).padStart(8)}  ${what}`);
}

function countOperations({ operations }: ChaosResult) {
  const payments = operations.filter(({ work }) => work !== 'ask');
  const acknowledged = payments.filter(({ ids }) => ids.size > 0);
  return {
    calls: operations.reduce((sum, { calls }) => sum + calls, 0),
    acknowledged: acknowledged.length,
    acknowledged_sends: acknowledged.filter(({ work }) => work === 'send').length,
    refused: payments.filter(({ refusal }) => refusal !== undefined).length,
    unanswered: payments.filter(({ ids, refusal }) => ids.size === 0 && refusal === undefined).length,
  };
}
