/** E9: a script that does not know an argument must not run without it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { parseCommandLine } from './readCommandLine.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Steps of `npm test`, which get no arguments. */
const WITHOUT = ['scripts/chromium.ts', 'scripts/postgres15.ts', 'scripts/assembleServer.ts'];

it('accepts numbers, known words and known options', () => {
  const wanted = { numbers: 2, words: ['mixed'], options: { keep: { type: 'boolean' } } } as const;
  expect(parseCommandLine(['7', 'mixed', '--keep', '12'], wanted)).toMatchObject({
    numbers: [7, 12],
    words: ['mixed'],
    values: { keep: true },
  });
  expect(parseCommandLine([], wanted)).toMatchObject({ numbers: [], words: [] });
  for (const args of [['--seeds', '1,2'], ['1,2'], ['1', '2', '3'], ['mixt'], ['--keep=yes'], ['-x'], ['1e3'], ['-5']])
    expect(() => parseCommandLine(args, wanted), args.join(' ')).toThrow();
});

it('parses the command line of every script of package.json', () => {
  const files = Object.values(manifest.scripts)
    .flatMap((line) => line.match(/(?:scripts|bench)\/[\w/]+\.ts/g) ?? [])
    .filter((file) => !WITHOUT.includes(file));
  expect(files.length).toBeGreaterThan(15);
  const others = [...new Set(files)].filter((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return /process\.argv(?!\[1\])/.test(source) || !/\b(readCommandLine|parseArgs)\(/.test(source);
  });
  expect(others).toEqual([]);
});

it('ends chaos with exit code 2 and its usage', () => {
  const args = ['--import', 'tsx', join(root, 'scripts/chaos.ts'), '--seeds', '1,2'];
  const ended = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([ended.status, ended.stdout]).toEqual([2, '']);
  expect(ended.stderr).toContain("Unknown option '--seeds'");
  expect(ended.stderr).toContain('usage: npm run chaos -- [--minutes N] [--seed S]');
});
