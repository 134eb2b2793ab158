/** What only processes of the previous release need is theirs while they may run, and nobody's in a new database. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db } from '../../server/src/db/database.ts';
import { finishUpgrade } from '../../server/src/db/finishUpgrade.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { asOperator, nameOperators } from '../support/operators.ts';

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

const INSERT_KEY = `INSERT INTO service_keys (key_id, name, hash, scopes)
  VALUES (gen_random_uuid(), 'by hand', sha256(gen_random_uuid()::text::bytea), '{send}') RETURNING key_id`;
const keyByHand = (name: 'anna' | 'sven') =>
  asOperator(database.url, name, (db) => db.query<{ key_id: string }>(INSERT_KEY));

it('a new database lets no operator make a key without the function that limits it', async () => {
  await expect(keyByHand('anna')).rejects.toThrow(/permission denied/);
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
  // Its command `keys` makes and revokes keys by itself. So may those operators who may manage keys, and nobody else.
  await nameOperators(database.url, { anna: 'admin', sven: 'support' });
  await expect(keyByHand('sven')).rejects.toThrow(/role support, which may not do this/);
  const [key] = await keyByHand('anna');
  const set = (revokedAt: string) => (db: Db) =>
    db.query(`UPDATE service_keys SET revoked_at = ${revokedAt} WHERE key_id = $1`, [key!.key_id]);
  await expect(asOperator(database.url, 'sven', set('now()'))).rejects.toThrow(/role support/);
  await asOperator(database.url, 'anna', set('now()'));
  await expect(asOperator(database.url, 'anna', set('NULL'))).rejects.toThrow(/stays revoked/);

  await finishUpgrade(database.adminUrl);
  expect(await listGrants()).toEqual([]);
  await expect(keyByHand('anna')).rejects.toThrow(/permission denied/);
  await migrate(database.adminUrl);
  expect(await listGrants()).toEqual([]);
});
