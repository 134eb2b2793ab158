import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/support/globalSetup.ts'],
    include: ['server/src/**/*.test.ts', 'sandbox/src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    // Wide enough for a machine that is several times slower: a test that hangs is told all the same, only later.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000 } },
    // Two cores: more workers only make PostgreSQL and the browser wait for each other.
    maxWorkers: 2,
  },
});
