import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { findPostgres, type Major } from './test/support/postgresVersions.ts';

/** What runs on every version of PostgreSQL: what installs and guards the schema, and the ledger. */
const ON_EVERY_VERSION = ['server/src/db/*.test.ts', 'test/db/*.test.ts', 'test/ledger/*.test.ts'];

/** What runs on the oldest one too: everything that depends on `sql/`. What is in between does what both ends do. */
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

const onPostgres = (major: Major, include: string[]) => ({
  extends: true as const,
  test: {
    name: `PostgreSQL ${major}`,
    include,
    env: { FLORIN_TEST_POSTGRES: String(major) },
    globalSetup: ['test/support/globalSetup.ts'],
    setupFiles: ['test/support/useDatabase.ts'],
  },
});

function chooseOlderVersions(): Major[] {
  // Somebody's own server has one version.
  if (process.env.FLORIN_TEST_DATABASE_URL) return [];
  return ([17, 15] as const).filter((major) => {
    const found = findPostgres(major);
    if (!found) console.log(`There is no PostgreSQL ${major} here: what also runs on it is skipped.`);
    return found !== undefined;
  });
}

export default defineConfig({
  // As the wallet is built: its sources name the client and React.
  resolve: {
    alias: {
      '@florin/client': fileURLToPath(new URL('./sdk/src/index.ts', import.meta.url)),
      react: 'preact/compat',
    },
  },
  test: {
    // Wide enough for a machine that is several times slower: a test that hangs is told all the same, only later.
    testTimeout: 480_000,
    hookTimeout: 480_000,
    expect: { poll: { timeout: 120_000 } },
    // Files of one worker share loaded modules: loading them for each file took a tenth of the whole run. So no test may
    // leave a global changed; what it needs, it makes itself.
    isolate: false,
    // One more than the two cores, because stories often wait (for time-outs, blocks, processes that start).
    maxWorkers: 3,
    projects: [
      onPostgres(18, [
        'server/src/**/*.test.ts',
        'sandbox/src/**/*.test.ts',
        'sdk/src/**/*.test.ts',
        'web/wallet/src/**/*.test.ts',
        'test/**/*.test.ts',
        'scripts/**/*.test.ts',
      ]),
      ...chooseOlderVersions().map((major) => onPostgres(major, major === 15 ? ON_THE_OLDEST : ON_EVERY_VERSION)),
    ],
  },
});
