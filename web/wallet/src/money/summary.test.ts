/** Statements add up: against a ledger that books whatever happens, however the time is divided into periods. */
import type { Transaction } from '@florin/client';
import { fromMicros, toMicros } from '@florin/client';
import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { summarize, toEntry } from './summary.ts';

vi.hoisted(() => vi.stubGlobal('document', { documentElement: { dir: 'ltr' } }));
afterAll(() => void vi.unstubAllGlobals());

const ME = { username: 'me' };
const SIDES = {
  gets: { kind: 'user', from: { username: 'other' }, to: ME },
  pays: { kind: 'user', from: ME, to: { username: 'other' } },
  sends: { kind: 'chain', from: ME, to: { address: '0x1' } },
  deposit: { kind: 'deposit', from: { address: '0x1' }, to: ME },
  corrected: { kind: 'correction', from: { address: null }, to: ME },
  owes: { kind: 'debt', from: ME, to: { address: null } },
} as const;
const payments = fc.array(
  fc.record({
    what: fc.constantFrom(...(Object.keys(SIDES) as (keyof typeof SIDES)[])),
    state: fc.constantFrom('COMPLETE', 'FAILED', 'CANCELLED', 'SENT'),
    micros: fc.bigInt(1n, 10n ** 15n),
    blockchain: fc.constantFrom('A', 'B'),
  }),
  { maxLength: 20 },
);

it('the balances before and after every period are those of the ledger', () => {
  fc.assert(
    fc.property(payments, fc.nat(20), fc.nat(20), (made, first, second) => {
      const [from, to] = [Math.min(first, second), Math.max(first, second)];
      /** The balance when only the first `count` payments had been made, with the ends that they have today. */
      const bookedAt = (blockchain: string, count: number) =>
        made.slice(0, count).reduce((balance, one) => {
          const isUnpaid = one.state === 'FAILED' || one.state === 'CANCELLED';
          if (one.blockchain !== blockchain || (one.what === 'sends' && isUnpaid)) return balance;
          return balance + (['gets', 'deposit', 'corrected'].includes(one.what) ? one.micros : -one.micros);
        }, 0n);
      const balances = ['A', 'B'].map((blockchain) => ({
        blockchain,
        available: fromMicros(bookedAt(blockchain, made.length)),
      }));
      const entries = made.slice(from).map((one, nth) => {
        const state = one.what === 'sends' ? one.state : 'COMPLETE';
        const { blockchain, micros } = one;
        const payment = {
          ...SIDES[one.what],
          state,
          blockchain,
          amount: fromMicros(micros),
          transaction_id: nth + from,
        };
        return toEntry(payment as never as Transaction, 'me');
      });
      const found = summarize(balances, entries, ({ payment }) => Number(payment.transaction_id) < to);
      for (const blockchain of ['A', 'B']) {
        const { before, received, paid, after } = found.find((one) => one.blockchain === blockchain) ?? {
          ...{ before: '0', received: '0', paid: '0', after: '0' },
        };
        expect([before, after]).toEqual([from, to].map((count) => fromMicros(bookedAt(blockchain, count))));
        expect(toMicros(before) + toMicros(received) - toMicros(paid)).toBe(toMicros(after));
        expect([toMicros(received) >= 0n, toMicros(paid) >= 0n]).toEqual([true, true]);
      }
    }),
  );
});
