import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/support/database/useTestDatabase.ts';
import { asAdmin } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { Db } from '../db/database.ts';
import { claimJobs, endJobs, ensureJob, letJobsWait, postponeJobs, retryJob } from './jobs.ts';
import { runJobs } from './runJobs.ts';
import { watchDue } from './watchDue.ts';

const database = useTestDatabase();
const { db } = database;

const read = async (kind: string) =>
  (await db.query<{ attempts: number; last_error: string | null }>('SELECT * FROM jobs WHERE kind = $1', [kind]))[0];

describe('jobs', () => {
  it('are claimed by one worker, and by another one when the lease has expired', async () => {
    await ensureJob(db, 'lease', 'a');
    const [mine] = await claimJobs(db, 'lease', 10, 600_000);
    expect(await claimJobs(db, 'lease', 10, 600_000)).toEqual([]);
    await asAdmin(database.url, `UPDATE jobs SET run_at = now() WHERE kind = 'lease'`);
    const [theirs] = await claimJobs(db, 'lease', 10);
    expect(theirs).toMatchObject({ key: 'a', attempts: 2 });
    // The first worker has lost its lease and can no longer end the job.
    await endJobs(db, [mine!]);
    expect(await read('lease')).toBeDefined();
    await endJobs(db, [theirs!]);
    expect(await read('lease')).toBeUndefined();
  });

  it('are retried with growing pauses, and keep the last error', async () => {
    for (const key of ['a', 'b', 'c']) await ensureJob(db, 'fails', key);
    const jobs = await claimJobs(db, 'fails', 3);
    const attemptsOf = { a: 1, b: 5, c: 10 } as Record<string, number>;
    for (const job of jobs) await retryJob(db, { ...job, attempts: attemptsOf[job.key]! }, 'the chain was away');
    const later = await db.query<{ key: string }>(`SELECT key FROM jobs WHERE kind = 'fails' ORDER BY run_at`);
    expect(later.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
    // The last pause is long enough for any machine.
    expect((await claimJobs(db, 'fails', 3)).map(({ key }) => key)).not.toContain('c');
    expect(await read('fails')).toMatchObject({ last_error: 'the chain was away' });
  });

  it('run again within the longest pause of their handler, however often they have failed', async () => {
    const runOnce = async (kind: string, retryWithinMs?: number): Promise<boolean> => {
      await ensureJob(db, kind, 'a');
      await asAdmin(database.url, `UPDATE jobs SET attempts = 10, last_error = 'away' WHERE kind = '${kind}'`);
      const stop = new AbortController();
      const run = () => {
        stop.abort();
        return Promise.reject(new Error('still away'));
      };
      await runJobs(db, [{ kind, batch: 1, run, ...(retryWithinMs !== undefined && { retryWithinMs }) }], stop.signal);
      expect(await read(kind)).toMatchObject({ attempts: 11, last_error: 'still away' });
      return (await claimJobs(db, kind, 1)).length > 0;
    };
    expect(await runOnce('soon', 0)).toBe(true);
    expect(await runOnce('late in growing pauses')).toBe(false);
  });

  it('that are postponed do not count as failed', async () => {
    await ensureJob(db, 'later', 'a');
    await postponeJobs(db, await claimJobs(db, 'later', 1), 0);
    expect(await read('later')).toMatchObject({ attempts: 0, last_error: null });
  });

  it('that wait run when they are woken, even during their check', async () => {
    await ensureJob(db, 'waits', 'a');
    const claim = async () => (await claimJobs(db, 'waits', 1))[0];
    // The job has found nothing and is recorded as waiting. It checks once more.
    await letJobsWait(db, [(await claim())!], 'rain');
    const again = await claim();
    expect(again).toMatchObject({ waitsFor: 'rain' });
    // Woken during the check: the job must not go to sleep.
    await asAdmin(database.url, `SELECT wake_jobs('rain')`);
    await letJobsWait(db, [again!], 'rain');
    await letJobsWait(db, [(await claim())!], 'rain');
    await letJobsWait(db, [(await claim())!], 'rain');
    expect(await claim()).toBeUndefined();
    await asAdmin(database.url, `SELECT wake_jobs('snow')`);
    expect(await claim()).toBeUndefined();
    await asAdmin(database.url, `SELECT wake_jobs('rain')`);
    expect(await claim()).toMatchObject({ key: 'a', waitsFor: null });
  });

  it('that wait are seen by a change that began before they were recorded as waiting', async () => {
    await ensureJob(db, 'late', 'a');
    const [job] = await claimJobs(db, 'late', 1);
    let waiting: Promise<void> | undefined;
    let isWaiting = false;
    await db.tx(async (tx) => {
      await tx.query(`SELECT FROM job_topics WHERE topic = 'snow' FOR SHARE`);
      waiting = letJobsWait(db, [job!], 'snow').then(() => {
        isWaiting = true;
      });
      await sleep(50);
      expect(isWaiting).toBe(false);
    });
    await waiting;
    // Committed by now, so the next check sees it.
    expect(await claimJobs(db, 'late', 1)).toHaveLength(1);
  });

  it('that recur constantly leave so few dead rows that an old snapshot does not slow claims down', async () => {
    const old = new pg.Client({ connectionString: database.url });
    await old.connect();
    await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await old.query('SELECT count(*) FROM jobs');
    await ensureJob(db, 'beat', 'a');
    const stop = new AbortController();
    let runs = 0;
    const run = async () => {
      if (++runs === 400) stop.abort();
      return [{ againAfterMs: 0 }];
    };
    await runJobs(db, [{ kind: 'beat', batch: 1, run }], stop.signal);
    const [size] = await db.query<{ pages: number }>(
      `SELECT (pg_relation_size('jobs') / current_setting('block_size')::int)::int AS pages`,
    );
    expect(size!.pages).toBeLessThan(4);
    await old.end();
  });

  it('of a killed worker are done by another one within seconds', async () => {
    await ensureJob(db, 'killed', 'a');
    const victim = spawn(process.execPath, ['--import', 'tsx', '-e', VICTIM], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      env: { ...process.env, URL_OF_DATABASE: database.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((claimed) => victim.stdout.once('data', claimed));
    const died = new Promise((exited) => victim.once('exit', exited));
    victim.kill('SIGKILL');
    await died;
    // The row says when it can run again; no clock of this process is involved.
    const [lease] = await db.query<{ leftMs: number }>(
      `SELECT (1000 * extract(epoch FROM run_at - clock_timestamp()))::float8 AS "leftMs" FROM jobs WHERE kind = 'killed'`,
    );
    expect(lease!.leftMs).toBeLessThanOrEqual(4_000);
    const stop = new AbortController();
    const run = async () => ['done' as const];
    void runJobs(db, [{ kind: 'killed', batch: 1, run }], stop.signal);
    await eventually(async () => expect(await read('killed')).toBeUndefined());
    stop.abort();
  });

  it('of many kinds are polled together, and each is found, also after the database was away', async () => {
    const stopping = new AbortController();
    const statements = { claim: 0, poll: 0, refused: 0 };
    let isAway = false;
    const query: Db['query'] = (sql, values) => {
      if (isAway) {
        statements.refused++;
        return Promise.reject(new Error('away'));
      }
      if (sql.includes('UPDATE jobs')) statements.claim++;
      else statements.poll++;
      return db.query(sql, values);
    };
    const counted: Db = { ...db, query };
    const done: string[] = [];
    const handlers = Array.from({ length: 30 }, (_, i) => ({
      kind: `many ${i}`,
      batch: 1,
      async run(): Promise<readonly ['done']> {
        done.push(`many ${i}`);
        return ['done'];
      },
    }));
    const running = runJobs(counted, handlers, stopping.signal, { due: watchDue(counted, 5) });
    await eventually(() => expect(statements.poll).toBeGreaterThan(5));
    expect(statements.claim).toBe(30);
    await Promise.all([3, 17].map((i) => ensureJob(db, `many ${i}`, 'a')));
    await eventually(() => expect([...done].sort()).toEqual(['many 17', 'many 3']));
    isAway = true;
    await ensureJob(db, 'many 8', 'a');
    await eventually(() => expect(statements.refused).toBeGreaterThan(0));
    isAway = false;
    await eventually(() => expect(done).toContain('many 8'));
    stopping.abort();
    await running;
  });

  it('run again soon after a short outage of the database, although their lease is long', async () => {
    await ensureJob(db, 'outage', 'a');
    const stopping = new AbortController();
    let isAway = false;
    let refused = 0;
    const query: Db['query'] = (sql, values) => {
      if (!isAway) return db.query(sql, values);
      refused++;
      return Promise.reject(new Error('away'));
    };
    let runs = 0;
    const run = async () => {
      if (++runs > 1) return ['done' as const];
      isAway = true;
      throw new Error('the database is away');
    };
    const pass = { leaseMs: 600_000, due: watchDue(db, 5) };
    const running = runJobs({ ...db, query }, [{ kind: 'outage', batch: 1, run }], stopping.signal, pass);
    await eventually(() => expect(refused).toBeGreaterThan(0));
    isAway = false;
    await eventually(() => expect(runs).toBeGreaterThan(1));
    stopping.abort();
    await running;
  });

  it('that do not return are reported once, and run by another worker', async () => {
    await ensureJob(db, 'hangs', 'a');
    const stopping = new AbortController();
    const reported: string[] = [];
    let release = () => {};
    const stuck = new Promise<void>((done) => {
      release = done;
    });
    const pass = { leaseMs: 300, due: watchDue(db, 20), hangMs: 400 };
    const hanging = runJobs(
      db,
      [{ kind: 'hangs', batch: 1, run: () => stuck.then(() => ['done' as const]) }],
      stopping.signal,
      { ...pass, onHang: (kind) => reported.push(kind), onPass: () => reported.push('came back') },
    );
    await eventually(() => expect(reported).toEqual(['hangs']));
    const done: string[] = [];
    const other = runJobs(
      db,
      [
        {
          kind: 'hangs',
          batch: 1,
          async run(keys) {
            done.push(...keys);
            return ['done'];
          },
        },
      ],
      stopping.signal,
      pass,
    );
    await eventually(() => expect(done).toEqual(['a']));
    stopping.abort();
    release();
    await Promise.all([hanging, other]);
  });

  it('that work again after a failure show it immediately, although they are kept', async () => {
    await ensureJob(db, 'recovered', 'a');
    const stopping = new AbortController();
    let isBroken = true;
    const failures: boolean[] = [];
    const running = runJobs(
      db,
      [
        {
          kind: 'recovered',
          batch: 1,
          async run() {
            if (isBroken) throw new AggregateError([new Error('node.example is away')], '');
            return [{ againAfterMs: 20 }];
          },
        },
      ],
      stopping.signal,
      { due: watchDue(db, 20), onPass: (_, failed) => failures.push(failed) },
    );
    await eventually(async () => expect((await read('recovered'))?.last_error).toBe('node.example is away'));
    isBroken = false;
    await eventually(async () => expect(await read('recovered')).toMatchObject({ last_error: null }));
    expect([failures[0], failures.at(-1)]).toEqual([true, false]);
    stopping.abort();
    await running;
  });
});

/** Never finishes its job, and renews the lease until the process is killed. */
const VICTIM = `
  import { openDatabase } from './server/src/db/database.ts';
  import { runJobs } from './server/src/jobs/runJobs.ts';
  const run = () => { console.log('claimed'); return new Promise(() => setInterval(() => {}, 1000)); };
  void runJobs(openDatabase(process.env.URL_OF_DATABASE), [{ kind: 'killed', batch: 1, run }], new AbortController().signal);
`;
