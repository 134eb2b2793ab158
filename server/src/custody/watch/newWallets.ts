import type { Hex } from '../../core/ports.ts';
import type { Network, NetworkAsset } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { type Cursor, lockSame, readCursor } from './cursor.ts';

/** Wallets whose balances are asked for together. */
const WALLETS_PER_LOOK = 500;

interface NewWallet {
  readonly wallet_id: string;
  readonly address: Hex;
}

/** Of the wallet: coins that are counted, and those in final transfers that are held. */
const COUNTED = `coalesce((SELECT h.coins FROM holdings h WHERE h.asset_id = r.asset_id AND h.wallet_id = r.wallet_id), 0)
  + coalesce((SELECT sum(CASE WHEN l.to_wallet = r.wallet_id THEN l.amount ELSE 0 END)
                   - sum(CASE WHEN l.from_wallet = r.wallet_id THEN l.amount ELSE 0 END)
                FROM held_logs l WHERE l.asset_id = r.asset_id AND r.wallet_id IN (l.from_wallet, l.to_wallet)), 0)`;

/**
 * Wallets that are new to the watcher: does the chain have more at the cursor than is counted? Then they are read again
 * from where watching began (`rescanWallet`). That happens when somebody registers again after a restored backup, because
 * the address follows from the seed, and when a token was sent before it was configured.
 */
export async function lookAtNewWallets(app: CustodyApp, network: Network): Promise<void> {
  for (const asset of network.assets) while (await lookAtSome(app, network, asset));
}

async function lookAtSome(app: CustodyApp, network: Network, asset: NetworkAsset): Promise<boolean> {
  const wallets = await app.db.query<NewWallet>(
    `SELECT r.wallet_id, w.address FROM wallet_rescans r JOIN wallets w USING (wallet_id)
      WHERE r.asset_id = $1 AND r.next_block IS NULL ORDER BY r.wallet_id LIMIT ${WALLETS_PER_LOOK}`,
    [asset.assetId],
  );
  if (wallets.length === 0) return false;
  const cursor = await readCursor(app.db, network.networkId);
  // Coins are ahead of the cursor until its part is whole.
  if (!cursor || cursor.part) return false;
  const balances = await readBalances(network, asset, wallets, cursor);
  if (!balances) return false;
  const isDone = await app.db.tx(async (tx) => {
    if (!(await lockSame(tx, network.networkId, cursor))) return false;
    const values = [asset.assetId, wallets.map((one) => one.wallet_id), balances];
    const same = `FROM unnest($2::uuid[], $3::numeric[]) AS b(wallet_id, balance)
      WHERE r.asset_id = $1 AND r.wallet_id = b.wallet_id AND r.next_block IS NULL`;
    await tx.query(`UPDATE wallet_rescans r SET next_block = $4, to_block = $5 ${same} AND ${COUNTED} <> b.balance`, [
      ...values,
      network.settings.startBlock ?? cursor.firstBlock ?? 0n,
      cursor.number,
    ]);
    await tx.query(`DELETE FROM wallet_rescans r USING ${same.slice('FROM '.length)}`, values);
    await tx.query('UPDATE chain_cursors SET wallet_checks = wallet_checks + 1 WHERE network_id = $1', [
      network.networkId,
    ]);
    return true;
  });
  return isDone && wallets.length === WALLETS_PER_LOOK;
}

/** Undefined while no node can tell: the watcher goes on, and asks again at its next look. */
async function readBalances(
  { chain }: Network,
  { contract }: NetworkAsset,
  wallets: readonly NewWallet[],
  cursor: Cursor,
): Promise<bigint[] | undefined> {
  try {
    const block = await chain.findBlock(cursor.hash as Hex);
    if (!block) return undefined;
    return await chain.readBalances(
      contract,
      wallets.map((one) => one.address),
      block,
    );
  } catch (error) {
    if ((error as { code?: string }).code === 'service.unavailable') return undefined;
    throw error;
  }
}
