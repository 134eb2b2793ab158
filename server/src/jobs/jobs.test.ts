import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/support/postgres/database.ts';
import { type Db, openDatabase } from '../db/database.ts';
import { claimJobs, endJobs, ensureJob, postponeJobs, retryJob } from './jobs.ts';
import { runJobs } from './runJobs.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.url);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const read = async (kind: string) =>
  (await db.query<{ attempts: number; last_error: string | null }>('SELECT * FROM jobs WHERE kind = $1', [kind]))[0];

describe('jobs', () => {
  it('are claimed by one, and by another when the lease has run out', async () => {
    await ensureJob(db, 'lease', 'a');
    const [mine] = await claimJobs(db, 'lease', 10, 150);
    expect(await claimJobs(db, 'lease', 10, 150)).toEqual([]);
    await sleep(200);
    const [theirs] = await claimJobs(db, 'lease', 10, 5_000);
    expect(theirs).toMatchObject({ key: 'a', attempts: 2 });
    // Whoever slept through the lease can no longer end it.
    await endJobs(db, [mine!]);
    expect(await read('lease')).toBeDefined();
    await endJobs(db, [theirs!]);
    expect(await read('lease')).toBeUndefined();
  });

  it('come back later and later while they fail, and remember why', async () => {
    await ensureJob(db, 'fails', 'a');
    const [job] = await claimJobs(db, 'fails', 1);
    await retryJob(db, job!, 'the chain was away');
    expect(await claimJobs(db, 'fails', 1)).toEqual([]);
    expect(await read('fails')).toMatchObject({ attempts: 1, last_error: 'the chain was away' });
  });

  it('that only have more to do later count as no failure', async () => {
    await ensureJob(db, 'later', 'a');
    await postponeJobs(db, await claimJobs(db, 'later', 1), 0);
    expect(await read('later')).toMatchObject({ attempts: 0, last_error: null });
  });

  it('of a worker that is killed are done by another within seconds', async () => {
    await ensureJob(db, 'killed', 'a');
    const victim = spawn(process.execPath, ['--import', 'tsx', '-e', VICTIM], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      env: { ...process.env, URL_OF_DATABASE: database.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((claimed) => victim.stdout.once('data', claimed));
    victim.kill('SIGKILL');
    const killed = performance.now();
    const stop = new AbortController();
    const done = new Promise<number>((resolve) => {
      const run = async () => {
        resolve(performance.now() - killed);
        return ['done' as const];
      };
      void runJobs(db, [{ kind: 'killed', batch: 1, run }], stop.signal);
    });
    expect(await done).toBeLessThan(6_000);
    stop.abort();
    await sleep(200);
    expect(await read('killed')).toBeUndefined();
  });
});

/** Works on its job for ever, as the real worker does: it keeps the lease alive until it dies. */
const VICTIM = `
  import { openDatabase } from './server/src/db/database.ts';
  import { runJobs } from './server/src/jobs/runJobs.ts';
  const run = () => { console.log('claimed'); return new Promise(() => setInterval(() => {}, 1000)); };
  void runJobs(openDatabase(process.env.URL_OF_DATABASE), [{ kind: 'killed', batch: 1, run }], new AbortController().signal);
`;
