/** Decisions about refunds: by the receiver, and by the treasury with two operators. */
import { loginOf } from '../../../operators.ts';
import { asOperator } from '../asOperator.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID, ME, MOVE, OTHER } from '../ids.ts';

const [ANNA, RITA] = [loginOf('anna'), loginOf('rita')] as const;
const account = { asset_id: 9, kind: 'user', tier: 0, entries: 7, available: 100 };
const paid = {
  transfer_id: ID,
  kind: 'user',
  debit_account: 9001,
  credit_account: 9002,
  amount: 10,
  asset_id: 9,
  seq: -1,
};
const received = { credit_entry: 1, credit_available: 1 };
const noCredit = { credit_entry: null, credit_available: null };
/** ME has paid OTHER 10. */
const rows: Rows = {
  operators: { name: ANNA, role: 'admin', added_at: '2020-01-01' },
  users: { user_id: ME },
  'users 2': { user_id: OTHER, subject: 'other' },
  accounts: { ...account, account_id: 9001, user_id: ME },
  'accounts 2': { ...account, account_id: 9002, user_id: OTHER },
  'accounts 3': { ...account, account_id: 9003, kind: 'treasury' },
  'accounts 4': { ...account, account_id: 9004, kind: 'chain' },
  transfers: { ...paid, ...received },
  refund_totals: { payment_id: ID, paid: 10 },
};
/** ME has sent 10 to an address, and the hold has ended. */
const sent = (end: 'post' | 'release' | undefined, amount = 10): Rows => ({
  transfers: { kind: 'hold', credit_account: 9004, debit_held: 10, ...noCredit },
  payments: { payment_id: ID, state: 'COMPLETE', amount: 10 },
  ...(end && {
    'transfers 2': {
      ...{ ...paid, transfer_id: OTHER, kind: end, hold_id: ID, credit_account: 9004, amount, seq: -2, debit_entry: 2 },
      ...{ debit_held: 0, ...(end === 'post' ? received : noCredit) },
    },
  }),
});

const outcome = (call: string) =>
  `SELECT o.outcome || coalesce(' ' || o.amount, '') || CASE o.outcome WHEN 'too_much' THEN ' of ' || (o.details->>'left') ELSE '' END AS said
     FROM ${call} o`;
/** Whom the audit log names, what the people have, and whether the refund counts. */
const LEFT = `SELECT coalesce((SELECT action || ' ' || CASE user_id WHEN '${ME}' THEN 'me' WHEN '${OTHER}' THEN 'other' ELSE 'nobody' END
    FROM audit_log WHERE action ~ 'refund'), 'no entry')
  || (SELECT ': ' || string_agg(available::text, ' ' ORDER BY account_id) FROM accounts WHERE account_id BETWEEN 9001 AND 9003) AS said`;
const UNCHANGED = 'no entry: 100 100 100';

