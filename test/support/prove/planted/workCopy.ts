/** A copy of the repository in which bugs are planted, one at a time; the checkout itself never changes. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { TEMPLATE } from '../../database.ts';
import { type Bug, plant } from './readBugs.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

export interface WorkCopy {
  readonly root: string;
  readonly files: readonly string[];
  /** Plants a bug; returns a function that removes it. Throws when it does not apply. */
  plant(bug: Bug): Promise<() => Promise<void>>;
  remove(): void;
}

export async function makeWorkCopy(): Promise<WorkCopy> {
  const root = mkdtempSync(join(tmpdir(), 'florin-planted-'));
  // PostgreSQL and some programs run under another account.
  chmodSync(root, 0o755);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  const list = (...args: string[]) =>
    git('ls-files', '-z', ...args)
      .split('\0')
      .filter(Boolean);
  // The copy includes the history, which upgrade tests read.
  git('clone', '-q', '--shared', ROOT, root);
  const deleted = new Set(list('-d'));
  const known = (...args: string[]) =>
    list(...args, '-o', '--exclude-standard', '--deduplicate').filter((file) => !deleted.has(file));
  for (const file of known('-m')) copy(file);
  for (const file of deleted) rmSync(join(root, file), { force: true });
  linkPackages(root);
  const { migrate } = (await import(
    join(root, 'server/src/db/migrate.ts')
  )) as typeof import('../../../../server/src/db/migrate.ts');
  const template = new URL(process.env.FLORIN_TEST_DATABASE_URL!);
  template.pathname = `/${TEMPLATE}`;

  function copy(file: string): void {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(ROOT, file), join(root, file), { force: true });
  }

  return {
    root,
    files: known('-c'),
    async plant(bug) {
      const changed = plant(bug, (file) => readFileSync(join(root, file), 'utf8'));
      const before = [...changed.keys()].map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);
      const isSql = before.some(([file]) => file.startsWith('sql/'));
      const write = async (texts: Iterable<readonly [string, string]>) => {
        for (const [file, text] of texts) writeFileSync(join(root, file), text);
        // Bugs in SQL are in functions (`bugs.test.ts`): migrating applies those that changed.
        if (isSql) await migrate(template.href);
      };
      const takeOut = () => write(before);
      await write(changed).catch((error) => takeOut().then(() => Promise.reject(error)));
      return takeOut;
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** The packages of the checkout, except those that are part of the repository, which are the copy's own. */
function linkPackages(root: string): void {
  const packages = join(ROOT, 'node_modules');
  mkdirSync(join(root, 'node_modules'));
  for (const name of readdirSync(packages)) {
    if (name === '.cache' || name === '.vite') continue;
    const [from, to] = [join(packages, name), join(root, 'node_modules', name)];
    if (name === '@florin') cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    else symlinkSync(from, to);
  }
}
