/** A standby of a PostgreSQL that tests have started. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { eventually } from '../eventually.ts';

/** Copies the running primary into an empty folder. PostgreSQL becomes its standby when it is started there. */
export async function copyAsStandby(primaryUrl: string, folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: primaryUrl });
  await client.connect();
  try {
    const source = (await client.query<{ data_directory: string }>('SHOW data_directory')).rows[0]!.data_directory;
    await client.query(`SELECT pg_backup_start('a standby', true)`);
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o711);
    // Files may disappear while they are copied; PostgreSQL expects that of its backups.
    spawnSync('cp', ['-a', dirname(source), folder]);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    const data = join(folder, 'postgres', 'data');
    const { hostname, port, username, password } = new URL(primaryUrl);
    const conninfo = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`;
    rmSync(join(folder, 'postgres', 'port'), { force: true });
    rmSync(join(data, 'postmaster.pid'), { force: true });
    writeFileSync(join(data, 'backup_label'), rows[0]!.labelfile);
    writeFileSync(join(data, 'standby.signal'), '');
    writeFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
    const written = ['backup_label', 'standby.signal', 'postgresql.auto.conf'].map((name) => join(data, name));
    spawnSync('chown', ['--reference', join(data, 'PG_VERSION'), ...written]);
  } finally {
    await client.end();
  }
}

/** From now on the standby receives everything and replays nothing. */
export async function pauseReplay(standbyUrl: string): Promise<void> {
  await runFor(standbyUrl, 'SELECT pg_wal_replay_pause()');
  await eventually(async () => {
    if ((await runFor(standbyUrl, 'SELECT pg_get_wal_replay_pause_state()')) !== 'paused')
      throw new Error('the standby still replays');
  });
}

export async function resumeReplay(standbyUrl: string): Promise<void> {
  await runFor(standbyUrl, 'SELECT pg_wal_replay_resume()');
}

/**
 * Waits until the standby shows everything that the primary has committed. It waits for a record of its own: the current
 * insert position can be after the header of a page that is still empty, and an idle primary never gets there.
 */
export async function waitForStandby(primaryUrl: string, standbyUrl: string): Promise<void> {
  const position = await runFor(primaryUrl, `SELECT pg_logical_emit_message(true, 'waitForStandby', '')`);
  await eventually(async () => {
    if (!(await runFor(standbyUrl, `SELECT pg_last_wal_replay_lsn() >= '${position}'`)))
      throw new Error('the standby is behind');
  });
}

/** Runs the statement, and returns the first value of its result. */
export async function runFor(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: statement, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}
