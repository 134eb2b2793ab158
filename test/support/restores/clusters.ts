/**
 * Backups of a whole PostgreSQL, as operators make them: `physical` copies the data directory of the running server
 * between pg_backup_start and pg_backup_stop; `logical` copies every table with COPY into another cluster, which
 * replaces the first. In both cases the server is stopped, and the restored one starts on the same port.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type RunningPostgres, startPostgres } from '../../../sandbox/src/postgres/startPostgres.ts';
import { TEMPLATE } from '../database.ts';
import { useTestPostgresOf } from '../startTestPostgres.ts';
import type { Way } from './ways.ts';

const SETTINGS = { fsync: 'off', max_connections: '200', shared_buffers: '64MB', wal_level: 'replica' };

interface Clusters {
  readonly physical: Way;
  readonly logical: Way;
  stop(): Promise<void>;
}

export async function startClusters(): Promise<Clusters> {
  const root = mkdtempSync(join(tmpdir(), 'florin-restores-'));
  chmodSync(root, 0o711);
  const home = join(root, 'home');
  let running = await prepare(home);
  const { port } = running;
  // The fresh cluster of logical restores: another system identifier; the same logins, passwords and template.
  const spare = await prepare(join(root, 'spare'));
  const word = 'of-a-test-only';
  await setPasswords(running.url('postgres'), word);
  await setPasswords(spare.url('postgres'), word);
  const owner = new URL(running.url('postgres'));
  await withClient(spare.url('postgres'), (client) =>
    client.query(`ALTER ROLE "${owner.username}" PASSWORD '${decodeURIComponent(owner.password)}'`),
  );
  await spare.stop();
  useLogins(running, word);

  const replaceData = async (data: string) => {
    await running.stop();
    rmSync(join(home, 'postgres', 'data'), { recursive: true });
    run('cp', ['-a', data, join(home, 'postgres', 'data')]);
    running = await startPostgres({ dataDir: home, port, settings: SETTINGS });
  };
  let backups = 0;
  const newFolder = () => {
    const folder = join(root, `backup${++backups}`);
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    return folder;
  };

  const physical: Way = {
    name: 'physical',
    needsSilence: false,
    async backUp() {
      const folder = newFolder();
      const data = join(home, 'postgres', 'data');
      await withClient(running.url('postgres'), async (client) => {
        await client.query(`SELECT pg_backup_start('a story', true)`);
        run('cp', ['-a', data, join(folder, 'data')]);
        const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
        // The log that was written while the files were copied is part of the backup.
        run('cp', ['-a', join(data, 'pg_wal'), folder]);
        rmSync(join(folder, 'data', 'pg_wal'), { recursive: true });
        run('mv', [join(folder, 'pg_wal'), join(folder, 'data', 'pg_wal')]);
        rmSync(join(folder, 'data', 'postmaster.pid'), { force: true });
        writeFileSync(join(folder, 'data', 'backup_label'), rows[0]!.labelfile);
        run('chown', ['--reference', join(folder, 'data', 'PG_VERSION'), join(folder, 'data', 'backup_label')]);
      });
      return async () => {
        await replaceData(join(folder, 'data'));
        rmSync(folder, { recursive: true });
      };
    },
  };

  const logical: Way = {
    name: 'logical',
    needsSilence: false,
    async backUp(url) {
      const folder = newFolder();
      const name = new URL(url).pathname.slice(1);
      const dump = await withClient(running.url(name), (client) => dumpTables(client, folder));
      return async () => {
        await replaceData(join(root, 'spare', 'postgres', 'data'));
        await withClient(running.url('postgres'), (client) =>
          client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`),
        );
        await withClient(running.url(name), (client) => loadTables(client, dump));
        rmSync(folder, { recursive: true });
      };
    },
  };

  return {
    physical,
    logical,
    async stop() {
      await running.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };

  async function prepare(dataDir: string): Promise<RunningPostgres> {
    const postgres = await startPostgres({ dataDir, settings: SETTINGS });
    await useTestPostgresOf(postgres.url('postgres'));
    return postgres;
  }

  function useLogins(postgres: RunningPostgres, password: string): void {
    const logins = JSON.parse(process.env.FLORIN_TEST_LOGINS!) as Record<string, string>;
    const same = Object.entries(logins).map(([login, url]) => {
      const known = new URL(url);
      known.password = password;
      known.port = String(postgres.port);
      return [login, known.href];
    });
    process.env.FLORIN_TEST_DATABASE_URL = postgres.url('postgres');
    process.env.FLORIN_TEST_LOGINS = JSON.stringify(Object.fromEntries(same));
  }
}

const setPasswords = (url: string, password: string): Promise<void> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ rolname: string }>(
      `SELECT rolname FROM pg_roles WHERE rolcanlogin AND rolname LIKE '${TEMPLATE}%'`,
    );
    for (const { rolname } of rows) await client.query(`ALTER ROLE "${rolname}" PASSWORD '${password}'`);
  });

interface Dump {
  readonly tables: readonly { readonly name: string; readonly columns: string; readonly file: string }[];
  readonly sequences: readonly { readonly name: string; readonly last_value: string; readonly is_called: boolean }[];
}

/** Everything as of one snapshot. */
async function dumpTables(client: pg.Client, folder: string): Promise<Dump> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  const { rows } = await client.query<{ name: string; columns: string }>(
    `SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attgenerated = '' GROUP BY c.relname`,
  );
  const tables = rows.map((row) => ({ ...row, file: join(folder, row.name) }));
  for (const { name, columns, file } of tables) await client.query(`COPY ${name} (${columns}) TO '${file}'`);
  const names = await client.query<{ name: string }>(
    `SELECT quote_ident(sequencename) AS name FROM pg_sequences WHERE schemaname = 'public'`,
  );
  const sequences: Dump['sequences'][number][] = [];
  for (const { name } of names.rows) {
    const { rows: found } = await client.query<{ last_value: string; is_called: boolean }>(
      `SELECT last_value::text, is_called FROM ${name}`,
    );
    sequences.push({ name, ...found[0]! });
  }
  await client.query('COMMIT');
  return { tables, sequences };
}

/** Triggers and foreign keys do not fire, as in any restore. */
async function loadTables(client: pg.Client, { tables, sequences }: Dump): Promise<void> {
  await client.query('BEGIN; SET LOCAL session_replication_role = replica');
  for (const { name, columns, file } of tables) {
    const { rowCount } = await client.query(`SELECT FROM ${name} LIMIT 1`);
    if (rowCount) await client.query(`DELETE FROM ${name}`);
    await client.query(`COPY ${name} (${columns}) FROM '${file}'`);
  }
  for (const { name, last_value: last, is_called: isCalled } of sequences) {
    await client.query('SELECT setval($1::regclass, $2, $3)', [name, last, isCalled]);
  }
  await client.query('COMMIT');
}

function run(command: string, words: readonly string[]): void {
  const { status, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  // Files may disappear while a running server is copied; PostgreSQL expects that of its own backups.
  if (status !== 0 && !/No such file|file changed|vanished/.test(stderr)) throw new Error(`${command}: ${stderr}`);
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
