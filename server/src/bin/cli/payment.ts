import type { Noun } from '../program/command.ts';
import { approve, cancel, deny, waiting } from './verbs/decideSends.ts';
import { importMoves } from './verbs/importMoves.ts';
import { list } from './verbs/listPayments.ts';
import { approvePayout, denyPayout } from './verbs/payouts.ts';
import { approveRefund, denyRefund, refund, refunds } from './verbs/refund.ts';
import { show } from './verbs/showPayment.ts';

export default {
  about: 'Payments, by everything that a customer can name: id, receipt, hash, request, payout row.',
  verbs: {
    show,
    list,
    waiting,
    approve,
    deny,
    cancel,
    refund,
    refunds,
    'approve-payout': approvePayout,
    'deny-payout': denyPayout,
    'approve-refund': approveRefund,
    'deny-refund': denyRefund,
    import: importMoves,
  },
} satisfies Noun;
