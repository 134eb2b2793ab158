import { createHash } from 'node:crypto';
import { shapeUuid } from '../../core/ids.ts';
import { completeSettlements } from '../../custody/coins/moves.ts';
import { assetIdsOf, type Network } from '../../custody/network.ts';
import type { CustodyApp } from '../../custody/rail.ts';
import { lockCursor } from '../../custody/watch/cursor.ts';
import type { UnexplainedMove } from '../../custody/watch/unexplainedMoves.ts';
import type { Tx } from '../../db/database.ts';
import { endId } from '../sends/finishPayment.ts';
import { logStates } from '../state.ts';

/**
 * The id under which an operator imports a move whose own id is lost. The same chain transaction can happen on two
 * chains. A provider that alone reads the chain reports the key of the request: for a send of ours, that is the
 * payment's id.
 */
export const importedId = ({ assetId, txHash, logIndex, providerKey }: UnexplainedMove): string =>
  providerKey ?? shapeUuid(createHash('sha256').update(`import:${assetId}:${txHash}:${logIndex}`).digest());

interface Imported {
  /** The payment that accounts for it; not `paymentId` if it was imported before. */
  readonly importedAs: string;
  /** The amount that its sender lacked and now owes the service. */
  readonly owes: bigint;
}

/**
 * Records a payment that the chain has made and this database has lost: held, paid and COMPLETE in one commit, whatever
 * the sender's rights and balance. If it went to a wallet of ours, its owner is credited. A client that repeats its key
 * supplies the payment's own id; otherwise an operator imports it under an id derived from its position on the chain.
 * Undefined: it went to someone who has just registered again and whose wallet is still being read; or it was a
 * settlement, which counts when that person has registered.
 */
export async function importPayment(tx: Tx, paymentId: string, move: UnexplainedMove): Promise<Imported | undefined> {
  const { assetId, txHash, logIndex } = move;
  const [row] = await tx.query<{ outcome: string; details: { owes: string } | null; payment_id: string }>(
    'SELECT outcome, details, payment_id FROM import_payment($1, $2, $3, $4, $5)',
    [paymentId, endId('post', paymentId), assetId, txHash, logIndex],
  );
  const { outcome, details, payment_id: importedAs } = row!;
  if (outcome === 'settlement' || outcome === 'waits') return undefined;
  if (outcome !== 'applied') throw new Error(`payment ${paymentId}: ${outcome}`);
  return { importedAs, owes: BigInt(details?.owes ?? 0) };
}

/**
 * Claims open moves that the chain made before this database was restored, and whose coins were counted while their
 * origin was unknown: `claim_unexplained` decides about each. Otherwise the client's repeated payment would wait
 * forever for a transfer that has already been applied.
 */
export async function claimMoves(app: Pick<CustodyApp, 'db'>, network: Network): Promise<void> {
  const claims = await app.db.query<{ move_id: string }>(
    `SELECT m.move_id FROM coin_moves m JOIN unexplained_moves u USING (asset_id, wallet_id, amount)
       LEFT JOIN provider_transfers p ON p.move_id = m.move_id AND p.tx_hash = u.tx_hash
       LEFT JOIN authorizations a ON a.move_id = m.move_id
       LEFT JOIN forgotten_nonces f ON f.nonce = a.nonce AND f.asset_id = u.asset_id AND f.tx_hash = u.tx_hash
      WHERE m.asset_id = ANY ($1) AND m.state = 'open' AND coalesce(p.tx_hash, f.tx_hash) IS NOT NULL
      ORDER BY m.created_at, m.move_id`,
    [assetIdsOf(network)],
  );
  for (const { move_id: moveId } of claims) {
    await app.db.tx(async (tx) => {
      await lockCursor(tx, network.networkId);
      await tx.query('SELECT claim_unexplained($1)', [moveId]);
      const [move] = await tx.query<{ settlement_id: string | null }>(
        `SELECT settlement_id FROM coin_moves WHERE move_id = $1 AND state = 'done'`,
        [moveId],
      );
      await completeSettlements(tx, [move?.settlement_id ?? null]);
      await logStates(tx);
    });
  }
}
