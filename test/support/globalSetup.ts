/** For a whole test run: one PostgreSQL per version (a project of `vitest.config.ts`), and the built programs. */
import type { TestProject } from 'vitest/node';
import { buildConsole } from '../../web/console/build/buildConsole.ts';
import { isConsoleBuilt } from '../../web/console/build/consoleSources.ts';
import { buildWallet } from '../../web/wallet/build/buildWallet.ts';
import { isWalletBuilt } from '../../web/wallet/build/walletSources.ts';
import { buildPrograms } from './buildPrograms.ts';
import type { Logins } from './database.ts';
import type { Major } from './postgresVersions.ts';
import { startTestPostgres } from './startTestPostgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A user who may create databases. */
    readonly databaseUrl: string;
    readonly logins: Logins;
  }
}

export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const [{ url, logins, stop }, removePrograms] = await Promise.all([
    startTestPostgres(Number(project.config.env!.FLORIN_TEST_POSTGRES) as Major),
    provideProgramsOnce(project),
  ]);
  project.provide('databaseUrl', url);
  project.provide('logins', logins);
  return async () => {
    await stop();
    removePrograms?.();
  };
}

/** Projects are set up one after another, and every test inherits the environment of this process. */
async function provideProgramsOnce(project: TestProject): Promise<(() => void) | undefined> {
  // In watch mode the sources change during the run, and tests must use the changed ones.
  if (process.env.FLORIN_BUILT_PROGRAMS || project.vitest.config.watch) return undefined;
  // Before any sandbox starts: several would build it at the same time.
  if (!isWalletBuilt()) await buildWallet();
  if (!isConsoleBuilt()) await buildConsole();
  const { folder, remove } = await buildPrograms();
  process.env.FLORIN_BUILT_PROGRAMS = folder;
  return remove;
}
