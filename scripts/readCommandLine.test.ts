/** E9: a script that does not know an argument must not run without it. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { parseCommandLine } from './readCommandLine.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
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

it('parses the command line of every script, in one place', () => {
  const called = Object.values(manifest.scripts).flatMap((line) => line.match(/(?:scripts|bench)\/[\w/]+\.ts/g) ?? []);
  // What the scripts have as their own parts exports something.
  const others = readdirSync(join(root, 'scripts'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => `scripts/${file}`)
    .filter((file) => !/^export /m.test(readFileSync(join(root, file), 'utf8')));
  const files = [...new Set([...called, ...others])];
  expect(files).toEqual(expect.arrayContaining(['scripts/prove.ts', 'scripts/production/drill.ts', 'bench/run.ts']));
  const lenient = files.filter((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return /process\.argv(?!\[1\])|\bparseArgs\b/.test(source) || !/\breadCommandLine\(/.test(source);
  });
  expect(lenient).toEqual([]);
});

it('ends a script with exit code 2 and its usage', () => {
  const args = ['--import', 'tsx', join(root, 'scripts/schema.ts'), '--seeds', '1,2'];
  const ended = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([ended.status, ended.stdout]).toEqual([2, '']);
  expect(ended.stderr).toContain("Unknown option '--seeds'");
  expect(ended.stderr).toContain('usage: npm run schema');
});