/** The rules of both kinds of refund. `done`: what an accepted one says and leaves, in parts of 10 and 4. */
const beginning = (
  of: string,
  call: (amount: string) => string,
  source: string,
  done: (amount: number) => string,
): Decision => ({
  of: `${of}: begin_refund`,
  rows,
  calls: [asOperator('anna', outcome(call('NULL')), LEFT)],
  cases: {
    'of a payment': [{}, done(10)],
    'of a payment for the first time': [{ refund_totals: null }, done(10)],
    'of an unknown payment': [{ transfers: { transfer_id: OTHER } }, `unknown, ${UNCHANGED}`],
    'of a deposit': [{ transfers: { kind: 'deposit' } }, `deposit, ${UNCHANGED}`],
    'of a movement of the service': [{ transfers: { kind: 'internal' } }, `unknown, ${UNCHANGED}`],
    'of a refund': [
      { refunds: { refund_id: ID, payment_id: OTHER, source: 'receiver', amount: 10, booked_at: 'now' } },
      `is_refund, ${UNCHANGED}`,
    ],
    'of a send that has not ended': [sent(undefined), `unpaid, ${UNCHANGED}`],
    'of a send that was released': [sent('release'), `unpaid, ${UNCHANGED}`],
    'while everything is paused': [{ pauses: { scope: 'all' } }, `paused, ${UNCHANGED}`],
    'while payments of people are paused': [{ pauses: { scope: 'user' } }, done(10)],
    'while blockchains are paused': [{ pauses: { scope: 'chain' } }, done(10)],
    'after a part': [{ refund_totals: { refunded: 6 } }, done(4)],
    'after all of it': [{ refund_totals: { refunded: 10 } }, `too_much 0 of 0, ${UNCHANGED}`],
    'whose payer has closed their account': [{ users: { closed_at: 'now' } }, `closed 10, ${UNCHANGED}`],
    'whose receiver has closed their account': [{ 'users 2': { closed_at: 'now' } }, done(10)],
    'whose id belongs to a payment': [
      { 'transfers 2': { ...paid, ...received, transfer_id: MOVE, seq: -2, debit_entry: 2, credit_entry: 2 } },
      `mismatch 10, ${UNCHANGED}`,
    ],
    'whose id belongs to the refund of another payment': [
      {
        refunds: {
          refund_id: MOVE,
          payment_id: OTHER,
          source,
          amount: 10,
          booked_at: source === 'receiver' ? 'now' : null,
        },
      },
      `mismatch 10, ${UNCHANGED}`,
    ],
    'whose id belongs to another kind of refund': [
      {
        refunds: {
          ...{ refund_id: MOVE, payment_id: ID, source: source === 'receiver' ? 'treasury' : 'receiver', amount: 10 },
          booked_at: source === 'receiver' ? null : 'now',
        },
      },
      `mismatch 10, ${UNCHANGED}`,
    ],
    'by an operator of support': [{ operators: { role: 'support' } }, /not an operator who may approve/],
  },
  waitsFor: ['after a part', 'after all of it'],
});

const byReceiver = beginning(
  'whether the receiver refunds',
  (amount) => `refund_payment('${MOVE}', '${ID}', ${amount}, 'x')`,
  'receiver',
  (amount) => `refunded ${amount}, payment.refunded other: ${100 + amount} ${100 - amount} 100`,
);
const byTreasury = beginning(
  'whether the treasury is asked to refund',
  (amount) => `propose_refund('${MOVE}', '${ID}', ${amount}, 'x')`,
  'treasury',
  (amount) => `proposed ${amount}, refund.proposed me: 100 100 100`,
);

const receivers: Decision = {
  ...byReceiver,
  of: 'what a receiver refunds: refund_payment',
  waitsFor: [],
  cases: {
    'of a payment by the treasury': [
      { transfers: { debit_account: 9003 } },
      'refunded 10, payment.refunded other: 100 90 110',
    ],
    'of a send': [sent('post'), `sent_away, ${UNCHANGED}`],
    'more than they have': [{ 'accounts 2': { available: 9 } }, 'insufficient 10, no entry: 100 9 100'],
    'of a payment by the chain': [{ transfers: { debit_account: 9004 } }, `own, ${UNCHANGED}`],
    again: [
      { refunds: { refund_id: MOVE, payment_id: ID, source: 'receiver', amount: 10, booked_at: 'now' } },
      `before 10, ${UNCHANGED}`,
    ],
  },
};
const treasuries: Decision = {
  ...byTreasury,
  of: 'what the treasury is asked to refund: propose_refund',
  waitsFor: [],
  cases: {
    'of a payment by the treasury': [{ transfers: { debit_account: 9003 } }, `own, ${UNCHANGED}`],
    'of a send': [sent('post'), 'proposed 10, refund.proposed me: 100 100 100'],
    'of a send whose fee was kept': [sent('post', 12), 'proposed 10, refund.proposed me: 100 100 100'],
    'of a send by the treasury': [
      { ...sent('post'), transfers: { ...sent('post').transfers, debit_account: 9003 } },
      `own, ${UNCHANGED}`,
    ],
    'more than it has': [{ 'accounts 3': { available: 9 } }, 'proposed 10, refund.proposed me: 100 100 9'],
    again: [{ refunds: { refund_id: MOVE, payment_id: ID, source: 'treasury', amount: 10 } }, `waits 10, ${UNCHANGED}`],
    'after a denial': [
      {
        refunds: { refund_id: MOVE, payment_id: ID, source: 'treasury', amount: 10, denied_by: 'x', denied_at: 'now' },
      },
      `denied 10, ${UNCHANGED}`,
    ],
  },
};

