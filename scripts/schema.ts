/** `npm run schema`: writes `sql/schema.sql` from a temporary database with all migrations and functions. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../sandbox/src/postgres/startPostgres.ts';
import { createDatabase } from '../sandbox/src/prepareDatabase.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { SQL_FOLDER } from '../server/src/db/readSql.ts';
import { readCommandLine } from './readCommandLine.ts';
import { dumpSchema } from './schema/dumpSchema.ts';

readCommandLine('npm run schema');

const folder = mkdtempSync(join(tmpdir(), 'florin-schema-'));
chmodSync(folder, 0o711);
const postgres = await startPostgres({ dataDir: folder, settings: { fsync: 'off' } });
try {
  await createDatabase(postgres.url('postgres'), 'florin');
  await migrate(postgres.url('florin'));
  writeFileSync(join(SQL_FOLDER, 'schema.sql'), await dumpSchema(postgres.url('florin')));
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
