/** Checks of the benchmarks that need no run: `npm run test:all` runs them (`benchmarkRuns.test.ts`). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FIGURES, findMissed } from '../../bench/support/finish.ts';

const folder = join(import.meta.dirname, '../../bench');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

/** The text of a benchmark and of what it imports from `bench/`, without the list of figures itself. */
function readAll(name: string): string {
  const text = read(`${name}.ts`);
  const parts = [...text.matchAll(/from '\.\/([\w/]+\.ts)'/g)].map((match) => match[1]!);
  return [text, ...parts.filter((part) => part !== 'support/finish.ts').map(read)].join('\n');
}

it('every benchmark declares its figures, and its code has them', () => {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
    .map((file) => file.slice(0, -3));
  expect(Object.keys(FIGURES)).toEqual(names.sort());
  for (const [name, figures] of Object.entries(FIGURES)) {
    const text = readAll(name);
    expect(text).toMatch(new RegExp(`finish\\(\\s*'${name}'`));
    expect([name, figures.filter((figure) => !new RegExp(`\\b${figure}\\b`).test(text))]).toEqual([name, []]);
  }
});

it('reports a figure that was not measured and a target that was missed', () => {
  expect(findMissed({ a: 1, b: 'x' }, { 'all is well': true })).toEqual([]);
  expect(findMissed({ ratio: Number.NaN, rate: 0 / 0, ms: 1 / 0 }, {})).toEqual([
    'ratio was not measured',
    'rate was not measured',
    'ms was not measured',
  ]);
  expect(findMissed({ transfers: 0 }, { 'there must be transfers': false })).toEqual(['there must be transfers']);
});
