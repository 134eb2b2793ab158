import { expect, it } from 'vitest';
import type { HistoryPage } from '../../payments/read/pageCache.ts';
import type { PlainPayment } from '../../payments/read/plainPayment.ts';
import { printPage } from './printPage.ts';

const payments = [1, 2, 3, 4, 5].map(
  (nth): PlainPayment => ({
    paymentId: `id ${nth}`,
    kind: 'user',
    amount: BigInt(nth),
    blockchain: 'ETH',
    from: 'a',
    to: 'b',
    address: undefined,
    note: null,
    // Bytes and characters are counted differently.
    paymentNote: nth % 2 === 0 ? null : `"é🍝" ${nth}`,
    typed: undefined,
    refundOf: null,
    reason: null,
    txHash: null,
    atMs: nth,
    availableAfter: 0n,
  }),
);

/** Every subset of payments, newest first. */
const choices = Array.from({ length: 2 ** payments.length }, (_, set) =>
  payments.filter((_, nth) => (set & (1 << nth)) !== 0).toReversed(),
);
const pageOf = (some: readonly PlainPayment[], before?: HistoryPage): HistoryPage => ({
  ...{ username: 'a', payments: some, next: undefined },
  ...(before && { before }),
});
const idsOf = (page: HistoryPage): string[] =>
  (JSON.parse(printPage(page).body.toString()) as { transactions: { transaction_id: string }[] }).transactions.map(
    ({ transaction_id: id }) => id,
  );

it('prints the page correctly, whatever page was printed before it', () => {
  for (const earlier of choices)
    for (const now of choices) {
      const before = pageOf(earlier);
      printPage(before);
      const page = pageOf(now, before);
      expect(idsOf(page)).toEqual(now.map(({ paymentId }) => paymentId));
      // And a third page that reuses what it can from the second.
      const third = pageOf(now.slice(0, -1), page);
      expect(idsOf(third)).toEqual(now.slice(0, -1).map(({ paymentId }) => paymentId));
    }
});
