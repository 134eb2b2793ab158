/** One PostgreSQL per version (a project of `vitest.config.ts`) for a whole test run. */
import type { TestProject } from 'vitest/node';
import type { Logins } from './database.ts';
import type { Major } from './postgresVersions.ts';
import { startTestPostgres } from './startTestPostgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a user who may create databases. */
    readonly databaseUrl: string;
    readonly logins: Logins;
  }
}

export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const { url, logins, stop } = await startTestPostgres(Number(project.config.env!.FLORIN_TEST_POSTGRES) as Major);
  project.provide('databaseUrl', url);
  project.provide('logins', logins);
  return stop;
}
