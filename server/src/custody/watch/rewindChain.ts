import { createHash } from 'node:crypto';
import { shapeUuid } from '../../core/ids.ts';
import { formatUsdc, type Usdc } from '../../core/money.ts';
import type { Tx } from '../../db/database.ts';
import { openHouseAccount } from '../../ledger/accounts.ts';
import { transfer } from '../../ledger/moveMoney.ts';
import { pauseSends } from '../../operators/pauses.ts';
import { lockHoldings } from '../coins/holdings.ts';
import { changeCoins } from '../coins/moveCoins.ts';
import { rewriteSlots } from '../eip3009/replaceCarried.ts';
import { assetIdsOf, type CustodyApp, getAsset, type Network } from '../network.ts';

/**
 * A block that was final has been replaced. Goes back to the last block of ours that the chain still has, takes back
 * what custody counted since, and lets it be read again. The ledger stays: what was credited and what is COMPLETE keep
 * their ids, so reading them again moves nothing; an authorization that vanished is open again and is carried again.
 * Answers whether there is something to read at once.
 */
export async function rewindChain(app: CustodyApp, network: Network): Promise<boolean> {
  const ancestor = await findAncestor(app, network);
  if (!ancestor) {
    const reason = 'the chain has been replaced further back than we can follow';
    await pauseSends(app.db, network.chain.blockchain, 'reorg', reason);
    return false;
  }
  return app.db.tx(async (tx) => {
    const [cursor] = await tx.query<{ block_number: bigint }>(
      'SELECT block_number FROM chain_cursors WHERE network_id = $1 AND block_number > $2 FOR NO KEY UPDATE',
      [network.networkId, ancestor.number],
    );
    if (!cursor) return false;
    for (const { assetId } of network.assets) {
      await changeCoins(tx, assetId, await takeBack(tx, assetId, ancestor.number));
    }
    // Their slots are empty again, and have to be filled before any later one: by the same bytes, unless they would
    // cancel what was paid.
    await tx.query(
      `UPDATE carriers c SET state = 'pending', block_number = NULL FROM relayers r
        WHERE r.relayer_id = c.relayer_id AND r.network_id = $1 AND c.state = 'final' AND c.block_number > $2`,
      [network.networkId, ancestor.number],
    );
    await rewriteSlots(tx, network);
    await tx.query('DELETE FROM chain_blocks WHERE network_id = $1 AND block_number > $2', [
      network.networkId,
      ancestor.number,
    ]);
    await tx.query(
      `UPDATE chain_cursors SET block_number = $2, block_hash = $3, block_seconds = $4,
              recheck_to = greatest(recheck_to, $5) WHERE network_id = $1`,
      [network.networkId, ancestor.number, ancestor.hash, ancestor.timeSeconds, cursor.block_number],
    );
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

/** What every wallet's coins change by when all that was counted after `after` is not counted. */
async function takeBack(tx: Tx, assetId: number, after: bigint): Promise<Map<string, bigint>> {
  const rows = await tx.query<{ wallet_id: string; change: bigint }>(
    `WITH moved AS (
       SELECT wallet_id, value AS change FROM authorizations
        WHERE asset_id = $1 AND state = 'used' AND block_number > $2
       UNION ALL
       SELECT to_wallet, -value FROM authorizations
        WHERE asset_id = $1 AND state = 'used' AND block_number > $2 AND purpose = 'settlement'
       UNION ALL
       SELECT wallet_id, -amount FROM deposits WHERE asset_id = $1 AND state = 'credited' AND block_number > $2
       UNION ALL
       SELECT wallet_id, amount FROM strange_moves WHERE asset_id = $1 AND nonce IS NULL AND block_number > $2
     ) SELECT wallet_id, sum(change)::bigint AS change FROM moved GROUP BY wallet_id ORDER BY wallet_id`,
    [assetId, after],
  );
  await lockHoldings(
    tx,
    assetId,
    rows.map((row) => row.wallet_id),
  );
  // Paid is paid: a cancellation that came too late is not taken up again.
  await tx.query(
    `UPDATE authorizations SET state = 'open', tx_hash = NULL, block_number = NULL, failures = 0, carry_after = now(),
            cancel_wanted_at = NULL
      WHERE asset_id = $1 AND state = 'used' AND block_number > $2`,
    [assetId, after],
  );
  await tx.query(
    `UPDATE deposits SET state = 'gone' WHERE asset_id = $1 AND state = 'credited' AND block_number > $2`,
    [assetId, after],
  );
  await tx.query('DELETE FROM strange_moves WHERE asset_id = $1 AND nonce IS NULL AND block_number > $2', [
    assetId,
    after,
  ]);
  await tx.query('DELETE FROM forgotten_cancellations WHERE asset_id = $1 AND block_number > $2', [assetId, after]);
  return new Map(rows.map((row) => [row.wallet_id, row.change]));
}

/** Everything is read again: deposits that did not come back are the house's loss, and a person is told. */
export async function bearLosses(tx: Tx, network: Network): Promise<void> {
  const [done] = await tx.query(
    `UPDATE chain_cursors SET recheck_to = NULL WHERE network_id = $1 AND block_number >= recheck_to RETURNING 1`,
    [network.networkId],
  );
  if (!done) return;
  const lost = await tx.query<{ asset_id: number; transfer_id: string; amount: bigint; tx_hash: string }>(
    `UPDATE deposits SET state = 'lost' WHERE asset_id = ANY ($1) AND state = 'gone'
     RETURNING asset_id, transfer_id, amount, tx_hash`,
    [assetIdsOf(network)],
  );
  for (const { asset_id: assetId, transfer_id: id, amount, tx_hash: txHash } of lost) {
    await transfer(tx, 'internal', {
      transferId: shapeUuid(createHash('sha256').update(`loss:${id}`).digest()),
      debitAccount: await openHouseAccount(tx, assetId, 'loss'),
      creditAccount: await openHouseAccount(tx, assetId, 'chain'),
      amount: amount as Usdc,
    });
    const { blockchain } = network.chain;
    const coins = `${formatUsdc(amount)} ${getAsset(network, assetId).symbol}`;
    const reason = `a credited deposit of ${coins} vanished from ${blockchain} (${txHash})`;
    await pauseSends(tx, blockchain, 'unexplained', reason);
  }
}
