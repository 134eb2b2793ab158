import { createHash } from 'node:crypto';
import { shapeUuid } from '../../core/ids.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { openHouseAccount, openUserAccounts } from '../../ledger/accounts.ts';
import type { NetworkAsset } from '../network.ts';
import { isDeposit, type SeenTransfer } from '../watch/matchLogs.ts';

/** Returns the accounts that the wallets' coins belong to, and opens missing accounts. */
export async function readWalletAccounts(
  db: Queryable,
  assetId: number,
  walletIds: readonly string[],
): Promise<Map<string, bigint>> {
  if (walletIds.length === 0) return new Map();
  const wallets = await db.query<{ wallet_id: string; user_id: string | null }>(
    'SELECT wallet_id, user_id FROM wallets WHERE wallet_id = ANY ($1)',
    [[...new Set(walletIds)]],
  );
  const people = await openUserAccounts(
    db,
    assetId,
    wallets.flatMap((wallet) => wallet.user_id ?? []),
  );
  const isOfHouse = wallets.some((wallet) => wallet.user_id === null);
  const treasury = isOfHouse ? await openHouseAccount(db, assetId, 'treasury') : undefined;
  return new Map(
    wallets.map(({ wallet_id: walletId, user_id: userId }) => [walletId, userId ? people.get(userId)! : treasury!]),
  );
}

interface DepositOrigin {
  readonly log: Pick<SeenTransfer['log'], 'token' | 'txHash' | 'to'>;
  readonly ordinal: number;
}

/**
 * The same coins always get the same id: after a reorg moved them to another block, and in a restored database. The id
 * includes the chain: the same transaction can happen on two chains, and the token can have the same address there.
 */
export function depositId({ domain }: NetworkAsset, { log, ordinal }: DepositOrigin): string {
  const words = `deposit:${domain.chainId}:${log.token}:${log.txHash}:${log.to}:${ordinal}`;
  return shapeUuid(createHash('sha256').update(words).digest());
}

/** Credits final deposits, once. The caller opens and locks the accounts. */
export async function creditDeposits(tx: Tx, asset: NetworkAsset, seen: readonly SeenTransfer[]): Promise<void> {
  const deposits = seen.filter(isDeposit);
  if (deposits.length === 0) return;
  const { assetId } = asset;
  const keys = [
    assetId,
    deposits.map(({ log }) => log.txHash),
    deposits.map(({ toWallet }) => toWallet),
    deposits.map(({ ordinal }) => ordinal),
  ];
  // A deposit that a reorg removed and brought back already has an id, perhaps by the formula of an earlier release.
  // The ledger moves nothing for it.
  const known = await tx.query<{ n: number; transfer_id: string }>(
    `SELECT k.n::int, d.transfer_id
       FROM unnest($2::text[], $3::uuid[], $4::int[]) WITH ORDINALITY AS k(tx_hash, wallet_id, ordinal, n)
       JOIN deposits d USING (tx_hash, wallet_id, ordinal) WHERE d.asset_id = $1`,
    keys,
  );
  const ids = deposits.map((one) => depositId(asset, one));
  for (const { n, transfer_id: id } of known) ids[n - 1] = id;
  await tx.query(
    `INSERT INTO deposits (asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash,
       log_index, transfer_id)
     SELECT $1, d.* FROM unnest($2::text[], $3::uuid[], $4::int[], $5::text[], $6::bigint[], $7::bigint[], $8::text[],
       $9::int[], $10::uuid[]) AS d
     ON CONFLICT (asset_id, tx_hash, wallet_id, ordinal) DO UPDATE
       SET state = 'credited', block_number = excluded.block_number, block_hash = excluded.block_hash,
           log_index = excluded.log_index`,
    [
      ...keys,
      deposits.map(({ log }) => log.from),
      deposits.map(({ log }) => log.amount),
      deposits.map(({ log }) => log.blockNumber),
      deposits.map(({ log }) => log.blockHash),
      deposits.map(({ log }) => log.logIndex),
      ids,
    ],
  );
  const [credited] = await tx.query<{ ids: string[] }>('SELECT credit_deposits($1, $2) AS ids', [assetId, ids]);
  const before = new Set(known.map(({ n }) => n - 1));
  for (const [i, { log }] of deposits.entries())
    if (!before.has(i))
      tx.afterCommit(credited!.ids[i]!, {
        payment_id: credited!.ids[i]!,
        state: 'COMPLETE',
        kind: 'deposit',
        tx_hash: log.txHash,
      });
}

/** Rows per statement. A block may have many deposits. */
const PENDING_AT_ONCE = 5_000;

/** Shows incoming coins that are not final yet. Rows of `blocks` stay; all other rows are replaced by `seen`. */
export async function showPending(
  tx: Tx,
  assetId: number,
  blocks: readonly string[],
  seen: readonly SeenTransfer[],
): Promise<void> {
  await tx.query('DELETE FROM pending_deposits WHERE asset_id = $1 AND block_hash <> ALL ($2)', [assetId, blocks]);
  const all = seen.filter(isDeposit);
  for (let at = 0; at < all.length; at += PENDING_AT_ONCE) {
    const pending = all.slice(at, at + PENDING_AT_ONCE);
    await tx.query(
      `INSERT INTO pending_deposits (asset_id, block_hash, log_index, wallet_id, tx_hash, from_address, amount, block_number)
       SELECT $1, p.* FROM unnest($2::text[], $3::int[], $4::uuid[], $5::text[], $6::text[], $7::bigint[], $8::bigint[]) AS p
       ON CONFLICT DO NOTHING`,
      [
        assetId,
        pending.map(({ log }) => log.blockHash),
        pending.map(({ log }) => log.logIndex),
        pending.map(({ toWallet }) => toWallet),
        pending.map(({ log }) => log.txHash),
        pending.map(({ log }) => log.from),
        pending.map(({ log }) => log.amount),
        pending.map(({ log }) => log.blockNumber),
      ],
    );
  }
}
