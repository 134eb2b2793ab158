/**
 * `npm run migrate`: migrates the database for this build and creates its roles. Safe to repeat, also concurrently. With
 * `--finish`, when no process of the previous release is left: also what had to wait for that. With `--renew-ids` only that:
 * for every night (docs/operating/growth.md).
 */
import { finishUpgrade } from '../db/finishUpgrade.ts';
import { migrate } from '../db/migrate.ts';
import { renewIds } from '../db/renewIds.ts';
import { readOwnerDatabaseUrl } from './config/config.ts';

try {
  const url = readOwnerDatabaseUrl();
  if (process.argv.includes('--renew-ids')) {
    await renewIds(url, { log: console.log });
  } else {
    await migrate(url, { log: console.log });
    if (process.argv.includes('--finish')) await finishUpgrade(url, { log: console.log });
    console.log('The database is as this build needs it.');
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
