import type { Hex } from '../../core/ports.ts';
import type { Network, NetworkAsset } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import type { Position } from './holdings.ts';

/** One wallet at the watcher's final block: the coins owed, the coins counted, and the coins on the chain. */
interface ReconciledWallet extends Position {
  readonly address: Hex;
  readonly onChain: bigint;
  /** Final transfers that are not counted yet, because a provider has not reported whose they are: in minus out. */
  readonly held: bigint;
  /** The coins on the chain minus the counted coins. Anything but zero is a fault. */
  readonly difference: bigint;
  /** Since when the token is known to refuse it. */
  readonly blockedAt: Date | null;
  /** The wallet is being rescanned: its coins are unknown, so it has no difference. */
  readonly isRescanned: boolean;
}

export interface Reconciliation {
  readonly blockchain: string;
  readonly symbol: string;
  readonly blockNumber: bigint;
  readonly wallets: readonly ReconciledWallet[];
  /** Σ coins − Σ ledger; undefined while a wallet is being rescanned. Settlement never changes it. */
  readonly difference: bigint | undefined;
}

interface Row extends Omit<Position, 'walletId'> {
  readonly wallet_id: string;
  readonly address: Hex;
  readonly held: bigint;
  readonly blockedAt: Date | null;
  readonly isRescanned: boolean;
  readonly is_any_rescanned: boolean;
  readonly block_number: bigint;
  readonly block_hash: Hex;
}

/** SQL: the held transfers of wallet `p` and asset $2, in minus out. */
export const HELD = `(SELECT coalesce(sum(CASE WHEN h.to_wallet = p.wallet_id THEN h.amount ELSE 0 END)
    - sum(CASE WHEN h.from_wallet = p.wallet_id THEN h.amount ELSE 0 END), 0)::bigint
  FROM held_logs h WHERE h.asset_id = $2 AND p.wallet_id IN (h.from_wallet, h.to_wallet))`;

/**
 * SQL: the coins match the block of cursor `c`, except for wallets that are being rescanned. Not true while blocks are
 * read again after a reorg, or while a block is applied in several commits.
 */
export const IS_AT_CURSOR = 'c.recheck_to IS NULL';

/** SQL: some wallet of asset $2 is being rescanned, so its coins, and their sum, are unknown. */
export const IS_ANY_RESCANNED =
  'EXISTS (SELECT FROM wallet_rescans r WHERE r.asset_id = $2 AND r.next_block IS NOT NULL)';

/**
 * Compares ledger, custody and chain for all wallets at one block. Ledger and coins move in one commit with the cursor,
 * so only held transfers must be taken into account: any other difference is a fault. A wallet that is being rescanned
 * hides only its own difference and the sum. Undefined while the watcher has not started or reads blocks again, and
 * when the nodes no longer have the cursor's block.
 */
export async function reconcile(
  app: Pick<CustodyApp, 'db'>,
  network: Network,
  asset: NetworkAsset,
): Promise<Reconciliation | undefined> {
  const rows = await app.db.query<Row>(
    `SELECT c.block_number, c.block_hash, w.address, p.*,
            (SELECT b.blocked_at FROM holdings b WHERE b.asset_id = $2 AND b.wallet_id = p.wallet_id) AS "blockedAt",
            ${HELD} AS held, ${IS_ANY_RESCANNED} AS is_any_rescanned,
            EXISTS (SELECT FROM wallet_rescans r WHERE r.asset_id = $2 AND r.wallet_id = p.wallet_id
                       AND r.next_block IS NOT NULL) AS "isRescanned"
       FROM chain_cursors c CROSS JOIN LATERAL wallet_positions($2) p JOIN wallets w USING (wallet_id)
      WHERE c.network_id = $1 AND ${IS_AT_CURSOR} ORDER BY w.wallet_id`,
    [network.networkId, asset.assetId],
  );
  const [first] = rows;
  const block = first && (await network.chain.findBlock(first.block_hash));
  if (!first || !block) return undefined;
  const onChain = await network.chain.readBalances(
    asset.contract,
    rows.map((row) => row.address),
    block,
  );
  const wallets = rows.map(
    (
      { wallet_id: walletId, block_number: _number, block_hash: _hash, is_any_rescanned: _any, ...row },
      i,
    ): ReconciledWallet => ({
      walletId,
      ...row,
      onChain: onChain[i]!,
      difference: row.isRescanned ? 0n : onChain[i]! - row.coins - row.held,
    }),
  );
  const sum = (pick: (one: ReconciledWallet) => bigint) => wallets.reduce((total, one) => total + pick(one), 0n);
  return {
    blockchain: network.chain.blockchain,
    symbol: asset.symbol,
    blockNumber: first.block_number,
    wallets,
    difference: first.is_any_rescanned ? undefined : sum((one) => one.coins) - sum((one) => one.ledger),
  };
}
