import { createHash } from 'node:crypto';
import { shapeUuid } from '../../core/ids.ts';
import type { Usdc } from '../../core/money.ts';
import type { Tx } from '../../db/database.ts';
import { openHouseAccount, openUserAccount } from '../../ledger/accounts.ts';
import { moveMany } from '../../ledger/moveMany.ts';
import { isDeposit, type SeenTransfer } from '../watch/matchLogs.ts';

/** The account that a wallet's coins belong to. */
export async function readWalletAccounts(
  tx: Tx,
  assetId: number,
  walletIds: readonly string[],
): Promise<Map<string, bigint>> {
  const wallets = await tx.query<{ wallet_id: string; user_id: string | null }>(
    'SELECT wallet_id, user_id FROM wallets WHERE wallet_id = ANY ($1)',
    [[...new Set(walletIds)]],
  );
  const accounts = new Map<string, bigint>();
  for (const { wallet_id: walletId, user_id: userId } of wallets) {
    const account = userId
      ? await openUserAccount(tx, assetId, userId)
      : await openHouseAccount(tx, assetId, 'treasury');
    accounts.set(walletId, account);
  }
  return accounts;
}

/** The same coins always get the same id: after a reorg moved them to another block, and in a restored database. */
export function depositId({ log, ordinal }: Pick<SeenTransfer, 'log' | 'ordinal'>): string {
  const words = `deposit:${log.token}:${log.txHash}:${log.to}:${ordinal}`;
  return shapeUuid(createHash('sha256').update(words).digest());
}

/** Credits what came in, once, when it is final. Accounts are locked by the caller. */
export async function creditDeposits(
  tx: Tx,
  assetId: number,
  seen: readonly SeenTransfer[],
  accounts: ReadonlyMap<string, bigint>,
): Promise<void> {
  const deposits = seen.filter(isDeposit);
  if (deposits.length === 0) return;
  const chain = await openHouseAccount(tx, assetId, 'chain');
  await tx.query(
    `INSERT INTO deposits (asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash,
       transfer_id)
     SELECT $1, d.* FROM unnest($2::text[], $3::uuid[], $4::int[], $5::text[], $6::bigint[], $7::bigint[], $8::text[],
       $9::uuid[]) AS d
     ON CONFLICT (asset_id, tx_hash, wallet_id, ordinal) DO UPDATE
       SET state = 'credited', block_number = excluded.block_number, block_hash = excluded.block_hash`,
    [
      assetId,
      deposits.map(({ log }) => log.txHash),
      deposits.map(({ toWallet }) => toWallet),
      deposits.map(({ ordinal }) => ordinal),
      deposits.map(({ log }) => log.from),
      deposits.map(({ log }) => log.amount),
      deposits.map(({ log }) => log.blockNumber),
      deposits.map(({ log }) => log.blockHash),
      deposits.map((one) => depositId(one)),
    ],
  );
  // One that a reorg took back and brought again has its id already: the ledger moves nothing for it.
  await moveMany(
    tx,
    'deposit',
    deposits.map((one) => ({
      transferId: depositId(one),
      debitAccount: chain,
      creditAccount: accounts.get(one.toWallet!)!,
      amount: one.log.amount as Usdc,
      fromAddress: one.log.from,
    })),
  );
}

/** What is on its way in, for people to see; replaced at every look, so a reorg leaves no trace. */
export async function showPending(tx: Tx, assetId: number, seen: readonly SeenTransfer[]): Promise<void> {
  const pending = seen.filter(isDeposit);
  await tx.query('DELETE FROM pending_deposits WHERE asset_id = $1', [assetId]);
  if (pending.length === 0) return;
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
