import type { Double } from '../double.ts';
import { isSameAddress } from '../keys.ts';
import type { Transaction } from '../records.ts';
import type { Call } from './call.ts';
import { listPage } from './listing.ts';
import { getId, Refusal } from './refusal.ts';
import { renderTransaction } from './renderRecords.ts';

export function getTransaction({ store }: Double, id: unknown): Transaction {
  const found = store.transactions.find(getId(id));
  if (!found) throw new Refusal(404, 156003, 'Cannot find target transaction in the system.');
  return found;
}

export const readTransaction = (double: Double, call: Call) => ({
  transaction: renderTransaction(getTransaction(double, call.ids[0])),
});

/** By what the SDK can ask for. There is no filter by `refId`. */
export function listTransactions({ store }: Double, call: Call) {
  const { query } = call;
  const exact = (
    [
      ['blockchain', 'blockchain'],
      ['operation', 'operation'],
      ['state', 'state'],
      ['txHash', 'txHash'],
      ['txType', 'transactionType'],
    ] as const
  ).filter(([name]) => query.get(name) !== null);
  const [wallets, destination] = [query.get('walletIds')?.split(','), query.get('destinationAddress')];
  const found = store.transactions
    .list()
    .filter((one) => exact.every(([name, field]) => one[field] === query.get(name)))
    .filter((one) => wallets === undefined || wallets.includes(one.walletId))
    .filter((one) => destination === null || isSameAddress(one.destinationAddress, destination));
  return { transactions: listPage(found, call).map(renderTransaction) };
}
