/** What an operator sees of a payment before they decide about it. */
import type { Payment } from '../../../core/payment.ts';
import type { Queryable } from '../../../db/database.ts';
import { readBackground } from '../../../payments/read/readBackground.ts';
import { readPayment } from '../../../payments/read/readPayment.ts';
import type { listWaiting } from '../../../payments/sends/approvePayment.ts';
import type { Fact } from '../../program/command.ts';
import { unknown } from '../../program/faults.ts';
import { describePerson } from '../../program/lookups.ts';
import { renderTime, renderUsdc } from '../../program/render.ts';

interface PaymentFacts {
  readonly payment: Payment;
  readonly facts: readonly Fact[];
}

export async function readPaymentFacts(db: Queryable, paymentId: string): Promise<PaymentFacts> {
  const payment = await readPayment(db, paymentId);
  const background = payment && (await readBackground(db, paymentId));
  if (!payment || !background) throw unknown(`there is no payment ${paymentId}: florin payment show`);
  const { payerId, payeeId, keyName } = background;
  const { from, to } = payment;
  return {
    payment,
    facts: [
      ['payment', paymentId],
      ['amount', `${renderUsdc(payment.amount)} on ${payment.blockchain}`],
      ['from', 'address' in from && !payerId ? (from.address ?? 'unknown') : await describePayer(db, payerId)],
      [
        'to',
        payeeId ? await describePerson(db, payeeId) : 'address' in to ? (to.address ?? 'unknown') : 'the treasury',
      ],
      ['requested by', keyName ? `service key ${keyName}` : undefined],
      ['requested', renderTime(payment.createdAt)],
    ],
  };
}

type Waiting = Awaited<ReturnType<typeof listWaiting>>[number];

export async function describeWaiting(db: Queryable, one: Waiting): Promise<readonly Fact[]> {
  return [
    ['payment', one.paymentId],
    ['since', renderTime(one.createdAt)],
    ['amount', `${renderUsdc(one.amount)} on ${one.blockchain}`],
    ['from', await describePayer(db, one.payerId)],
    ['from wallet', one.walletId],
    ['to address', one.destination],
    [
      'this address',
      one.isNewAddress
        ? 'is NEW: no send from this wallet to it was ever COMPLETE'
        : 'has received from this wallet before',
    ],
    ['requested by', one.keyName ? `service key ${one.keyName}` : undefined],
    ['approved', describeApprovals(one)],
  ];
}

const describePayer = async (db: Queryable, userId: string | null): Promise<string> =>
  userId === null ? 'the service (treasury)' : describePerson(db, userId);

const describeApprovals = ({ approvedBy, needed }: Waiting): string =>
  `${approvedBy.length} of ${needed}${approvedBy.length > 0 ? ` (${approvedBy.join(', ')})` : ''}`;
