/** `npm run migrate`: migrates the database for this build and creates its roles. Safe to repeat, also concurrently. */
import { migrate } from '../db/migrate.ts';
import { readOwnerDatabaseUrl } from './config/config.ts';

try {
  await migrate(readOwnerDatabaseUrl(), { log: console.log });
  console.log('The database is as this build needs it.');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
