import { createHash } from 'node:crypto';
import type { Double } from '../double.ts';
import { encodeBase58 } from '../keys.ts';
import type { Transaction } from '../records.ts';
import type { Call } from './call.ts';
import { listPage } from './listing.ts';
import { getId, Refusal } from './refusal.ts';
import { renderTransaction } from './renderRecords.ts';

export function getTransaction({ store, switches }: Double, id: unknown): Transaction {
  const found = store.transactions.find(getId(id));
  if (!found || switches.lost.includes(found.id))
    throw new Refusal(404, 156003, 'Cannot find target transaction in the system.');
  return found;
}

export const readTransaction = (double: Double, call: Call) => ({
  transaction: spell(double, hide(double, renderTransaction(getTransaction(double, call.ids[0])))),
});

type Shown = ReturnType<typeof renderTransaction>;

/** Hides the parts of incoming transactions that the switches withhold, in lists and by id. */
function hide({ switches }: Double, shown: Shown) {
  const { by_id: what, source } = switches.arrivals ?? {};
  if (shown.transactionType !== 'INBOUND') return shown;
  return {
    ...shown,
    ...(what && HIDDEN[what]),
    ...(source && { sourceAddress: source === 'none' ? '' : tokenAccountOf(shown) }),
  };
}

const HIDDEN = {
  CONFIRMED: { state: 'CONFIRMED' },
  SETTLING: { state: 'SETTLING' },
  no_token: { tokenId: '' },
  no_hash: { txHash: '' },
  no_destination: { destinationAddress: '' },
  no_amount: { amounts: [] },
} as const;

/** Has the form of an address and belongs to no wallet. */
function tokenAccountOf({ blockchain, sourceAddress }: Shown): string {
  const bytes = createHash('sha256').update(`tokens of ${sourceAddress}`).digest();
  return blockchain.startsWith('SOL') ? encodeBase58(bytes) : `0x${bytes.toString('hex')}`;
}

/** Circle's documentation uses both spellings. */
const spell = <Shown extends { readonly state: string }>({ switches }: Double, shown: Shown) =>
  shown.state === 'CANCELLED'
    ? { ...shown, state: switches.cancelled_word, ...(switches.hide_cancelled_hash && { txHash: '' }) }
    : shown;

/** Circle writes 0x addresses in lower case. It does not document that its filter accepts another case. */
const written = (address: string): string => (address.startsWith('0x') ? address.toLowerCase() : address);

/** The filters that the SDK offers. There is no filter by `refId`. */
export function listTransactions(double: Double, call: Call) {
  const { store, switches } = double;
  const { query } = call;
  const newest = Date.now() - switches.list_lag_ms;
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
    .filter(({ id }) => !switches.lost.includes(id))
    .filter(({ createDate }) => switches.list_lag_ms === 0 || Date.parse(createDate) < newest)
    .filter((one) => wallets === undefined || wallets.includes(one.walletId))
    .filter((one) => destination === null || written(one.destinationAddress) === destination);
  return { transactions: listPage(found, call).map((one) => spell(double, hide(double, renderTransaction(one)))) };
}
