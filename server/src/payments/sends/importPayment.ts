import { createHash } from 'node:crypto';
import { shapeUuid } from '../../core/ids.ts';
import type { UnexplainedMove } from '../../custody/watch/unexplainedMoves.ts';
import type { Tx } from '../../db/database.ts';
import { refuseOutcome } from '../../ledger/moveMoney.ts';
import { endId } from './finishPayment.ts';

/** The id under which a person imports a move whose own id is lost. */
export const importedId = ({ txHash, logIndex }: UnexplainedMove): string =>
  shapeUuid(createHash('sha256').update(`${txHash}:${logIndex}`).digest());

/**
 * Writes down a payment that the chain has made and this database forgot: held, paid and COMPLETE in one go. A client
 * that repeats its key brings the payment's own id; otherwise a person imports it under one made from its place.
 * Answers the payment that accounts for it, which is another one when it was imported before.
 */
export async function importPayment(tx: Tx, paymentId: string, move: UnexplainedMove): Promise<string> {
  const { assetId, txHash, logIndex } = move;
  const [row] = await tx.query<{ outcome: string; details: Record<string, string> | null; payment_id: string }>(
    'SELECT outcome, details, payment_id FROM import_payment($1, $2, $3, $4, $5)',
    [paymentId, endId('post', paymentId), assetId, txHash, logIndex],
  );
  const { outcome, details, payment_id: importedAs } = row!;
  refuseOutcome(outcome, details);
  if (outcome !== 'applied') throw new Error(`payment ${paymentId}: ${outcome}`);
  return importedAs;
}
