/**
 * Tests that only `npm run test:all` runs, because each takes a minute or more, or needs a program that many machines
 * lack. `npm test` must keep proving what they prove about money: each entry names the faster tests that do.
 */
interface LongTest {
  readonly proves: string;
  /** Tests of `npm test` with the same property. */
  readonly keptBy: readonly string[];
}

export const LONG_TESTS: Readonly<Record<string, LongTest>> = {
  'sandbox/src/chain/contracts.test.ts': {
    proves: 'the code of the local chain’s contracts is what the compiler makes of their sources',
    keptBy: ['sandbox/src/chain/localChain.test.ts'],
  },
  'sandbox/src/postgres/startPostgres.test.ts': {
    proves: 'the sandbox starts, adopts and replaces its PostgreSQL, whatever state it was left in',
    keptBy: ['test/stories/sandbox.test.ts'],
  },
  'test/browser/console.test.ts': {
    proves:
      'support questions are answered by clicks in the operator console, on every screen, by keyboard and with axe',
    keptBy: ['test/http/console.test.ts', 'test/bin/consoleReadings.test.ts', 'web/console/src/text/texts.test.ts'],
  },
  'test/browser/everything.test.ts': {
    proves: 'every journey in the web wallet',
    keptBy: ['test/browser/wallet.test.ts'],
  },
  'test/browser/keyboard.test.ts': {
    proves: 'the web wallet works by keyboard alone',
    keptBy: ['test/browser/wallet.test.ts'],
  },
  'test/browser/links.test.ts': {
    proves: 'links of the web wallet survive the way to their screen, and an old payment is paid once',
    keptBy: ['test/browser/wallet.test.ts', 'web/wallet/src/money/paying.test.ts'],
  },
  'test/browser/passkeys.test.ts': {
    proves: 'the web wallet adds passkeys and confirms payments with them',
    keptBy: ['test/http/passkeys.test.ts'],
  },
  'test/browser/seldom.test.ts': {
    proves: 'screens of the web wallet that people seldom see',
    keptBy: ['test/browser/wallet.test.ts'],
  },
  'test/sdk/packed.test.ts': {
    proves: 'the packed client works on Node, Bun, Deno and in a browser, and every guide does what it shows',
    keptBy: ['test/sdk/exactlyOnce.test.ts', 'test/payouts/guide.test.ts', 'sdk/src/retry.test.ts'],
  },
  'test/stories/benchmarkRuns.test.ts': {
    proves: 'a short run of every benchmark has all of its figures',
    keptBy: ['test/stories/benchmarks.test.ts'],
  },
  'test/stories/circleSandbox.test.ts': {
    proves: 'the typical flow and a race for one balance in a sandbox whose wallets are at Circle',
    keptBy: ['test/custody/circle.test.ts', 'test/custody/circleSend.test.ts', 'test/bin/circle.test.ts'],
  },
  'test/stories/pooler.test.ts': {
    proves: 'payments behind PgBouncer, where each statement may have another connection',
    keptBy: ['server/src/db/database.test.ts', 'test/payments/payments.test.ts'],
  },
  'test/stories/rails.test.ts': {
    proves: 'one transfer per payment with wallets at Circle, wherever a process dies',
    keptBy: [
      'test/stories/providerCrashPoints.test.ts',
      'test/custody/circleSend.test.ts',
      'test/stories/dyingWorker.test.ts',
    ],
  },
  'test/stories/rollingRestart.test.ts': {
    proves: 'servers behind HAProxy are replaced under load, as Kubernetes does it, and no call fails',
    keptBy: ['scripts/production/deploy.test.ts', 'test/http/brokenConnections.test.ts'],
  },
  'test/stories/restores.test.ts': {
    proves: 'everyone has what is theirs after a backup is restored in the middle of a story',
    keptBy: [
      'test/stories/restore.test.ts',
      'test/stories/restoreNoted.test.ts',
      'test/stories/restoreRepeated.test.ts',
      'test/stories/restoreUnsure.test.ts',
    ],
  },
  'test/stories/events.test.ts': {
    proves: 'every event reaches every reader, whichever process is killed',
    keptBy: ['test/events/feed.test.ts', 'test/events/webhookFaults.test.ts', 'test/events/twoWorkers.test.ts'],
  },
  'test/stories/sandboxStory.test.ts': {
    proves: 'an operator runs a whole sandbox with `florin` alone, on a good and on a bad day',
    keptBy: [
      'test/stories/sandbox.test.ts',
      'test/operators/exitCommands.test.ts',
      'test/operators/correctingCommands.test.ts',
      'test/stories/restore.test.ts',
      'test/custody/relayerGas.test.ts',
    ],
  },
  'test/stories/seeing.test.ts': {
    proves: 'operators and waiting people see which dependency is down, in real processes',
    keptBy: [
      'test/operators/firing.test.ts',
      'test/operators/pauseReasons.test.ts',
      'test/http/readiness.test.ts',
      'test/stories/outage.test.ts',
    ],
  },
  'test/stories/signer.test.ts': {
    proves: 'a separate signer alone has keys in memory, and people barely notice when it is down, slow or killed',
    keptBy: [
      'server/src/http/signer/serveSigner.test.ts',
      'test/custody/signing.test.ts',
      'test/stories/crashPoints.test.ts',
    ],
  },
  'test/stories/soak.test.ts': {
    proves: 'good requests are answered among broken connections and slow readers, in bounded memory',
    keptBy: ['test/http/brokenConnections.test.ts', 'server/src/http/connections/connections.test.ts'],
  },
  'test/stories/upgrade.test.ts': {
    proves: 'an upgrade from the previous release under load, and back; needs its commit in the history',
    keptBy: ['test/db/previousRelease.test.ts', 'server/src/db/migrate.test.ts'],
  },
  'test/stories/workers.test.ts': {
    proves: 'every payment is made once while real workers and their signer are killed, stopped and continued',
    keptBy: ['test/stories/dyingWorker.test.ts', 'test/stories/crashPoints.test.ts', 'server/src/jobs/jobs.test.ts'],
  },
  'test/stories/world.test.ts': {
    proves: 'a whole service does what the model says, whatever people, operators, faults and crashes happen to it',
    keptBy: ['test/db/races.test.ts', 'test/stories/dyingWorker.test.ts', 'test/stories/crashPoints.test.ts'],
  },
};
