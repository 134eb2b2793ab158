/** `npm run keys`: makes, lists and revokes the keys of other services. Who did it stands in the audit log. */
import { userInfo } from 'node:os';
import { openDatabase } from '../db/database.ts';
import { ConfigError, readDatabaseUrl } from './config.ts';
import { KEYS_HELP, KeysFault, manageKeys } from './manageKeys.ts';

async function main(args: readonly string[]): Promise<void> {
  if (args.length === 0 || args.includes('--help') || args[0] === 'help') {
    process.stdout.write(KEYS_HELP);
    return;
  }
  const db = openDatabase(readDatabaseUrl(), { maxConnections: 1 });
  try {
    process.stdout.write(await manageKeys(db, args, `operator:${userInfo().username}`));
  } finally {
    await db.close();
  }
}

function describe(error: Error & { code?: string }): string {
  if (error instanceof KeysFault || error instanceof ConfigError) return error.message;
  if (error.code === '42P01') return 'this database has no tables yet: start the server once';
  return `the database cannot be used: ${error.cause instanceof Error ? error.cause.message : error.message}`;
}

main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${describe(error)}\n`);
  process.exitCode = 1;
});
