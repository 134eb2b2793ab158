import { formatUsdc } from '../../core/money.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { pauseSends } from '../../operators/pauses.ts';
import { lockHoldings } from '../coins/holdings.ts';
import { changeCoins } from '../coins/moveCoins.ts';
import { assetIdsOf, getAsset, type Network } from '../network.ts';
import { type CustodyApp, distinctRails } from '../rail.ts';
import { lockCursor } from './cursor.ts';

/**
 * A block that was final has been replaced. Pauses sends, goes back to the last of our blocks that the chain still has,
 * reverses what custody counted since, and lets it be read again. The ledger stays as it is: credited deposits and
 * COMPLETE payments keep their ids, so reading them again moves nothing. A move that disappeared is open again and must
 * happen again. Returns whether there are blocks to read immediately.
 */
export async function rewindChain(app: CustodyApp, network: Network): Promise<boolean> {
  const pause = (reason: string) => pauseSends(app.db, network.chain.blockchain, 'reorg', reason);
  const replaced = 'a block that was final has been replaced';
  const ancestor = await findAncestor(app, network).catch(async (error: unknown) => {
    // Sends pause even if the nodes stop answering now.
    await pause(replaced);
    throw error;
  });
  await pause(ancestor ? replaced : 'the chain has been replaced further back than we can follow');
  if (!ancestor) return false;
  return app.db.tx(async (tx) => {
    const cursor = await lockCursor(tx, network.networkId);
    const reached = cursor?.part?.number ?? cursor?.number;
    if (reached === undefined || reached <= ancestor.number) return false;
    const moveIds: string[] = [];
    for (const { assetId } of network.assets) {
      const changes = await takeBack(tx, assetId, ancestor.number);
      moveIds.push(...(await reopenMoves(tx, assetId, ancestor.number)));
      await changeCoins(tx, assetId, changes);
    }
    for (const rail of distinctRails(app.rails)) await rail.reopen(tx, network, ancestor.number, moveIds);
    await tx.query('DELETE FROM chain_blocks WHERE network_id = $1 AND block_number > $2', [
      network.networkId,
      ancestor.number,
    ]);
    await tx.query(
      `UPDATE chain_cursors SET block_number = $2, block_hash = $3, block_seconds = $4, part_number = NULL,
              part_hash = NULL, part_log = NULL, recheck_to = greatest(recheck_to, $5), wallet_checks = wallet_checks + 1
        WHERE network_id = $1`,
      [network.networkId, ancestor.number, ancestor.hash, ancestor.timeSeconds, reached],
    );
    // The watcher reads the blocks after the cursor again.
    await tx.query('UPDATE wallet_rescans SET to_block = $2 WHERE asset_id = ANY ($1) AND to_block > $2', [
      assetIdsOf(network),
      ancestor.number,
    ]);
    return true;
  });
}

async function findAncestor(app: CustodyApp, network: Network) {
  const known = await app.db.query<{ block_number: bigint; block_hash: string }>(
    'SELECT block_number, block_hash FROM chain_blocks WHERE network_id = $1 ORDER BY block_number DESC',
    [network.networkId],
  );
  for (const { block_number: number, block_hash: hash } of known) {
    const block = await network.chain.findBlock(number);
    if (block?.hash === hash) return block;
  }
  return undefined;
}

/** Returns each wallet's change if everything that was counted after `after` is reversed. Locks the wallets. */
async function takeBack(tx: Tx, assetId: number, after: bigint): Promise<Map<string, bigint>> {
  const rows = await tx.query<{ wallet_id: string; change: bigint }>(
    `WITH moved AS (
       SELECT wallet_id, amount AS change FROM coin_moves
        WHERE asset_id = $1 AND state = 'done' AND block_number > $2
       UNION ALL
       SELECT to_wallet, -amount FROM coin_moves
        WHERE asset_id = $1 AND state = 'done' AND block_number > $2 AND purpose = 'settlement'
       UNION ALL
       SELECT wallet_id, -amount FROM deposits WHERE asset_id = $1 AND state = 'credited' AND block_number > $2
       UNION ALL
       SELECT wallet_id, amount FROM unexplained_moves u
        WHERE asset_id = $1 AND block_number > $2 AND log_index >= 0 AND ${NOT_RESTORED}
       UNION ALL
       -- Imported moves are in the deposits of the receiving wallet.
       SELECT to_wallet, -amount FROM unexplained_moves
        WHERE asset_id = $1 AND block_number > $2 AND to_wallet IS NOT NULL AND imported_as IS NULL
     ) SELECT wallet_id, sum(change)::bigint AS change FROM moved GROUP BY wallet_id ORDER BY wallet_id`,
    [assetId, after],
  );
  await lockHoldings(
    tx,
    assetId,
    rows.map((row) => row.wallet_id),
  );
  await tx.query(
    `UPDATE deposits SET state = 'gone' WHERE asset_id = $1 AND state = 'credited' AND block_number > $2`,
    [assetId, after],
  );
  await tx.query(
    'DELETE FROM unexplained_moves WHERE asset_id = $1 AND block_number > $2 AND imported_as IS NULL AND log_index >= 0',
    [assetId, after],
  );
  // An imported move stays imported: it has no log position now, and gets one when it comes back (`recordUnexplained`).
  await tx.query(
    `UPDATE unexplained_moves u SET log_index = -1 - log_index
      WHERE asset_id = $1 AND block_number > $2 AND log_index >= 0 AND ${NOT_RESTORED}`,
    [assetId, after],
  );
  // These were not counted yet.
  await tx.query('DELETE FROM held_logs WHERE asset_id = $1 AND block_number > $2', [assetId, after]);
  return new Map(rows.map((row) => [row.wallet_id, row.change]));
}

