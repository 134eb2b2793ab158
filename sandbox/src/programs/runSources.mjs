/**
 * `./florin` in the repository. Through tsx it needs 1.5 s of processor time before its first line, bundled 0.4 s. So its
 * first run bundles the sources, and later runs use that file as long as the sources are the same. The name of the file
 * has a hash of their contents: 20 ms for 560 files, and a clock, a checkout or a copy cannot make an old bundle look new.
 * Packages are part of the hash through the list that npm writes when it installs them.
 */
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '../../..');
const PROGRAM = 'server/src/bin/florin';
const PREFIX = 'florin-program-';
const UNUSED_MS = 3_600_000;

/** Returns undefined if `attempt` fails: without a cache, `./florin` is slow but right. */
function tryTo(attempt) {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}

/** The repository's own cache and, where only others can write in it, one in the user's home. */
function listCaches() {
  const home = tryTo(homedir);
  return [join(ROOT, 'node_modules/.cache'), ...(home ? [join(home, '.cache/florin')] : [])];
}

/** Everything that decides what the bundle contains. It has the repository's path in it, so that is part of the hash. */
function hashSources() {
  const hash = createHash('sha256').update(ROOT);
  const add = (path) => {
    const content = readFileSync(path);
    hash.update(`\0${path}\0${content.length}\0`).update(content);
  };
  const addAll = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) addAll(path);
      else if (!entry.name.endsWith('.test.ts')) add(path);
    }
  };
  addAll(join(ROOT, 'server/src'));
  for (const file of ['node_modules/.package-lock.json', 'package.json', 'server/package.json', 'tsconfig.json'])
    add(join(ROOT, file));
  for (const file of readdirSync(import.meta.dirname)) add(join(import.meta.dirname, file));
  return hash.digest('hex').slice(0, 32);
}

/** Others may share the cache. We run only what root, we, or the owner of the repository have written. */
function isTrusted(file) {
  const { uid, mode } = statSync(file);
  return [0, process.getuid(), statSync(ROOT).uid].includes(uid) && (mode & 0o022) === 0;
}

function sweep(cache) {
  for (const name of readdirSync(cache).filter((one) => one.startsWith(PREFIX))) {
    const file = join(cache, name);
    tryTo(() => Date.now() - statSync(file).mtimeMs > UNUSED_MS && rmSync(file));
  }
}

/** Returns undefined if no cache can be written, or the sources have changed meanwhile. Needs tsx. */
async function buildInto(caches, key) {
  for (const cache of caches) {
    const file = join(cache, `${PREFIX}${key}.mjs`);
    // Processes that build at the same time have the same content, and the last one's file stays.
    const singleFile = `${PREFIX}${key}.${process.pid}.mjs`;
    const draft = join(cache, singleFile);
    try {
      mkdirSync(cache, { recursive: true });
      accessSync(cache, constants.W_OK);
      const { bundlePrograms } = await import('./bundlePrograms.ts');
      await bundlePrograms({ root: ROOT, programs: [PROGRAM], folder: cache, singleFile, sourceMaps: true });
      if (hashSources() !== key) return undefined;
      chmodSync(draft, 0o644);
      renameSync(draft, file);
      sweep(cache);
      return file;
    } catch {
      // Not writable. What is wrong with the sources, tsx says.
    } finally {
      tryTo(() => rmSync(draft, { force: true }));
    }
  }
  return undefined;
}

/** Runs the program's sources, bundled if possible. */
export async function runSources() {
  const key = tryTo(hashSources);
  const caches = key === undefined ? [] : listCaches();
  const files = caches.map((cache) => join(cache, `${PREFIX}${key}.mjs`));
  let bundle = files.find((file) => tryTo(() => isTrusted(file)));
  if (bundle) tryTo(() => utimesSync(bundle, new Date(), new Date()));
  else {
    const { register } = await import('tsx/esm/api');
    register();
    bundle = await buildInto(caches, key);
  }
  // Stack traces name lines of the sources.
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(bundle ?? join(ROOT, `${PROGRAM}.ts`)).href);
}
