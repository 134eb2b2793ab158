/** Reads `sql/`: the files of migrations, functions and comments, and the list of releases. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const SQL_FOLDER = join(ROOT, 'sql');

export interface SqlFile {
  /** For a migration, its file name; for a function, `module/name`; for the comments, `comments`. */
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

/** One entry of `sql/released.json`: the files of a release, which never change. */
export interface Release {
  readonly version: string;
  readonly commit: string;
  readonly migrations: Readonly<Record<string, string>>;
}

export async function readMigrations(folder: string): Promise<SqlFile[]> {
  const names = (await readdir(join(folder, 'migrations'))).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return Promise.all(names.map((name) => readSqlFile(name, join(folder, 'migrations', name))));
}

/** Returns every function as this version of PostgreSQL gets it. */
export async function readFunctions(folder: string, serverMajor: number): Promise<SqlFile[]> {
  const paths = await listFunctionFiles(folder);
  return Promise.all(
    paths.map((path) =>
      readSqlFile(path.replace(/\.sql$/, ''), join(folder, 'functions', path), (sql) => chooseBlocks(sql, serverMajor)),
    ),
  );
}

/**
 * Leaves out the lines that only older versions need: those from `-- { before PostgreSQL 18` to `-- }`, if this is 18 or
 * newer. A file with such blocks is complete SQL for the oldest version.
 */
const chooseBlocks = (sql: string, serverMajor: number): string =>
  sql.replaceAll(/^ *-- \{ before PostgreSQL (\d+)\n([\s\S]*?)^ *-- \}\n/gm, (_, major: string, lines: string) =>
    serverMajor < Number(major) ? lines : '',
  );

/** Returns the paths `module/name.sql`, sorted. */
async function listFunctionFiles(folder: string): Promise<string[]> {
  const functions = join(folder, 'functions');
  if (!existsSync(functions)) return [];
  const files = await readdir(functions, { recursive: true });
  return files.filter((file) => basename(file).endsWith('.sql')).sort();
}

async function readSqlFile(name: string, path: string, choose = (text: string) => text): Promise<SqlFile> {
  return describeText(name, choose(await readFile(path, 'utf8')));
}

const describeText = (name: string, sql: string): SqlFile => ({
  name,
  sql,
  sha256: createHash('sha256').update(sql).digest('hex'),
});

/** All files of `sql/comments` as one text, because a change in one of them applies all of them again. */
export async function readComments(folder: string): Promise<SqlFile> {
  const comments = join(folder, 'comments');
  const names = existsSync(comments) ? (await readdir(comments)).filter((name) => name.endsWith('.sql')).sort() : [];
  const texts = await Promise.all(names.map((name) => readFile(join(comments, name), 'utf8')));
  return describeText('comments', texts.join('\n'));
}

/** SQL texts with placeholders such as `{server}` for the names of the roles. */
export interface Privileges {
  readonly ours: string;
  /** Additional privileges that only processes of the previous release need. */
  readonly ofPrevious: string;
}

export async function readPrivileges(folder: string): Promise<Privileges> {
  const previous = join(folder, 'privileges.previous.sql');
  return {
    ours: await readFile(join(folder, 'privileges.sql'), 'utf8'),
    ofPrevious: existsSync(previous) ? await readFile(previous, 'utf8') : '',
  };
}

export async function readReleased(folder: string): Promise<Release[]> {
  return JSON.parse(await readFile(join(folder, 'released.json'), 'utf8')) as Release[];
}

/** This build's version, from the root `package.json`. */
export async function readBuildVersion(): Promise<string> {
  return (JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}
