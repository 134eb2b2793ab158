import { createHash } from 'node:crypto';
import { shapeUuid } from '../../core/ids.ts';
import type { UnexplainedMove } from '../../custody/watch/unexplainedMoves.ts';
import type { Tx } from '../../db/database.ts';
import { endId } from './finishPayment.ts';

/**
 * The id under which a person imports a move whose own id is lost. The same chain transaction can happen on two chains. A
 * provider that alone reads the chain tells under which key it was asked: of a send of ours, that is the payment's id.
 */
export const importedId = ({ assetId, txHash, logIndex, providerKey }: UnexplainedMove): string =>
  providerKey ?? shapeUuid(createHash('sha256').update(`import:${assetId}:${txHash}:${logIndex}`).digest());

interface Imported {
  /** The payment that accounts for it; another one than `paymentId` when it was imported before. */
  readonly importedAs: string;
  /** What its sender had too little, and owes the house now. */
  readonly owes: bigint;
}

/**
 * Writes down a payment that the chain has made and this database forgot: held, paid and COMPLETE in one go, whatever its
 * sender may and has. If it went to a wallet of ours, its owner is credited. A client that repeats its key brings the
 * payment's own id; otherwise a person imports it under one made from its place. Undefined: it went to somebody who has
 * just registered again and whose wallet is still being read; or it was a settlement, and counts when they have.
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