/** An imported move that got its coin move back is counted with the moves. */
const NOT_RESTORED = 'NOT EXISTS (SELECT FROM coin_moves m WHERE m.move_id = u.imported_as)';

/** A paid move stays paid: a cancellation that came too late is not resumed. */
async function reopenMoves(tx: Tx, assetId: number, after: bigint): Promise<string[]> {
  const rows = await tx.query<{ move_id: string }>(
    `UPDATE coin_moves SET state = 'open', tx_hash = NULL, block_number = NULL, cancel_wanted_at = NULL
      WHERE asset_id = $1 AND state = 'done' AND block_number > $2 RETURNING move_id`,
    [assetId, after],
  );
  const ids = rows.map((row) => row.move_id);
  const forgotten = await forgetExplained(tx, ids);
  return ids.filter((id) => !forgotten.has(id));
}

/**
 * Handles transfers on the chain that an operator has explained as a provider's settlements. This database requested
 * none of them from a provider, so no provider can make them again. If one comes back, it must be explained again.
 */
async function forgetExplained(tx: Tx, moveIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ move_id: string }>(
    `UPDATE coin_moves m SET state = 'dead' WHERE move_id = ANY ($1) AND rail = 'provider' AND purpose = 'settlement'
        AND NOT EXISTS (SELECT FROM provider_transfers p WHERE p.move_id = m.move_id) RETURNING move_id`,
    [moveIds],
  );
  const ids = rows.map((row) => row.move_id);
  if (ids.length > 0) await tx.query('DELETE FROM unexplained_moves WHERE imported_as = ANY ($1)', [ids]);
  return new Set(ids);
}

/** Losses per commit: a commit has a limited number of feed positions, and it locks the service's own accounts. */
const LOSSES_AT_ONCE = 500;

/**
 * All blocks have been read again. Deposits that did not come back are a loss of the service, and the operators are
 * notified. They are also notified of imported payments that did not come back: the coins are here and belong to no
 * one. Until all of them are booked, the network counts as being read again, so nothing is compared. Returns whether
 * there are more.
 */
export async function bearLosses(app: Pick<CustodyApp, 'db'>, network: Network): Promise<boolean> {
  const { networkId, chain } = network;
  const pause = (tx: Tx, reason: string) => pauseSends(tx, chain.blockchain, 'contradicted', reason);
  if (!(await isReadAgain(app.db, networkId))) return false;
  return app.db.tx(async (tx) => {
    await lockCursor(tx, networkId);
    if (!(await isReadAgain(tx, networkId))) return false;
    const lost = await tx.query<Lost>(
      `UPDATE deposits SET state = 'lost' WHERE asset_id = ANY ($1) AND state = 'gone' AND transfer_id IN
         (SELECT transfer_id FROM deposits WHERE asset_id = ANY ($1) AND state = 'gone' LIMIT $2)
       RETURNING asset_id, transfer_id, amount, tx_hash`,
      [assetIdsOf(network), LOSSES_AT_ONCE],
    );
    await bookLosses(tx, lost);
    const [first] = lost;
    if (first)
      await pause(
        tx,
        `a credited deposit of ${nameCoins(network, first)} vanished from ${chain.blockchain} (${first.tx_hash})`,
      );
    if (lost.length === LOSSES_AT_ONCE) return true;
    await tx.query('UPDATE chain_cursors SET recheck_to = NULL WHERE network_id = $1', [networkId]);
    const [vanished] = await tx.query<{ asset_id: number; imported_as: string; amount: bigint }>(
      'SELECT asset_id, imported_as, amount FROM unexplained_moves WHERE asset_id = ANY ($1) AND log_index < 0 LIMIT 1',
      [assetIdsOf(network)],
    );
    if (vanished)
      await pause(
        tx,
        `an imported payment of ${nameCoins(network, vanished)} vanished from ${chain.blockchain} (${vanished.imported_as})`,
      );
    return false;
  });
}

/** Whether the cursor has reached its position from before the chain was rewound, and that is not recorded yet. */
const isReadAgain = async (db: Queryable, networkId: number): Promise<boolean> =>
  (
    await db.query(
      'SELECT FROM chain_cursors WHERE network_id = $1 AND block_number >= recheck_to AND part_number IS NULL',
      [networkId],
    )
  ).length > 0;

interface Lost {
  readonly asset_id: number;
  readonly transfer_id: string;
  readonly amount: bigint;
  readonly tx_hash: string;
}

async function bookLosses(tx: Tx, lost: readonly Lost[]): Promise<void> {
  const assetIds = [...new Set(lost.map((one) => one.asset_id))];
  for (const assetId of assetIds) {
    const ofAsset = lost.filter((one) => one.asset_id === assetId);
    await tx.query('SELECT write_off_deposits($1, $2)', [assetId, ofAsset.map((one) => one.transfer_id)]);
  }
}

const nameCoins = (network: Network, one: { readonly asset_id: number; readonly amount: bigint }): string =>
  `${formatUsdc(one.amount)} ${getAsset(network, one.asset_id).symbol}`;
