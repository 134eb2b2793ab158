/**
 * `npm run bench -- NAME [--short]` runs `bench/NAME.ts`. Each prints a table and, as its last line, one JSON object. A
 * benchmark that misses one of its own targets prints the target and exits with code 1.
 *
 * `--short`: tiny sizes, to check that it works. `npm run bench -- --short` runs all of them that way, on one
 * PostgreSQL and one sandbox.
 */
import { readdirSync } from 'node:fs';
import { readCommandLine, refuse } from '../scripts/readCommandLine.ts';
import { fail } from './support/finish.ts';
import { sharePostgres } from './support/startBenchPostgres.ts';
import { shareSandbox } from './support/startBenchSandbox.ts';

const names = readdirSync(new URL('.', import.meta.url))
  .filter((entry) => entry.endsWith('.ts') && entry !== 'run.ts')
  .map((entry) => entry.slice(0, -3));
const usage = `npm run bench -- NAME [--short]\nnames: ${names.join(', ')}`;
const { values, words } = readCommandLine(usage, { options: { short: { type: 'boolean' } }, words: names });

async function run(name: string): Promise<void> {
  const { default: bench } = (await import(new URL(`./${name}.ts`, import.meta.url).href)) as {
    default: () => Promise<void>;
  };
  try {
    await bench();
  } catch (error) {
    console.error(error);
    fail(name, (error as Error).message);
  }
}

if (words.length === 1) await run(words[0]!);
else if (words.length === 0 && values.short) {
  const stops = await Promise.all([sharePostgres(), shareSandbox()]);
  for (const name of names) await run(name);
  for (const stop of stops) await stop();
} else refuse(usage, 'name one benchmark, or give --short alone');
