import type { Hex } from '../../core/ports.ts';
import type { Network, NetworkAsset } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { type Cursor, lockSame, readCursor } from './cursor.ts';

/** Wallets whose balances are read together. */
const WALLETS_PER_POLL = 500;

interface NewWallet {
  readonly wallet_id: string;
  readonly address: Hex;
}

/** SQL: the counted coins of wallet `w` and asset $1, including held final transfers. */
export const COUNTED = `(coalesce((SELECT h.coins FROM holdings h WHERE h.asset_id = $1 AND h.wallet_id = w), 0)
  + coalesce((SELECT sum(CASE WHEN l.to_wallet = w THEN l.amount ELSE 0 END)
                   - sum(CASE WHEN l.from_wallet = w THEN l.amount ELSE 0 END)
                FROM held_logs l WHERE l.asset_id = $1 AND w IN (l.from_wallet, l.to_wallet)), 0))::bigint`;

/**
 * Checks wallets that are new to the watcher: do their coins on the chain at the cursor differ from the counted coins?
 * If so, their history is read from the first watched block on (`rescanWallet`). That happens when someone registers
 * again after a backup was restored, because the address is derived from the seed, and when a token was sent before it
 * was configured.
 */
export async function countNewWallets(app: CustodyApp, network: Network): Promise<void> {
  for (const asset of network.assets) {
    let after: string | undefined = FIRST_ID;
    while (after) after = await countSome(app, network, asset, after);
  }
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Checks wallets with ids after this one. Returns the id after which there may be more. */
async function countSome(
  app: CustodyApp,
  network: Network,
  asset: NetworkAsset,
  after: string,
): Promise<string | undefined> {
  const wallets = await app.db.query<NewWallet>(
    `SELECT wallet_id, w.address FROM (
       SELECT wallet_id FROM wallet_rescans WHERE asset_id = $1 AND wallet_id > $2 AND next_block IS NULL
        ORDER BY wallet_id LIMIT ${WALLETS_PER_POLL}) AS new JOIN wallets w USING (wallet_id) ORDER BY wallet_id`,
    [asset.assetId, after],
  );
  if (wallets.length === 0) return undefined;
  const cursor = await readCursor(app.db, network.networkId);
  // The counted coins are ahead of the cursor while a block is partly applied.
  if (!cursor || cursor.part) return undefined;
  const balances = await readBalances(network, asset, wallets, cursor);
  if (!balances) return undefined;
  const isDone = await app.db.tx(async (tx) => {
    if (!(await lockSame(tx, network.networkId, cursor))) return false;
    const counted = await tx.query<{ counted: bigint }>(
      `SELECT ${COUNTED} AS counted FROM unnest($2::uuid[]) WITH ORDINALITY AS wallets(w, n) ORDER BY n`,
      [asset.assetId, wallets.map((one) => one.wallet_id)],
    );
    const idsOf = (isSame: boolean) =>
      wallets.filter((_, i) => (counted[i]!.counted === balances[i]) === isSame).map((one) => one.wallet_id);
    await tx.query(
      `UPDATE wallet_rescans SET next_block = $3, to_block = $4
        WHERE asset_id = $1 AND wallet_id = ANY ($2) AND next_block IS NULL`,
      [asset.assetId, idsOf(false), network.settings.startBlock ?? cursor.firstBlock ?? 0n, cursor.number],
    );
    await tx.query('DELETE FROM wallet_rescans WHERE asset_id = $1 AND wallet_id = ANY ($2) AND next_block IS NULL', [
      asset.assetId,
      idsOf(true),
    ]);
    await tx.query('UPDATE chain_cursors SET wallet_checks = wallet_checks + 1 WHERE network_id = $1', [
      network.networkId,
    ]);
    return true;
  });
  return isDone && wallets.length === WALLETS_PER_POLL ? wallets.at(-1)!.wallet_id : undefined;
}

/** Undefined while no node can answer: the watcher continues, and the next poll asks again. */
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
