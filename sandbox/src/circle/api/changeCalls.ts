import { replaceTransaction } from '../broadcast.ts';
import { type Double, saveTransaction } from '../double.ts';
import type { State, Transaction } from '../records.ts';
import type { Call } from './call.ts';
import { getTransaction } from './readTransactions.ts';
import { Refusal } from './refusal.ts';

const BEFORE_BROADCAST: readonly State[] = ['INITIATED', 'CLEARED', 'QUEUED'];
const IN_POOL: readonly State[] = ['SENT', 'STUCK'];

/** Sends the same transaction with a higher fee, as a replacement. */
export async function accelerate(double: Double, call: Call) {
  const transaction = getOutbound(double, call);
  if (!IN_POOL.includes(transaction.state)) throw refuseState(transaction);
  await replaceTransaction(double, transaction, false);
  return { id: transaction.id };
}

/**
 * Before the broadcast, the transaction is simply not sent. Afterwards, another chain transaction that moves nothing
 * tries to replace it; the next states show which of the two got into a block.
 */
export async function cancel(double: Double, call: Call) {
  const transaction = getOutbound(double, call);
  if (double.switches.refuse_cancel) throw refuseState(transaction);
  if (BEFORE_BROADCAST.includes(transaction.state) && transaction.work!.versions.length === 0) {
    const { id, state } = saveTransaction(double, transaction, { state: 'CANCELLED' });
    return { id, state };
  }
  if (!IN_POOL.includes(transaction.state)) throw refuseState(transaction);
  await replaceTransaction(double, transaction, true);
  return { id: transaction.id, state: transaction.state };
}

/** A transaction without its own chain transaction cannot be replaced: incoming ones, and those off the EVM. */
function getOutbound(double: Double, call: Call): Transaction {
  const transaction = getTransaction(double, call.ids[0]);
  if (!transaction.work) throw refuseState(transaction);
  const isReplaceable = transaction.work.call && !transaction.userOpHash;
  if (IN_POOL.includes(transaction.state) && !isReplaceable) throw refuseState(transaction);
  return transaction;
}

const refuseState = ({ state }: Transaction): Refusal =>
  new Refusal(400, 155229, `a transaction in the state ${state} can no longer be changed`);
