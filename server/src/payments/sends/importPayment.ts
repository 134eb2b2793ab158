import { createHash } from 'node:crypto';
import { shapeUuid } from '../../core/ids.ts';
import type { Usdc } from '../../core/money.ts';
import { readWalletAccounts } from '../../custody/coins/creditDeposits.ts';
import { accountFor } from '../../custody/restoredMoves.ts';
import type { UnexplainedMove } from '../../custody/watch/unexplainedMoves.ts';
import type { Tx } from '../../db/database.ts';
import { openHouseAccount } from '../../ledger/accounts.ts';
import { hold } from '../../ledger/moveMoney.ts';
import { completePayments, lockPayments } from './finishPayment.ts';

/** The id under which a person imports a move whose own id nobody remembers. */
export const importedId = ({ txHash, logIndex }: UnexplainedMove): string =>
  shapeUuid(createHash('sha256').update(`${txHash}:${logIndex}`).digest());

/**
 * Writes down a payment that the chain has made and this database forgot: held, paid and COMPLETE in one go. A client
 * that repeats its key brings the payment's own id; otherwise a person imports it under one made from its place.
 */
export async function importPayment(tx: Tx, paymentId: string, move: UnexplainedMove): Promise<void> {
  const { assetId, walletId, txHash } = move;
  const account = (await readWalletAccounts(tx, assetId, [walletId])).get(walletId)!;
  const chain = await openHouseAccount(tx, assetId, 'chain');
  await hold(tx, {
    transferId: paymentId,
    debitAccount: account,
    creditAccount: chain,
    amount: move.amount as Usdc,
  });
  await tx.query(
    `INSERT INTO payments (payment_id, state, destination, tx_hash, wallet_id, sender_shown)
     VALUES ($1, 'CONFIRMED', $2, $3, $4, 'wallet')`,
    [paymentId, move.toAddress, txHash, walletId],
  );
  await accountFor(tx, move, paymentId);
  const holds = await lockPayments(tx, [paymentId]);
  await completePayments(tx, holds, [{ paymentId, txHash, networkFee: undefined }]);
}
