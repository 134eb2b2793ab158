import { PayError } from '../../../server/src/core/errors.ts';
import type { Queryable } from '../../../server/src/db/database.ts';
import { openUserAccounts } from '../../../server/src/ledger/accounts.ts';

/** The account of one person; it is opened if it does not exist. */
export async function openUserAccount(db: Queryable, assetId: number, userId: string): Promise<bigint> {
  const account = (await openUserAccounts(db, assetId, [userId])).get(userId);
  if (account === undefined) throw new PayError('user.unknown');
  return account;
}
