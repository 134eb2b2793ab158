/** `./florin` in a small copy of the repository: fast the second time, and never from sources that have changed. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

const REPOSITORY = resolve(import.meta.dirname, '../../..');
const BUILDERS = ['tsx', 'esbuild'];
const isRoot = process.getuid?.() === 0;

let folder: string;
let root: string;
let cache: string;

const write = (path: string, text: string) => writeFileSync(join(root, path), text);
const addBuilder = (name: string) =>
  symlinkSync(join(REPOSITORY, 'node_modules', name), join(root, 'node_modules', name));
const addBuilders = () => BUILDERS.forEach(addBuilder);
/** Then only a bundle can run: nothing compiles TypeScript. */
const removeBuilders = () => {
  for (const name of BUILDERS) rmSync(join(root, 'node_modules', name));
};

const florin = async (user: { uid?: number; gid?: number } = {}, umask = '022'): Promise<string> => {
  const words = ['-c', `umask ${umask} && exec "$0" "$1"`, process.execPath, join(root, 'florin')];
  const env = { PATH: process.env.PATH, HOME: join(folder, 'home'), TMPDIR: join(folder, 'tmp') };
  const { stdout } = await promisify(execFile)('sh', words, { env, ...user });
  return stdout;
};

const bundlesIn = (where: string) => readdirSync(where).filter((name) => name.startsWith('florin-program-'));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-sources-'));
  root = join(folder, 'repository');
  cache = join(root, 'node_modules/.cache');
  for (const path of ['server/src/bin', 'sandbox/src/programs', 'node_modules'])
    mkdirSync(join(root, path), { recursive: true });
  for (const path of ['home', 'tmp']) mkdirSync(join(folder, path));
  // Another user runs it too.
  for (const path of ['', 'home', 'tmp']) chmodSync(join(folder, path), path === '' ? 0o755 : 0o777);
  for (const path of ['florin', 'package.json', 'server/package.json', 'tsconfig.json', 'sandbox/src/programs'])
    cpSync(join(REPOSITORY, path), join(root, path), { recursive: true });
  write('node_modules/.package-lock.json', '{}');
  write('server/src/bin/florin.ts', "import { answer } from '../answer.ts';\nconsole.log(answer as string);\n");
  write('server/src/answer.ts', "export const answer: string = 'first';\n");
  addBuilders();
});

afterEach(() => {
  for (const path of ['node_modules/.cache', 'node_modules']) chmodSync(join(root, path), 0o755);
  rmSync(folder, { recursive: true, force: true });
});

it('bundles once, and again for other sources, though their size and time are the same', async () => {
  expect(await florin()).toBe('first\n');
  removeBuilders();
  expect(await florin()).toBe('first\n');
  const answer = join(root, 'server/src/answer.ts');
  const { atime, mtime } = statSync(answer);
  write('server/src/answer.ts', "export const answer: string = 'other';\n");
  utimesSync(answer, atime, mtime);
  await expect(florin()).rejects.toThrow('tsx');
  addBuilders();
  expect(await florin()).toBe('other\n');
  expect(bundlesIn(cache)).toHaveLength(2);
  removeBuilders();
  expect(await florin()).toBe('other\n');
  // Other packages than those in the bundle.
  write('node_modules/.package-lock.json', '{"other":1}');
  await expect(florin()).rejects.toThrow('tsx');
});

it('runs two at once, and removes the bundles that were not used for an hour', async () => {
  mkdirSync(cache);
  const old = join(cache, 'florin-program-0.mjs');
  writeFileSync(old, '');
  utimesSync(old, new Date(0), new Date(0));
  expect(await Promise.all([florin(), florin(), florin()])).toEqual(['first\n', 'first\n', 'first\n']);
  expect(bundlesIn(cache)).toHaveLength(1);
});

it('does not run a bundle that others can write', async () => {
  await florin();
  const bundle = join(cache, bundlesIn(cache)[0]!);
  writeFileSync(bundle, "console.log('planted');");
  expect(await florin()).toBe('planted\n');
  chmodSync(bundle, 0o666);
  expect(await florin()).toBe('first\n');
  expect(statSync(bundle).mode & 0o777).toBe(0o644);
});

it('keeps no bundle of sources that changed while they were read', async () => {
  rmSync(join(root, 'node_modules/esbuild'));
  mkdirSync(join(root, 'node_modules/esbuild'));
  write('node_modules/esbuild/package.json', '{"type":"module","exports":"./main.js"}');
  const [real, answer] = [join(REPOSITORY, 'node_modules/esbuild/lib/main.js'), join(root, 'server/src/answer.ts')];
  write(
    'node_modules/esbuild/main.js',
    `import { writeFileSync } from 'node:fs';
    import esbuild from ${JSON.stringify(real)};
    export const stop = esbuild.stop;
    export async function build(options) {
      await esbuild.build(options);
      writeFileSync(${JSON.stringify(answer)}, "export const answer: string = 'other';");
    }`,
  );
  expect(await florin()).toBe('other\n');
  expect(bundlesIn(cache)).toEqual([]);
});

it('reports faults of the sources as before', async () => {
  write('server/src/answer.ts', 'export const answer: string = ;\n');
  await expect(florin()).rejects.toThrow('answer.ts');
});

/** Root writes in folders that are read-only, so as root this test becomes another user. */
const other = isRoot ? { uid: 65534, gid: 65534 } : {};

it('in a read-only checkout, keeps the bundle in the home of the user', async () => {
  mkdirSync(cache);
  for (const path of ['node_modules/.cache', 'node_modules']) chmodSync(join(root, path), 0o555);
  expect(await florin(other)).toBe('first\n');
  expect(bundlesIn(join(folder, 'home/.cache/florin'))).toHaveLength(1);
  expect(bundlesIn(cache)).toEqual([]);
  chmodSync(join(root, 'node_modules'), 0o755);
  removeBuilders();
  expect(await florin(other)).toBe('first\n');
});

it('without a cache that it can write, runs the sources', async () => {
  mkdirSync(cache);
  for (const path of [cache, join(folder, 'home')]) chmodSync(path, 0o555);
  expect(await florin(other)).toBe('first\n');
  expect(bundlesIn(cache)).toEqual([]);
});

it.runIf(isRoot)('a normal user runs the bundle of root, and root none of theirs', async () => {
  mkdirSync(cache);
  expect(await florin({}, '077')).toBe('first\n');
  removeBuilders();
  expect(await florin(other)).toBe('first\n');
  addBuilders();
  const [name] = bundlesIn(cache);
  writeFileSync(join(folder, 'planted.mjs'), "console.log('planted');");
  chownSync(join(folder, 'planted.mjs'), 65534, 65534);
  renameSync(join(folder, 'planted.mjs'), join(cache, name!));
  expect(await florin(other)).toBe('planted\n');
  expect(await florin()).toBe('first\n');
});