const amounts = (amount: number, cases: Decision['cases']): Decision => ({
  ...byReceiver,
  of: `whether ${amount} of 10 are refunded: refund_payment`,
  calls: [asOperator('anna', outcome(`refund_payment('${MOVE}', '${ID}', ${amount}, 'x')`), LEFT)],
  cases,
  waitsFor: [],
});
const refunded = (amount: number): Rows => ({ refund_totals: { refunded: amount } });

const proposed = {
  refund_id: MOVE,
  payment_id: ID,
  source: 'treasury',
  amount: 4,
  proposed_by: RITA,
  proposed_at: '2020-01-02',
};
const deciding: Rows = {
  ...rows,
  'operators 2': { name: RITA, role: 'risk', added_at: '2020-01-01' },
  refunds: proposed,
};
const denied = { denied_by: 'x', denied_at: 'now' };
const booked = { approved_by: 'x', booked_at: 'now' };
const approving: Decision = {
  of: 'whether an approved refund is paid: approve_refund',
  rows: deciding,
  calls: [
    asOperator(
      'anna',
      outcome(`approve_refund('${MOVE}')`),
      `${LEFT.replace('AS said', '')} || (SELECT CASE WHEN booked_at IS NULL THEN '' ELSE ', booked' END FROM refunds) AS said`,
    ),
  ],
  cases: {
    'that waits': [{}, 'refunded 4, payment.refunded me: 104 100 96, booked'],
    'of a send': [
      { ...sent('post'), refund_totals: { paid: 10 } },
      'refunded 4, payment.refunded me: 104 100 96, booked',
    ],
    'that was approved before': [{ refunds: booked }, `before 4, ${UNCHANGED}, booked`],
    'that was denied': [{ refunds: denied }, `denied 4, ${UNCHANGED}`],
    'by the receiver': [{ refunds: { source: 'receiver', booked_at: 'now' } }, `unknown, ${UNCHANGED}, booked`],
    'under another id': [{ refunds: { refund_id: OTHER } }, `unknown, ${UNCHANGED}`],
    'up to what is left': [{ refund_totals: { refunded: 6 } }, 'refunded 4, payment.refunded me: 104 100 96, booked'],
    'beyond what is left': [{ refund_totals: { refunded: 7 } }, `too_much 4 of 3, ${UNCHANGED}`],
    'beyond what the treasury has': [{ 'accounts 3': { available: 3 } }, 'insufficient 4, no entry: 100 100 3'],
    'to a closed account': [{ users: { closed_at: 'now' } }, `closed 4, ${UNCHANGED}`],
    'while everything is paused': [{ pauses: { scope: 'all' } }, `paused 4, ${UNCHANGED}`],
    'proposed by support': [{ 'operators 2': { role: 'support' } }, /not an operator who may approve/],
    'proposed by a removed operator': [{ 'operators 2': null }, /not an operator who may approve/],
    'proposed by an operator who was added again later': [
      { 'operators 2': { added_at: '2020-01-03' } },
      /not an operator who may approve/,
    ],
    'proposed by the same operator': [{ refunds: { proposed_by: ANNA } }, /refunds_two_people/],
    'approved by support': [{ operators: { role: 'support' } }, /not an operator who may approve/],
  },
  waitsFor: ['beyond what is left'],
};
const denying: Decision = {
  of: 'whether a refund is denied: deny_refund',
  rows: deciding,
  calls: [
    asOperator(
      'anna',
      outcome(`deny_refund('${MOVE}', 'x')`),
      `SELECT CASE WHEN denied_at IS NULL THEN 'open' ELSE 'by ' || CASE denied_by WHEN '${ANNA}' THEN 'anna' ELSE denied_by END END AS said FROM refunds`,
    ),
  ],
  cases: {
    'that waits': [{}, 'denied 4, by anna'],
    'of their own': [{ refunds: { proposed_by: ANNA } }, 'denied 4, by anna'],
    'that was denied before': [{ refunds: denied }, 'denied 4, by x'],
    'that was booked': [{ refunds: booked, refund_totals: { refunded: 4 } }, 'before 4, open'],
    'by the receiver': [{ refunds: { source: 'receiver', booked_at: 'now' } }, 'unknown, open'],
    'by an operator of support': [{ operators: { role: 'support' } }, /not an operator who may approve/],
  },
  waitsFor: ['that was booked'],
};

