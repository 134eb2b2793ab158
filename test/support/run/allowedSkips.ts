/**
 * Every test that may be skipped, and why. `npm test` prints what it skipped. Where nothing may be missing (the workflows set
 * FLORIN_NO_SKIPS), a skip that is not named here is a failure, and so is one whose `lacks` a workflow provides.
 */
interface AllowedSkip {
  readonly file: string;
  /** Part of the test's full name; undefined: any test of the file. */
  readonly name?: string;
  readonly reason: string;
  /** The program that the machine lacks. Workflows must provide it. */
  readonly lacks?:
    | 'Chromium'
    | 'Debian’s PostgreSQL 15'
    | 'HAProxy'
    | 'PgBouncer'
    | 'promtool'
    | 'Python'
    | 'systemd-analyze'
    | 'the history of the repository'
    | 'pgbench';
}

export const ALLOWED_SKIPS: readonly AllowedSkip[] = [
  {
    file: 'sandbox/src/postgres/startPostgres.test.ts',
    name: 'root',
    reason: 'only root can do what is tested; runners of workflows are not root',
  },
  {
    file: 'sandbox/src/postgres/startPostgres.test.ts',
    name: 'runs as a normal user',
    reason: 'root starts PostgreSQL as another user; a normal user runs every other test that way',
  },
  {
    file: 'sandbox/src/programs/runSources.test.ts',
    name: 'runs the bundle of root',
    reason: 'only root can be two users; runners of workflows are not root',
  },
  {
    file: 'sandbox/src/ports.test.ts',
    name: 'is none that the system hands',
    reason: 'the system hands out ports from a range that begins lower than usual',
  },
  { file: 'sandbox/src/issuer/startIssuer.test.ts', reason: 'needs a browser', lacks: 'Chromium' },
  { file: 'server/src/http/reference/handbook/handbook.test.ts', reason: 'needs a browser', lacks: 'Chromium' },
  { file: 'server/src/http/reference/reference.test.ts', reason: 'needs a browser', lacks: 'Chromium' },
  { file: 'test/browser/wallet.test.ts', reason: 'needs a browser', lacks: 'Chromium' },
  { file: 'test/browser/everything.test.ts', reason: 'needs a browser', lacks: 'Chromium' },
  { file: 'test/browser/keyboard.test.ts', reason: 'needs a browser', lacks: 'Chromium' },
  { file: 'test/browser/passkeys.test.ts', reason: 'needs a browser', lacks: 'Chromium' },
  { file: 'test/browser/seldom.test.ts', reason: 'needs a browser', lacks: 'Chromium' },
  { file: 'test/sdk/packed.test.ts', name: 'in a browser', reason: 'needs a browser', lacks: 'Chromium' },
  {
    file: 'test/sdk/packed.test.ts',
    name: 'Deno',
    reason: 'the Deno of npm is for one kind of processor; elsewhere DENO_PATH names one',
  },
  { file: 'test/sdk/python.test.ts', reason: 'needs Python 3 (Debian: python3)', lacks: 'Python' },
  { file: 'test/stories/benchmarkRuns.test.ts', reason: 'needs pgbench and Chromium', lacks: 'pgbench' },
  {
    file: 'test/operators/promtool.test.ts',
    name: 'in Prometheus',
    reason: 'needs promtool (Debian: prometheus)',
    lacks: 'promtool',
  },
  {
    file: 'scripts/production/deploy.test.ts',
    name: 'in systemd-analyze',
    reason: 'needs systemd-analyze (Debian: systemd)',
    lacks: 'systemd-analyze',
  },
  { file: 'test/stories/pooler.test.ts', reason: 'needs PgBouncer 1.21 or newer', lacks: 'PgBouncer' },
  { file: 'test/stories/rollingRestart.test.ts', reason: 'needs HAProxy', lacks: 'HAProxy' },
  {
    file: 'test/stories/upgrade.test.ts',
    reason: 'needs the commit of the previous release, which a shallow clone lacks',
    lacks: 'the history of the repository',
  },
  {
    file: 'test/db/german.test.ts',
    reason: 'only Debian’s PostgreSQL has translated messages',
    lacks: 'Debian’s PostgreSQL 15',
  },
  { file: 'test/stories/soak.test.ts', reason: 'only Linux assigns the whole loopback network' },
  { file: 'test/stories/signer.test.ts', name: 'in memory', reason: 'reads /proc, which only Linux has' },
  {
    file: 'test/stories/twoNodes.test.ts',
    name: 'while the standby does not answer',
    reason: 'stops a process as only Linux can',
  },
];
