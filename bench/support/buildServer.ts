import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** As the README starts it. */
export const PRODUCTION_FLAGS = ['--max-semi-space-size=64'];

/**
 * What production runs is compiled once, not translated while it runs: the loader that benchmarks and the sandbox use
 * names every closure as it is made, which cost some 7 % of the payments per second when tried. Stands beside its source,
 * so that its paths hold.
 */
export async function buildServer(entry: URL): Promise<string> {
  const outfile = fileURLToPath(entry).replace(/\.ts$/, '.built.mjs');
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  });
  return outfile;
}
