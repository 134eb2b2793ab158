/**
 * `npm run build -w @florin/client`: compiles to `dist/`. The compiler leaves `.ts` in the imports of declarations,
 * which older compilers do not follow. The licence of the repository becomes part of the package.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const here = import.meta.dirname;
const dist = join(here, 'dist');
rmSync(dist, { recursive: true, force: true });
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
// The second adds the program, which alone may use Node.js.
for (const project of ['tsconfig.build.json', 'tsconfig.bin.json'])
  execFileSync(process.execPath, [compiler, '-p', join(here, project)], { stdio: 'inherit' });
for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.d.ts'))) {
  const file = join(dist, name);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}
copyFileSync(join(here, '../LICENSE'), join(here, 'LICENSE'));
