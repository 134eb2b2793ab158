import { smaller } from '../../core/bigints.ts';
import type { Tx } from '../../db/database.ts';
import { pauseSends } from '../../operators/pauses.ts';
import { toBytes } from '../eip3009/authorizations.ts';
import type { Network } from '../network.ts';
import { isStrange, type Matched, type Move } from '../watch/matchLogs.ts';
import { lockHoldings } from './holdings.ts';

/**
 * Follows final transfers in `holdings`: what was used is used, its reservation ends, coins are where the chain says.
 * Runs last in its database transaction: wallets are locked after payments and accounts.
 */
export async function moveCoins(tx: Tx, { chain }: Network, assetId: number, { moves }: Matched): Promise<void> {
  const changes = new Map<string, bigint>();
  const change = (walletId: string | undefined, by: bigint) => {
    if (walletId !== undefined) changes.set(walletId, (changes.get(walletId) ?? 0n) + by);
  };
  for (const { log, fromWallet, toWallet } of moves) {
    change(fromWallet, -log.amount);
    change(toWallet, log.amount);
  }
  if (changes.size === 0) return;
  await lockHoldings(tx, assetId, [...changes.keys()]);
  await endUsed(tx, moves);
  await changeCoins(tx, assetId, changes);
  await passFunding(tx, moves);
  await recordStrange(tx, chain.blockchain, assetId, moves.filter(isStrange));
}

/** The wallets are locked. Promises that cannot be kept any more give way. */
export async function changeCoins(tx: Tx, assetId: number, changes: ReadonlyMap<string, bigint>): Promise<void> {
  for (const [walletId, by] of changes) {
    if (by < 0n) await shrinkReservations(tx, assetId, walletId, -by);
    // Never below nothing: had the watcher begun after coins arrived, reconciliation says so, and the cursor moves on.
    await tx.query(
      'UPDATE holdings SET coins = greatest(coins + $3, reserved) WHERE asset_id = $1 AND wallet_id = $2',
      [assetId, walletId, by],
    );
  }
}

async function endUsed(tx: Tx, moves: readonly Move[]): Promise<void> {
  const used = moves.flatMap(({ authorization, log }) => (authorization ? [{ authorization, log }] : []));
  if (used.length === 0) return;
  await tx.query(
    `UPDATE authorizations a SET state = 'used', reserved = 0, tx_hash = u.tx_hash, block_number = u.block_number
       FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS u(id, tx_hash, block_number)
      WHERE a.authorization_id = u.id AND a.state = 'open'`,
    [
      used.map(({ authorization }) => authorization.authorizationId),
      used.map(({ log }) => log.txHash),
      used.map(({ log }) => log.blockNumber),
    ],
  );
  await tx.query(
    `UPDATE settlements s SET completed_at = date_trunc('milliseconds', clock_timestamp())
      WHERE settlement_id = ANY ($1) AND completed_at IS NULL AND NOT EXISTS (
        SELECT FROM authorizations a WHERE a.settlement_id = s.settlement_id AND a.state = 'open')`,
    [[...new Set(used.map(({ authorization }) => authorization.settlementId).filter((id) => id !== null))]],
  );
}

/**
 * Coins that left without our knowing leave promises that cannot be kept now. The newest give way; they are topped up
 * again before they are signed, and what was signed already fails harmlessly until then.
 */
async function shrinkReservations(tx: Tx, assetId: number, walletId: string, leaving: bigint): Promise<void> {
  const [holding] = await tx.query<{ lacking: bigint }>(
    'SELECT reserved - (coins - $3) AS lacking FROM holdings WHERE asset_id = $1 AND wallet_id = $2',
    [assetId, walletId, leaving],
  );
  let lacking = holding?.lacking ?? 0n;
  if (lacking <= 0n) return;
  const open = await tx.query<{ authorization_id: string; reserved: bigint }>(
    `SELECT authorization_id, reserved FROM authorizations
      WHERE asset_id = $1 AND wallet_id = $2 AND state = 'open' AND reserved > 0 ORDER BY created_at DESC`,
    [assetId, walletId],
  );
  for (const one of open) {
    if (lacking <= 0n) return;
    const cut = smaller(one.reserved, lacking);
    await tx.query('UPDATE authorizations SET reserved = reserved - $2 WHERE authorization_id = $1', [
      one.authorization_id,
      cut,
    ]);
    lacking -= cut;
  }
}

/** Coins that were settled for a send have arrived in its wallet: from now on they are reserved there. */
async function passFunding(tx: Tx, moves: readonly Move[]): Promise<void> {
  for (const { authorization } of moves) {
    if (!authorization?.funds || authorization.state !== 'open') continue;
    await tx.query(
      `UPDATE authorizations SET reserved = least(value, reserved + $2)
        WHERE authorization_id = $1 AND state = 'open'`,
      [authorization.funds, authorization.value],
    );
  }
}

async function recordStrange(tx: Tx, blockchain: string, assetId: number, moves: readonly Move[]): Promise<void> {
  for (const { log, fromWallet, nonce } of moves) {
    await tx.query(
      `INSERT INTO strange_moves (asset_id, tx_hash, log_index, wallet_id, nonce, to_address, amount, block_number)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
      [
        assetId,
        log.txHash,
        log.logIndex,
        fromWallet,
        nonce ? toBytes(nonce) : null,
        log.to,
        log.amount,
        log.blockNumber,
      ],
    );
    await pauseSends(
      tx,
      blockchain,
      'unexplained',
      `coins left wallet ${fromWallet} in ${log.txHash} and this database does not know why`,
    );
  }
}
