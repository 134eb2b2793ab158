/** What only processes of the previous release need is theirs while they may run, and nobody's in a new database. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { finishUpgrade } from '../../server/src/db/finishUpgrade.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const listGrants = async () => {
  const rows = await asAdmin<{ may: string }>(
    database.url,
    `SELECT role || ' adds to ' || tab AS may
       FROM unnest(ARRAY['server', 'worker']) AS role,
            unnest(ARRAY['wallets', 'signatures', 'cancellations', 'carrier_attempts']) AS tab, role_names n
      WHERE has_table_privilege(n.prefix || '_' || role, tab, 'INSERT')
      UNION ALL
     SELECT role || ' calls record_signatures' FROM unnest(ARRAY['server', 'worker']) AS role, role_names n
      WHERE has_function_privilege(n.prefix || '_' || role, 'record_signatures(uuid[], bytea[], bigint, bytea[])', 'EXECUTE')`,
  );
  return rows.map(({ may }) => may).sort();
};

it('a new database lets nobody but the signer add wallets and signatures', async () => {
  await migrate(database.adminUrl);
  expect(await listGrants()).toEqual([]);
});

it('one that was migrated by the previous release lets its processes go on until the upgrade is finished', async () => {
  await asAdmin(database.url, `INSERT INTO releases (version) VALUES ('0.2.0')`);
  await migrate(database.adminUrl);
  expect(await listGrants()).toEqual([
    'server adds to wallets',
    'worker adds to cancellations',
    'worker adds to carrier_attempts',
    'worker adds to signatures',
    'worker adds to wallets',
    'worker calls record_signatures',
  ]);
  await finishUpgrade(database.adminUrl);
  expect(await listGrants()).toEqual([]);
  await migrate(database.adminUrl);
  expect(await listGrants()).toEqual([]);
});
