import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Payment } from '../../core/payment.ts';
import { printPaid, renderPayment } from './renderPayment.ts';

const name = fc.stringMatching(/^[a-z0-9_]{3,30}$/);
const party = fc.oneof(fc.record({ username: fc.option(name) }), fc.record({ username: name, redirectedFrom: name }));

it('prints the same JSON as rendering the payment would', () => {
  fc.assert(
    fc.property(
      fc.uuid(),
      fc.bigInt({ min: 1n, max: 999_999_999_999_999n }),
      party,
      party,
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
      fc.option(fc.string({ unit: 'grapheme', minLength: 1 })),
      (paymentId, amount, from, to, at, paymentNote) => {
        const payment: Payment = {
          paymentId,
          state: 'COMPLETE',
          kind: 'user',
          amount,
          blockchain: 'ETH-SEPOLIA',
          from,
          to,
          txHash: null,
          networkFee: null,
          errorReason: null,
          createdAt: at,
          updatedAt: at,
          timeline: [{ state: 'COMPLETE', at, txHash: null, note: null }],
          paymentNote,
        };
        const wanted = JSON.stringify({ success: true, ...renderPayment(payment), available: '1' });
        expect(printPaid(payment, '"success":true,', ',"available":"1"')).toBe(wanted);
      },
    ),
  );
});
