import { newId } from '../../core/ids.ts';
import type { WalletSource } from '../../core/ports.ts';
import type { Db } from '../../db/database.ts';

/**
 * Creates the wallet of a person under these keys, or finds it. Returns undefined when there is no such person. Throws
 * when the person has a different wallet there, because only the signer may create wallets.
 */
export async function makeWallet(
  db: Db,
  keys: Pick<WalletSource, 'create'>,
  userId: string,
): Promise<{ readonly walletId: string; readonly address: string } | undefined> {
  const [person] = await db.query<{ issuer: string; subject: string }>(
    'SELECT issuer, subject FROM users WHERE user_id = $1',
    [userId],
  );
  if (!person) return undefined;
  const { provider, family, reference, address } = await keys.create({ kind: 'user', ...person });
  await db.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, family, reference, address)
     VALUES ($1, 'user', $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
    [newId(), userId, provider, family, reference, address],
  );
  const [made] = await db.query<{ wallet_id: string; owner: string; address: string }>(
    'SELECT wallet_id, user_id AS owner, address FROM wallets WHERE provider = $1 AND reference = $2',
    [provider, reference],
  );
  if (made?.owner !== userId || made.address !== address)
    throw new Error(`the wallet of ${userId} is not the one that this signer's keys produce`);
  return { walletId: made.wallet_id, address };
}
