import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ALLOWED_SKIPS } from './allowedSkips.ts';
import { judgeSkips } from './judgeSkips.ts';

const unnamed = { file: 'test/ledger/ledger.test.ts', name: 'does what a model does' };
const lacking = { file: 'test/stories/upgrade.test.ts', name: 'an upgrade from 0.2.0 > fails nobody' };
const allowed = { file: 'sandbox/src/ports.test.ts', name: 'a free port > is none that the system hands to anyone' };
const another = { file: 'sandbox/src/ports.test.ts', name: 'another test of that file' };

it('prints skips with their reasons, and fails nothing where programs may be missing', () => {
  const { lines, faults } = judgeSkips([unnamed, lacking, lacking, allowed], false);
  expect(faults).toEqual([]);
  expect(lines).toEqual([
    '1 skipped in test/ledger/ledger.test.ts: no reason is named in allowedSkips.ts',
    expect.stringMatching(/^2 skipped in test\/stories\/upgrade\.test\.ts: needs the commit/),
    expect.stringMatching(/^1 skipped in sandbox\/src\/ports\.test\.ts: /),
  ]);
});

it('where nothing may be missing, fails what has no reason and what the machine lacks', () => {
  expect(judgeSkips([unnamed, lacking, allowed, another], true).faults).toEqual([
    `${unnamed.file} > ${unnamed.name}`,
    `${lacking.file} > ${lacking.name}`,
    `${another.file} > ${another.name}`,
  ]);
});

it('names only tests that exist', () => {
  const root = join(import.meta.dirname, '../../..');
  expect(ALLOWED_SKIPS.map(({ file }) => file).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
