import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { isShort } from './short.ts';

/** The flags of the README's start command. */
export const PRODUCTION_FLAGS = ['--max-semi-space-size=64'];

/** The program that `fork` starts. */
export interface Program {
  readonly file: string;
  readonly execArgv: string[];
}

/**
 * Compiles a server of a benchmark. With the loader of the sandbox (tsx), every closure gets a name when it is created,
 * which cost about 7 % of the payments per second. The output is written beside the source, so that relative paths
 * still work; its imports of the service come from `compileServer`, which has to run first.
 */
export async function buildServer(entry: URL): Promise<Program> {
  if (isShort) return { file: fileURLToPath(entry), execArgv: ['--import', 'tsx'] };
  const outfile = fileURLToPath(entry).replace(/\.ts$/, '.built.mjs');
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    plugins: [takeCompiled],
    logLevel: 'error',
  });
  return { file: outfile, execArgv: PRODUCTION_FLAGS };
}

const takeCompiled: Plugin = {
  name: 'take-compiled',
  setup({ onResolve }) {
    onResolve({ filter: /\/server\/src\// }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path).replace('/server/src/', '/server/dist/').replace(/\.ts$/, '.js'),
      external: true,
    }));
  },
};
