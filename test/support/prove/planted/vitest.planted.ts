/** Runs tests against a planted bug: only the files of FLORIN_PLANTED_TESTS, in that order. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestCase, type TestModule, type TestSpecification } from 'vitest/node';
import root from '../../../../vitest.config.ts';
import type { Logins } from '../../database.ts';
import type {} from '../../globalSetup.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const tests = JSON.parse(process.env.FLORIN_PLANTED_TESTS ?? '[]') as string[];

class Nearest extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => tests.indexOf(relative(ROOT, moduleId));
    return specs.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

const print = (word: string, value: object): void => console.log(`planted ${word} ${JSON.stringify(value)}`);

/** One line for every failure and for every file that passed, and one when a file begins. */
const reporter: Reporter = {
  onTestModuleQueued: () => print('began', {}),
  onTestCaseResult(test: TestCase) {
    const result = test.result();
    if (result.state !== 'failed') return;
    const [error] = result.errors;
    print('failed', { file: relative(ROOT, test.module.moduleId), test: test.fullName, error: error?.message });
  },
  onTestModuleEnd(module: TestModule) {
    const file = relative(ROOT, module.moduleId);
    const [error] = module.errors();
    if (error) print('failed', { file, test: '(the file)', error: error.message });
    else if (module.ok()) print('passed', { file });
  },
};

export default defineConfig({
  ...root,
  root: ROOT,
  test: {
    // A test that hangs has noticed the bug, and must fail within the three minutes.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    isolate: false,
    // Each worker loads all modules.
    maxWorkers: 1,
    // Only the changed file is compiled again.
    experimental: { fsModuleCache: true },
    include: tests,
    env: { FLORIN_TEST_POSTGRES: '18' },
    // The PostgreSQL and the template of the whole proof (`workCopy.ts` brings bugs in SQL into it).
    provide: {
      databaseUrl: process.env.FLORIN_TEST_DATABASE_URL!,
      logins: JSON.parse(process.env.FLORIN_TEST_LOGINS!) as Logins,
    },
    setupFiles: ['test/support/useDatabase.ts'],
    sequence: { sequencer: Nearest },
    reporters: [reporter],
  },
});
