import { addressKey, isEvmAddress, readAddressOf } from '../../core/families.ts';
import { findAddress } from '../../customers/findAddress.ts';
import { listUsernames } from '../../customers/findPerson.ts';
import type { Queryable } from '../../db/database.ts';

/** Coins that arrived in one of our wallets. */
export interface FoundDeposit {
  /** Null until it is credited. */
  readonly paymentId: string | null;
  /**
   * `pending`: not final yet. `held`: a provider has not yet reported whose it is. `gone`, `lost`: a reorg removed it.
   */
  readonly state: 'credited' | 'pending' | 'held' | 'gone' | 'lost';
  readonly blockchain: string;
  readonly amount: bigint;
  readonly fromAddress: string;
  readonly toAddress: string;
  readonly walletId: string;
  readonly userId: string | null;
  readonly username: string | null;
  readonly txHash: string;
  readonly blockNumber: bigint;
  readonly creditedAt: Date | null;
}

const ALL = `
  SELECT d.transfer_id AS payment_id, d.state, d.asset_id, d.amount, d.from_address, d.wallet_id, d.tx_hash,
         d.block_number, d.credited_at FROM assets a JOIN deposits d ON d.asset_id = a.asset_id
  UNION ALL
  SELECT NULL, 'pending', p.asset_id, p.amount, p.from_address, p.wallet_id, p.tx_hash, p.block_number, NULL
    FROM pending_deposits p
  UNION ALL
  SELECT NULL, 'held', h.asset_id, h.amount, h.from_address, h.to_wallet, h.tx_hash, h.block_number, NULL
    FROM held_logs h WHERE h.to_wallet IS NOT NULL`;

async function read(db: Queryable, condition: string, values: readonly unknown[], limit = 50): Promise<FoundDeposit[]> {
  const rows = await db.query<Omit<FoundDeposit, 'username'>>(
    `SELECT d.payment_id AS "paymentId", d.state, s.blockchain, d.amount, d.from_address AS "fromAddress",
            w.address AS "toAddress", d.wallet_id AS "walletId", w.user_id AS "userId",
            d.tx_hash AS "txHash", d.block_number AS "blockNumber", d.credited_at AS "creditedAt"
       FROM (${ALL}) d JOIN assets USING (asset_id) JOIN networks s USING (network_id)
       JOIN wallets w ON w.wallet_id = d.wallet_id
      WHERE ${condition} ORDER BY d.credited_at DESC NULLS FIRST, d.block_number DESC LIMIT ${limit}`,
    values,
  );
  const names = await listUsernames(
    db,
    rows.flatMap(({ userId }) => userId ?? []),
  );
  return rows.map((row) => ({ ...row, username: names.get(row.userId ?? '') ?? null }));
}

/** For operators: finds deposits by the hash of the chain transaction, as `readHash` returns it. */
export const findDepositsByHash = (db: Queryable, txHash: string): Promise<FoundDeposit[]> =>
  read(db, 'd.tx_hash = $1', [txHash]);

/** Finds deposits by the ids of their payments. */
export const findDepositsById = (db: Queryable, paymentIds: readonly string[]): Promise<FoundDeposit[]> =>
  read(db, 'd.payment_id = ANY ($1)', [paymentIds], paymentIds.length);

interface Uncredited {
  readonly userId?: string | undefined;
  readonly state?: 'pending' | 'held' | undefined;
  readonly blockchain?: string | undefined;
  readonly address?: string | undefined;
  readonly minAmount?: bigint | undefined;
  readonly maxAmount?: bigint | undefined;
}

/** The deposits that are not credited yet. They are few. */
export const listUncredited = (db: Queryable, asked: Uncredited): Promise<FoundDeposit[]> =>
  read(
    db,
    `d.payment_id IS NULL AND ($1::uuid IS NULL OR w.user_id = $1) AND ($2::text IS NULL OR d.state = $2)
       AND ($3::text IS NULL OR s.blockchain = $3)
       AND ($4::text IS NULL OR CASE WHEN $4 LIKE '0x%' THEN lower(d.from_address) ELSE d.from_address END = $4)
       AND d.amount BETWEEN coalesce($5::bigint, 0) AND coalesce($6::bigint, d.amount)`,
    [
      asked.userId ?? null,
      asked.state ?? null,
      asked.blockchain ?? null,
      asked.address === undefined ? null : addressKey(asked.address),
      asked.minAmount ?? null,
      asked.maxAmount ?? null,
    ],
    1000,
  );

/**
 * Finds the newest deposits to this wallet of ours, or from this address, on any blockchain. Senders have no index: this
 * reads the deposits once, and joins only those that are found.
 */
export async function findDepositsOfAddress(db: Queryable, text: string): Promise<FoundDeposit[]> {
  const isEvm = isEvmAddress(text);
  const forms = isEvm ? [text.toLowerCase()] : [readAddressOf('solana', text), readAddressOf('aptos', text)];
  if (forms.every((form) => form === undefined)) return [];
  const ours = await findAddress(db, text);
  const sender = isEvm ? 'lower(d.from_address)' : 'd.from_address';
  return read(db, `(d.wallet_id = $1 OR ${sender} = ANY ($2))`, [ours?.walletId ?? null, forms]);
}

/** How far the watcher of a blockchain has read. */
interface WatchedTo {
  readonly blockchain: string;
  readonly blockNumber: bigint;
  readonly headNumber: bigint;
  readonly movedAt: Date;
}

export const listWatchers = (db: Queryable): Promise<WatchedTo[]> =>
  db.query<WatchedTo>(
    `SELECT n.blockchain, c.block_number AS "blockNumber", c.head_number AS "headNumber", c.moved_at AS "movedAt"
       FROM chain_cursors c JOIN networks n USING (network_id) ORDER BY n.blockchain`,
  );
