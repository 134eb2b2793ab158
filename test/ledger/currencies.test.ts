/** Currencies are rows: PostgreSQL refuses others, and each has its own limits and counters. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readLimits } from '../../server/src/customers/limits/readLimits.ts';
import { openAsset, setHomeAsset } from '../../server/src/ledger/accounts.ts';
import { openCheckedAssets } from '../../server/src/ledger/assets.ts';
import { addCurrency } from '../support/database.ts';
import { openUserAccount } from '../support/ledger/openUserAccount.ts';
import { createPerson, type PaymentsServer, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

const OTHER = 'BASE-SEPOLIA';

let florin: PaymentsServer;
beforeAll(async () => {
  florin = await startPayments();
  await addCurrency(florin.databaseUrl, 'EURC', 6);
  await setHomeAsset(florin.db, await openAsset(florin.db, HOME, 'USDC'));
});
afterAll(() => florin.stop());

it('opens tokens of known currencies only', async () => {
  await expect(openAsset(florin.db, HOME, 'DOGE')).rejects.toThrow(/ledger_open_token/);
  const usdc = await openAsset(florin.db, OTHER, 'USDC');
  expect(await openAsset(florin.db, OTHER, 'EURC')).not.toBe(usdc);
  // The previous release calls it by this name.
  const [row] = await florin.admin.query<{ id: number }>('SELECT ledger_open_asset($1) AS id', [OTHER]);
  expect(row!.id).toBe(usdc);
});

it('refuses a token with other decimals than its currency', async () => {
  const token = { symbol: 'USDC', decimals: 18, contract: `0x${'1'.repeat(40)}`, name: 'USDC' };
  const facts = { blockchain: 'ARB-SEPOLIA', chainId: 421_614, tokens: [token] };
  await expect(openCheckedAssets(florin.db, facts)).rejects.toThrow('USDC has 6 decimals in this database, not 18');
});

it.each([
  ['decimals of a token', 'UPDATE assets SET decimals = 18', /foreign key/],
  ['decimals of a currency', 'UPDATE currencies SET decimals = 18', /append-only/],
  ['a currency', `DELETE FROM currencies WHERE currency = 'EURC'`, /append-only/],
  ['the currency of a tier', `UPDATE tiers SET currency = 'EURC'`, /append-only/],
  ['a tier of another currency for a status', `UPDATE kyc_tiers SET tier = 20 WHERE currency = 'EURC'`, /foreign key/],
])('PostgreSQL refuses to change %s', async (_, sql, says) => {
  await expect(florin.admin.query(sql)).rejects.toThrow(says);
});

it('counts and limits what a person spends per currency, in their account on the home network', async () => {
  await florin.admin.query(`UPDATE kyc_tiers SET tier = 20 WHERE currency = 'USDC'`);
  const { userId } = await createPerson(florin.db, 'payer');
  const open = async (blockchain: string, currency: string) =>
    openUserAccount(florin.db, await openAsset(florin.db, blockchain, currency), userId);
  const [dollars, euros] = [await open(HOME, 'USDC'), await open(HOME, 'EURC')];
  const counting = async (account: bigint) =>
    (await florin.admin.query<{ id: bigint }>('SELECT ledger_counting_account($1) AS id', [account]))[0]!.id;
  expect(await counting(await open(OTHER, 'USDC'))).toBe(dollars);
  expect(await counting(await open(OTHER, 'EURC'))).toBe(euros);
  expect(await counting(euros)).toBe(euros);
  expect(await readLimits(florin.db, userId, 'USDC')).toMatchObject({ tier: 'verified' });
  expect(await readLimits(florin.db, userId, 'EURC')).toMatchObject({ tier: 'unlimited EURC' });
});

it('gives every account the tier of its own currency when the identity check changes', async () => {
  const { userId, accountId } = await createPerson(florin.db, 'rejected');
  const euros = await openUserAccount(florin.db, await openAsset(florin.db, HOME, 'EURC'), userId);
  await florin.admin.query(`UPDATE kyc_tiers SET tier = 30 WHERE currency = 'USDC' AND kyc_status = 'rejected'`);
  await florin.admin.query(`UPDATE users SET kyc_status = 'rejected' WHERE user_id = $1`, [userId]);
  const read = () =>
    florin.db.query<{ account_id: bigint; tier: number }>(
      'SELECT account_id, tier FROM accounts WHERE user_id = $1 ORDER BY account_id',
      [userId],
    );
  expect(await read()).toEqual([
    { account_id: accountId, tier: 30 },
    { account_id: euros, tier: 40 },
  ]);
  await florin.admin.query(`UPDATE kyc_tiers SET tier = 10 WHERE currency = 'USDC' AND kyc_status = 'rejected'`);
  expect((await read()).map(({ tier }) => tier)).toEqual([10, 40]);
});
