/** `npm run bench -- NAME` runs `bench/NAME.ts`. Each prints a table and, as its last line, one JSON object. */
import { existsSync, readdirSync } from 'node:fs';

const [name = ''] = process.argv.slice(2);
const file = new URL(`./${name}.ts`, import.meta.url);
const names = readdirSync(new URL('.', import.meta.url))
  .filter((entry) => entry.endsWith('.ts') && entry !== 'run.ts')
  .map((entry) => entry.slice(0, -3));

if (!names.includes(name) || !existsSync(file)) {
  console.error(`usage: npm run bench -- NAME\nnames: ${names.join(', ')}`);
  process.exitCode = 2;
} else {
  const { default: bench } = (await import(file.href)) as { default: () => Promise<void> };
  await bench();
}