/** The movement of 4 that the refund of the treasury needs. */
const given = {
  ...{ ...paid, ...received, transfer_id: MOVE, debit_account: 9003, credit_account: 9001, amount: 4 },
  ...{ seq: -2, debit_entry: 2, credit_entry: 2 },
};
const without = /without its movement/;
const counting: Decision = {
  of: 'whether a refund counts: count_refund',
  rows: { ...deciding, 'transfers 2': given },
  hasTriggers: true,
  calls: [`UPDATE refunds SET booked_at = now(), approved_by = 'y'`, 'SELECT refunded AS said FROM refund_totals'],
  cases: {
    'with its movement': [{}, '4'],
    'after another one': [{ refund_totals: { refunded: 5 } }, '9'],
    'beyond what was paid': [{ refund_totals: { refunded: 7 } }, /refunds_never_more/],
    'without a movement': [{ 'transfers 2': null }, without],
    'with another amount': [{ 'transfers 2': { amount: 3 } }, without],
    'of another account': [{ 'transfers 2': { debit_account: 9002 } }, without],
    'to another account': [{ 'transfers 2': { credit_account: 9002 } }, without],
    'with a movement of another kind': [{ 'transfers 2': { kind: 'internal' } }, without],
    'with the movement of another refund': [{ 'transfers 2': { transfer_id: OTHER } }, without],
    'that was denied': [{ refunds: denied }, /cannot change/],
    'that counted before': [{ refunds: booked }, /cannot change/],
  },
};
const changing = (change: string): Decision => ({
  of: `whether a decision may change a refund (${change}): count_refund`,
  rows: deciding,
  hasTriggers: true,
  calls: [`UPDATE refunds SET denied_at = now(), denied_by = 'y', ${change} RETURNING 'changed' AS said`],
  cases: { never: [{}, /cannot change/] },
});

export const refundDecisions: readonly Decision[] = [
  byReceiver,
  receivers,
  byTreasury,
  treasuries,
  amounts(4, {
    'of a payment': [{}, 'refunded 4, payment.refunded other: 104 96 100'],
    'that are left': [refunded(6), 'refunded 4, payment.refunded other: 104 96 100'],
    'that are not left': [refunded(7), `too_much 4 of 3, ${UNCHANGED}`],
  }),
  amounts(0, { 'of a payment': [{}, `too_much 0 of 10, ${UNCHANGED}`] }),
  amounts(11, { 'of a payment': [{}, `too_much 11 of 10, ${UNCHANGED}`] }),
  approving,
  denying,
  counting,
  ...["reason = 'y'", 'amount = 5', "proposed_by = 'y'", `payment_id = '${OTHER}'`, 'proposed_at = now()'].map(
    changing,
  ),
];
