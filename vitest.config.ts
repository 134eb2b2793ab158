import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { findPostgres, type Major } from './test/support/postgresVersions.ts';
import { findUnitTests, TEST_FOLDERS } from './test/support/run/findUnitTests.ts';
import { LongestFirst } from './test/support/run/LongestFirst.ts';
import { LONG_TESTS } from './test/support/run/longTests.ts';
import { createSkipReporter } from './test/support/run/skipReporter.ts';
import { howMany, isThorough } from './test/support/run/thorough.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const unitTests = findUnitTests(root);

/** Tests of the schema, its migrations and the ledger. */
const ON_EVERY_VERSION = ['server/src/db/*.test.ts', 'test/db/*.test.ts', 'test/ledger/*.test.ts'];

/** Runs on the oldest version too: everything that depends on `sql/`. Versions in between behave like one of the two. */
const ON_THE_OLDEST = [
  ...ON_EVERY_VERSION,
  'test/payments/payments.test.ts',
  'test/payments/payees.test.ts',
  'test/payouts/guards.test.ts',
  'test/payments/previews.test.ts',
  'test/payments/requests.test.ts',
  'test/payments/refunds.test.ts',
  'test/payments/refundBounds.test.ts',
  'test/customers/limits.test.ts',
  'test/custody/custody.test.ts',
  'test/events/feed.test.ts',
];

/** These start their own PostgreSQL, or race the same locks: once is enough. */
const ON_ONE_VERSION = ['test/db/german.test.ts', 'test/db/races.test.ts'];

/** On older versions `npm test` leaves these to `npm run test:all`: they are long, and the SQL that they run is in the others too. */
const LONG_ON_OLDER = [
  'server/src/db/database.test.ts',
  'server/src/db/migrate.test.ts',
  'test/db/checkDatabase.test.ts',
  'test/db/compromisedServer.test.ts',
  'test/db/planner.test.ts',
  'test/db/privileges.test.ts',
  'test/ledger/audit.test.ts',
  'test/ledger/ids.test.ts',
  'test/ledger/rebase.test.ts',
  'test/payments/payees.test.ts',
  'test/payments/previews.test.ts',
  'test/custody/custody.test.ts',
  'test/events/feed.test.ts',
];

const onPostgres = (major: Major, include: string[], exclude: string[]) => ({
  extends: true as const,
  test: {
    name: `PostgreSQL ${major}`,
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    env: { FLORIN_TEST_POSTGRES: String(major) },
    globalSetup: ['test/support/globalSetup.ts'],
    setupFiles: ['test/support/useDatabase.ts'],
  },
});

/** `npm test` runs one: 15 where it is installed, or else 17. Both need the lines that 18 leaves out. */
function chooseOlderVersions(): Major[] {
  // A server that you provide has one version.
  if (process.env.FLORIN_TEST_DATABASE_URL) return [];
  const found = ([15, 17] as const).filter((major) => findPostgres(major) !== undefined);
  const missing = ([15, 17] as const).filter((major) => !found.includes(major));
  if (missing.length > 0 && process.env.FLORIN_NO_SKIPS)
    throw new Error(`FLORIN_NO_SKIPS is set, and there is no PostgreSQL ${missing.join(', ')}`);
  for (const major of missing) console.log(`There is no PostgreSQL ${major} here: what also runs on it is skipped.`);
  return howMany(found.slice(0, 1), found);
}

/** `npm run test:unit`. The other commands run these tests in the project of PostgreSQL 18, whose workers have loaded their modules. */
const unit = { extends: true as const, test: { name: 'unit', include: unitTests } };

const onEveryPostgres = () => [
  onPostgres(
    18,
    TEST_FOLDERS.map((folder) => `${folder}/**/*.test.ts`),
    isThorough ? [] : Object.keys(LONG_TESTS),
  ),
  ...chooseOlderVersions().map((major) =>
    onPostgres(major, major === 17 && isThorough ? ON_EVERY_VERSION : ON_THE_OLDEST, [
      ...unitTests,
      ...ON_ONE_VERSION,
      ...howMany(LONG_ON_OLDER, major === 17 ? ['test/db/privileges.test.ts'] : []),
    ]),
  ),
];

export default defineConfig({
  // As the wallet is built: its sources name the client and React.
  resolve: {
    alias: {
      '@florin/client': fileURLToPath(new URL('./sdk/src/index.ts', import.meta.url)),
      react: 'preact/compat',
    },
  },
  test: {
    // Wide enough for a machine that is several times slower: a test that hangs is reported all the same, only later.
    testTimeout: 480_000,
    hookTimeout: 480_000,
    expect: { poll: { timeout: 120_000 } },
    // Files of one worker share loaded modules: loading them for each file took a tenth of the whole run. So no test may
    // leave a global changed; what it needs, it makes itself.
    isolate: false,
    // Most of what a test allocates is soon garbage: with the default of 16 MB too much of it is copied.
    // Little of it runs often enough to repay the optimizing compiler, which took 6 % of all processor time.
    execArgv: ['--max-semi-space-size=64', '--interrupt-budget=300000'],
    // The projects transform the same modules: each is transformed once, and not again until it changes.
    experimental: { fsModuleCache: true },
    // Twice the two cores: a story waits half of its time (for time-outs, blocks, processes that start), and `LongestFirst`
    // mixes stories with tests that only compute. More workers gain nothing: each loads all modules, which takes 25 s.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', ...(process.env.GITHUB_ACTIONS ? ['github-actions'] : []), createSkipReporter(root)],
    projects: process.env.FLORIN_TESTS === 'unit' ? [unit] : onEveryPostgres(),
  },
});
