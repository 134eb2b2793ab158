/** `npm run migrate`: brings the database to what this build needs, and makes its roles. Safe to run again, and by many. */
import { migrate } from '../db/migrate.ts';
import { readOwnerDatabaseUrl } from './config/config.ts';

try {
  await migrate(readOwnerDatabaseUrl(), { log: console.log });
  console.log('The database is as this build needs it.');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
