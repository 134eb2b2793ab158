import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Judge, Verdict } from './judge.ts';
import { BUNDLERS } from './packages.ts';
import { runJudge } from './runJudge.ts';

const ENTRY =
  "import { createClient } from '@florin/client';\nglobalThis.florin = createClient({ backendUrl: '/api' });\n";
/** Nothing of Node.js, and nothing of the program `florin-client`. */
const FOREIGN = /node:|parseArgs|Press Ctrl-C/;

/** An app's bundle for browsers, minified, and its size. */
export const judgeBundles: Judge = async (court) => {
  const { pathOf, versionOf, folder } = await court.install('bundlers', BUNDLERS);
  const { consumer } = await court.client();
  const app = join(consumer, 'bundled');
  rmSync(app, { recursive: true, force: true });
  mkdirSync(app);
  writeFileSync(join(app, 'main.js'), ENTRY);
  writeFileSync(join(app, 'index.html'), '<!doctype html><script type="module" src="./main.js"></script>');
  const config = `export default { build: { rollupOptions: { output: { entryFileNames: 'vite.js' } }, outDir: 'out', modulePreload: false } };`;
  writeFileSync(join(app, 'vite.config.mjs'), config);

  const judge = async (name: 'vite' | 'esbuild', args: readonly string[], output: string): Promise<Verdict> => {
    const program = pathOf(`${name}/bin/${name === 'vite' ? 'vite.js' : 'esbuild'}`);
    const { code, stderr } = await runJudge(process.execPath, [program, ...args], app);
    const about = "an app's bundle for browsers, minified";
    if (code !== 0) return { judge: name, version: versionOf(name), about, findings: [stderr.slice(-300)] };
    const text = readFileSync(join(app, output));
    const findings = FOREIGN.test(text.toString('utf8')) ? ['the bundle contains a part of the program'] : [];
    const figure = `${text.length} bytes, ${gzipSync(text).length} with gzip`;
    return { judge: name, version: versionOf(name), about, findings, figure };
  };
  const own = ['main.js', '--bundle', '--minify', '--format=esm', '--platform=browser', '--outfile=esbuild.js'];
  mkdirSync(folder, { recursive: true });
  return [await judge('vite', ['build', '.'], 'out/vite.js'), await judge('esbuild', own, 'esbuild.js')];
};
