/** The providers that a database knows: the signer adds those of its build, and no one can change existing rows. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROVIDER_RAILS } from '../../server/src/adapters/wallets/providers.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { useTestDatabase } from '../support/database/useTestDatabase.ts';
import { urlAs } from '../support/database.ts';

const database = useTestDatabase();
let signing: Db;
beforeAll(() => {
  signing = openDatabase(urlAs(database.url, 'signer'));
});
afterAll(() => signing.close());

const NEW = { ...PROVIDER_RAILS, later: 'provider' };

async function choose(given: { provider?: string; accounts?: object; networks?: object; rails?: object }) {
  const { provider = 'local', accounts = {}, networks = {}, rails = NEW } = given;
  const [row] = await signing.query<{ misfit: string | null }>(
    `SELECT choose_wallets('seed', $1, $2, $3, NULL, $4) AS misfit`,
    [provider, ...[accounts, networks, rails].map((one) => JSON.stringify(one))],
  );
  return row!.misfit;
}
const listRails = async () =>
  Object.fromEntries(
    (await database.db.query<{ provider: string; rail: string }>('SELECT * FROM wallet_providers')).map((one) => [
      one.provider,
      one.rail,
    ]),
  );

it('have the rails of the table, before any signer has started', async () => {
  expect(PROVIDER_RAILS).toMatchObject(await listRails());
});

it('get the new ones of a build, which people’s wallets may then be at', async () => {
  expect(await choose({ provider: 'later', accounts: { later: 'a' }, rails: PROVIDER_RAILS })).toBe('rail');
  expect(await choose({ networks: { BASE: 'later' }, rails: PROVIDER_RAILS })).toBe('rail');
  expect(await choose({ provider: 'later', accounts: { later: 'a' } })).toBeNull();
  expect(await listRails()).toEqual(NEW);
});

it('keep their rails, whatever a build says', async () => {
  expect(await choose({ provider: 'later', accounts: { later: 'a' }, rails: { ...NEW, circle_send: 'eip3009' } })).toBe(
    'rail',
  );
  expect(await listRails()).toEqual(NEW);
  for (const sql of [
    `UPDATE wallet_providers SET rail = 'eip3009'`,
    `INSERT INTO wallet_providers VALUES ('other', 'eip3009')`,
    'DELETE FROM wallet_providers',
  ])
    await expect(signing.query(sql)).rejects.toThrow(/permission denied/);
});

it('have accounts of their own: one stays while it has wallets, another can be added', async () => {
  await database.db.query(
    `INSERT INTO wallets (wallet_id, kind, provider, reference, address)
     VALUES (gen_random_uuid(), 'treasury', 'later', 'r', $1)`,
    [`0x${'1'.repeat(40)}`],
  );
  expect(await choose({ provider: 'later', accounts: { later: 'b' } })).toBe('account');
  expect(await choose({ provider: 'later', accounts: { later: 'a', circle: 'c' } })).toBeNull();
  expect(await database.db.query('SELECT accounts FROM wallet_seeds')).toEqual([
    { accounts: { later: 'a', circle: 'c' } },
  ]);
  await expect(choose({ provider: 'circle_send', accounts: { later: 'a' } })).rejects.toThrow(/account_check/);
});
