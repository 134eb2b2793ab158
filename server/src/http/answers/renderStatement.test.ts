import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FORMULAS, FREE_TEXTS, LINE_ENDS } from '../../../../test/support/prove/negatives/freeTexts.ts';
import { parseStrictCsv } from '../../../../test/support/prove/negatives/parseStrictCsv.ts';
import type { Usdc } from '../../core/money.ts';
import type { Payment } from '../../core/payment.ts';
import { parseCsv, printCell } from '../../payments/payouts/parseCsv.ts';
import { renderStatement } from './renderStatement.ts';

const AT = new Date('2026-03-02T09:20:11.400Z');

const paymentWith = (text: string): Payment => ({
  paymentId: 'b5d9a1f0-6c2e-4e7d-8f3a-1b2c3d4e5f60',
  state: 'FAILED',
  kind: 'chain',
  amount: 1_500_000n as Usdc,
  blockchain: 'ETH-SEPOLIA',
  from: { username: text },
  to: { address: text },
  txHash: null,
  networkFee: null,
  errorReason: text,
  createdAt: AT,
  updatedAt: AT,
  timeline: [{ state: 'FAILED', at: AT, txHash: null, note: text }],
  paymentNote: text,
  reason: text,
});

const texts = fc.oneof(
  fc.constantFrom(...FREE_TEXTS, ...FORMULAS, ...LINE_ENDS),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', '\t', '=', '+', '-', '@', "'", '1', 'a') }),
);

it('contains every text unchanged, and none that a spreadsheet would execute', () => {
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 5 }), (some) => {
      const rows = parseStrictCsv(
        renderStatement(
          some.map((text) => ({ payment: paymentWith(text), availableAfter: 2_000_000n, isIncoming: false })),
        ),
      );
      expect(rows).toHaveLength(some.length);
      for (const [i, row] of rows.entries()) {
        for (const name of ['from', 'to', 'error_reason', 'note']) {
          const cell = row[name]!;
          expect(cell).not.toMatch(/^[=+@\t\r]|^-(?!\d)/);
          // An apostrophe before a formula is how spreadsheets write text.
          expect([some[i], `'${some[i]}`]).toContain(cell);
          if (cell !== some[i]) expect(some[i]).toMatch(/^[=+@\t\r-]/);
        }
        for (const name of ['payment_note', 'reason']) {
          expect(row[name]).not.toMatch(/^\s*[=+@-]/);
          expect([some[i], `'${some[i]}`]).toContain(row[name]);
        }
        expect([row.amount, row.available_after, row.kind]).toEqual(['1.5', '2', 'chain']);
      }
    }),
  );
});

it('cells of payouts are read back by a strict reader and by our own', () => {
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 5 }), (cells) => {
      const line = `${cells.map(printCell).join(',')}\r\n`;
      const header = `${cells.map((_, i) => `c${i}`).join(',')}\r\n`;
      expect(Object.values(parseStrictCsv(header + line)[0]!)).toEqual(cells);
      expect(parseCsv(`x\r\n${line}`)[1] ?? cells).toEqual(cells);
    }),
  );
});
