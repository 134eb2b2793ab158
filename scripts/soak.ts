/**
 * `npm run soak -- --minutes 10`: payments, pages, logins and sends, mixed with every kind of broken connection and
 * with clients that neither read nor finish, against both APIs and the operations port in production mode over TLS.
 * Prints the memory of the server process during the run and, last, one JSON line. Fails when server, worker or signer
 * ended, when a good request failed, or when the memory grows.
 */
import { findGrowth } from '../test/support/soak/findGrowth.ts';
import { runSoak } from '../test/support/soak/runSoak.ts';
import { useTestPostgres } from '../test/support/startTestPostgres.ts';
import { readCommandLine, refuse } from './readCommandLine.ts';

const USAGE = 'npm run soak -- --minutes 10';
const { values } = readCommandLine(USAGE, { options: { minutes: { type: 'string' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) refuse(USAGE, '--minutes is a number above 0');

const { stop } = await useTestPostgres();
try {
  console.log('  second  memory of the server (MB)');
  const soaked = await runSoak({
    seconds: minutes * 60,
    onSample: ({ second, rssMb }) =>
      console.log(`${String(second).padStart(8)}  ${String(rssMb).padStart(5)}  ${'▇'.repeat(rssMb / 10)}`),
  });
  const line = (name: string, ...values: (string | number)[]) =>
    console.log(name.padEnd(44), ...values.map((value) => String(value).padStart(10)));
  console.log();
  line('good requests', 'done', 'failed');
  for (const { what, done, failed } of soaked.good) line(`  ${what}`, done, failed);
  line('bad connections', 'made');
  for (const [kind, count] of soaked.bad) line(`  ${kind}`, count);
  line('answers of the server', 'status', 'count');
  for (const { api, status, count } of soaked.statuses) line(`  ${api}`, status, count);
  for (const failure of soaked.failures) console.log(`FAILED: ${failure}`);
  const { crashes, goodFailed, repeated, memory } = soaked;
  const good = soaked.good.reduce((sum, { done }) => sum + done, 0);
  const bad = [...soaked.bad.values()].reduce((sum, count) => sum + count, 0);
  const all = memory.map(({ rssMb }) => rssMb);
  const result = {
    crashes,
    good,
    good_failed: goodFailed,
    repeated,
    bad,
    rss_mb_first: all[0],
    rss_mb_most: Math.max(...all),
    rss_mb_last: all.at(-1),
  };
  console.log(JSON.stringify({ soak: true, minutes, ...result }));
  const growth = findGrowth(memory);
  if (growth) console.log(`FAILED: ${growth}`);
  if (crashes > 0 || goodFailed > 0 || growth) process.exitCode = 1;
} finally {
  await stop();
}
