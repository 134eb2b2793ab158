import type { Hex } from '../../core/ports.ts';
import type { Tx } from '../../db/database.ts';
import { assetIdsOf, type Network } from '../network.ts';
import type { CustodyApp, DeadMove } from '../rail.ts';
import { recordProviderState } from './transfers.ts';

interface Ended {
  readonly move_id: string;
  readonly provider_id: string | null;
  readonly provider_state: 'failed' | 'cancelled';
  readonly tx_hash: Hex | null;
  readonly error: string | null;
  readonly block_number: bigint;
}

/**
 * Finds moves that the provider reports as ended without a transfer, while final blocks up to the head of that moment
 * have none either. The provider is asked once more, and its current answer counts. PostgreSQL enforces the same proof.
 */
export async function findDead(app: CustodyApp, network: Network): Promise<DeadMove[]> {
  const ended = await app.db.query<Ended>(
    `SELECT p.move_id, p.provider_id, p.provider_state, p.tx_hash, p.error, c.block_number
       FROM coin_moves m JOIN provider_transfers p USING (move_id) JOIN chain_cursors c ON c.network_id = $2
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND p.provider_state IN ('failed', 'cancelled')
        AND p.ended_head <= c.block_number AND NOT EXISTS (
          SELECT FROM held_logs h WHERE h.asset_id = m.asset_id AND h.from_wallet = m.wallet_id AND h.amount = m.amount
             AND lower(h.to_address) = lower(m.to_address))
      ORDER BY p.submitted_at LIMIT 50`,
    [assetIdsOf(network), network.networkId],
  );
  const dead: DeadMove[] = [];
  for (const one of ended) if (await isCertain(app, network, one)) dead.push(toDead(one));
  return dead;
}

async function isCertain(app: CustodyApp, network: Network, one: Ended): Promise<boolean> {
  if (one.provider_id !== null) {
    const answer = await app.signer.transfers.find(one.move_id);
    if (answer.outcome === 'unknown') return false;
    // If the provider no longer knows a transfer or its chain transaction, that does not revoke its earlier report: the
    // chain decides about the chain transaction that the provider named before.
    const isTakenBack =
      answer.outcome === 'accepted' &&
      (answer.state !== one.provider_state || (answer.txHash !== undefined && answer.txHash !== one.tx_hash));
    if (isTakenBack) {
      await recordProviderState(app, network, one.move_id, answer, true);
      return false;
    }
  }
  if (one.tx_hash === null) return true;
  // It was broadcast: it must have been mined without moving the coins, or be gone from every pool.
  const receipt = await network.chain.findReceipt(one.tx_hash);
  if (receipt) return receipt.blockNumber <= one.block_number;
  return (await network.chain.findChainTx(one.tx_hash)) === undefined;
}

const toDead = ({ move_id: moveId, provider_state: state, error }: Ended): DeadMove => ({
  moveId,
  reason:
    state === 'cancelled'
      ? 'cancelled by the provider of the wallet'
      : `the provider of the wallet could not send it${error ? `: ${error}` : ''}`,
  isCancelled: state === 'cancelled',
  isRefused: state === 'failed',
  async holds(tx: Tx) {
    const rows = await tx.query('SELECT FROM provider_transfers WHERE move_id = $1 AND provider_state = $2', [
      moveId,
      state,
    ]);
    return rows.length > 0;
  },
});
