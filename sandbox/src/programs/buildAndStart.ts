/**
 * `npm start`: builds the sandbox's programs, then starts it. Through tsx each of its five processes would need about
 * 4 s of processor time before its first line; building all of them takes 2 s, and a built one needs half a second.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isAlive } from '../processes.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const CACHE = join(ROOT, 'node_modules/.cache');
const PREFIX = 'florin-sandbox-';
const PROGRAMS = ['sandbox/src/start', 'sandbox/src/chain/chainProcess', 'server/src/bin/florin'];

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

/** A sandbox that was killed leaves its programs. */
function sweep(): void {
  for (const name of readdirSync(CACHE)) {
    if (name.startsWith(PREFIX) && !isAlive(Number(name.slice(PREFIX.length)))) remove(join(CACHE, name));
  }
}

/** Returns undefined where it cannot write, for example in an installation of another user. */
async function build(): Promise<string | undefined> {
  const folder = join(CACHE, `${PREFIX}${process.pid}`);
  try {
    mkdirSync(CACHE, { recursive: true });
    sweep();
    remove(folder);
    mkdirSync(folder);
  } catch {
    return undefined;
  }
  process.once('exit', () => remove(folder));
  // Loaded only here: without the programs there is nothing to bundle.
  const { bundlePrograms } = await import('./bundlePrograms.ts');
  await bundlePrograms({ root: ROOT, programs: PROGRAMS, folder, sourceMaps: true });
  return folder;
}

const folder = await build();
if (folder === undefined) {
  await import('../start.ts');
} else {
  process.env.FLORIN_BUILT_PROGRAMS = folder;
  // For this process and those that it starts.
  process.setSourceMapsEnabled(true);
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --enable-source-maps`.trim();
  await import(pathToFileURL(join(folder, 'sandbox/src/start.js')).href);
}
