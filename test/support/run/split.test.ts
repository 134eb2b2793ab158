/** Checks which tests run where: the lists and the imports must be correct. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findUnitTests } from './findUnitTests.ts';
import { LONG_TESTS } from './longTests.ts';

const root = join(import.meta.dirname, '../../..');
const exists = (file: string) => existsSync(join(root, file));

it('a long test names faster ones of the same property that `npm test` runs', () => {
  const long = Object.keys(LONG_TESTS);
  expect(long.filter((file) => !exists(file))).toEqual([]);
  for (const [file, { keptBy }] of Object.entries(LONG_TESTS)) {
    expect([file, keptBy.length]).not.toEqual([file, 0]);
    expect([file, keptBy.filter((kept) => !exists(kept) || long.includes(kept))]).toEqual([file, []]);
  }
});

it('unit tests are those that need nothing but Node, and none that starts something', () => {
  const unit = findUnitTests(root);
  expect(unit).toContain('server/src/core/money.test.ts');
  expect(unit).not.toContain('test/ledger/ledger.test.ts');
  expect(unit).not.toContain('server/src/http/reference/reference.test.ts');
  expect(unit.length).toBeGreaterThan(60);
  // Things that a test could start without importing them.
  const starts = /FLORIN_TEST_DATABASE_URL|FLORIN_TEST_LOGINS|chromium\.launch/;
  const reads = (file: string) => readFileSync(join(root, file), 'utf8');
  expect(unit.filter((file) => !/(run\/split|tidy)\.test\.ts$/.test(file) && starts.test(reads(file)))).toEqual([]);
});

it('an import of types alone makes no test heavy', () => {
  const tests = ['server/src/db/createBatcher.test.ts', 'test/payments/payments.test.ts'];
  expect(findUnitTests(root, tests)).toEqual(tests.slice(0, 1));
});
