/**
 * `ledger` records who is owed what: accounts, transfers, holds, balances and spending limits, in double entry. Only
 * this module writes `networks`, `currencies`, `assets`, `accounts`, `transfers`, `spendings`, `refusals`, `tiers`, `kyc_tiers`,
 * their histories (`tier_changes`, `kyc_tier_changes`), `ledger_state` and `epochs`, and only through the functions in
 * `sql/functions/ledger`: no process may write these tables itself. Called by `payments`, `custody`, `overview` and
 * `bin`; `operators` and `customers` call it when a person is paused or names and sessions change.
 *
 * Money that enters or leaves is a transfer with the `chain` account, the counterpart of the coins in custody. Only
 * `chain` and `loss` may be negative; the balances of an asset always sum to zero.
 */
import type { Queryable } from '../db/database.ts';
import { openAssets } from './assets.ts';

type HouseKind = 'treasury' | 'fees' | 'loss' | 'chain';

/** The id of a currency's token on this blockchain. The first call assigns it. */
export async function openAsset(db: Queryable, blockchain: string, currency: string): Promise<number> {
  return (await openAssets(db, blockchain, [currency])).assetIds[0]!;
}

/**
 * Sets the asset that people pay each other with. A person's accounts on its network also count what that person spends
 * in the same currency on other networks. Throws if the database has another one: only its owner may change that.
 */
export async function setHomeAsset(db: Queryable, assetId: number): Promise<void> {
  await db.query('SELECT ledger_set_home_asset($1)', [assetId]);
  const [home] = await db.query<{ asset_id: number; blockchain: string }>(
    `SELECT asset_id, blockchain FROM ledger_state JOIN assets ON asset_id = home_asset JOIN networks USING (network_id)`,
  );
  if (home!.asset_id === assetId) return;
  throw new Error(
    `people of this database pay each other on ${home!.blockchain}: FLORIN_HOME_BLOCKCHAIN names another one`,
  );
}

/** The accounts of these people, by their ids. Opens the missing ones. */
export async function openUserAccounts(
  db: Queryable,
  assetId: number,
  userIds: readonly string[],
): Promise<Map<string, bigint>> {
  const find = async () => {
    const rows = await db.query<{ user_id: string; account_id: bigint }>(
      'SELECT user_id, account_id FROM accounts WHERE user_id = ANY ($1) AND asset_id = $2',
      [userIds, assetId],
    );
    return new Map(rows.map((row) => [row.user_id, row.account_id]));
  };
  const known = await find();
  const missing = userIds.filter((userId) => !known.has(userId));
  if (missing.length === 0) return known;
  await db.query('SELECT ledger_open_user_accounts($1, $2)', [assetId, missing]);
  return find();
}

export async function openHouseAccount(db: Queryable, assetId: number, kind: HouseKind): Promise<bigint> {
  const [known] = await db.query<{ account_id: bigint }>(
    'SELECT account_id FROM accounts WHERE kind = $1 AND asset_id = $2 AND user_id IS NULL',
    [kind, assetId],
  );
  if (known) return known.account_id;
  const [opened] = await db.query<{ account_id: bigint }>('SELECT ledger_open_house_account($1, $2) AS account_id', [
    assetId,
    kind,
  ]);
  return opened!.account_id;
}

/**
 * After a logical restore, makes new entries of the feed come after the restored ones; otherwise changes nothing. Every
 * process that writes calls it before its first write.
 */
export async function rebase(db: Queryable): Promise<void> {
  await db.query('SELECT ledger_rebase()');
}
