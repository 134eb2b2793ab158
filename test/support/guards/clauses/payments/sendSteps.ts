/** Decisions about accepted payments to addresses: approvals, reserved coins, states and ends. */
import { loginOf } from '../../../operators.ts';
import { asOperator } from '../asOperator.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID, MOVE, OTHER, WALLET } from '../ids.ts';
import { pays, TO, world } from './accepting.ts';

const ANNA = loginOf('anna');
const held = pays('hold').transfers!;
const waiting: Rows = {
  ...world,
  operators: { name: ANNA, role: 'admin', added_at: '2020-01-01' },
  'operators 2': { name: 'rita', role: 'risk', added_at: '2020-01-01' },
  transfers: held,
  payments: { payment_id: ID, state: 'INITIATED', destination: TO, wallet_id: WALLET, amount: 5, approvals_needed: 2 },
};
const STATE = `SELECT (SELECT state FROM payments) || coalesce((SELECT ', ' || kind FROM jobs), '') AS said`;
const approved = (operator: string, more: object = {}): Rows => ({
  approvals: { payment_id: ID, operator, approved_at: '2020-01-02', ...more },
});
const approving: Decision = {
  of: 'whether an approval of a payment is taken: give_approval',
  rows: waiting,
  hasTriggers: true,
  calls: [asOperator('anna', `SELECT give_approval('${ID}') AS said`, STATE)],
  cases: {
    'as the first one': [{}, '1, INITIATED'],
    'as the second one': [approved('rita'), '2, CLEARED, submit SOME-CHAIN'],
    'a second time': [approved(ANNA), /approvals_pkey|has approved payment/],
    'after one of support': [{ ...approved('rita'), 'operators 2': { role: 'support' } }, '1, INITIATED'],
    'of a payment that needs none': [{ payments: { approvals_needed: 0 } }, /waits for no approval/],
    'of a payment that was cancelled': [{ payments: { state: 'CANCELLED' } }, /waits for no approval/],
    'of a payment that is cleared': [{ payments: { state: 'CLEARED' } }, /waits for no approval/],
    'of an unknown payment': [{ payments: { payment_id: OTHER } }, /waits for no approval/],
    'by support': [
      { operators: { role: 'support' }, 'operators 2': { role: 'admin' } },
      /not an operator who may approve/,
    ],
  },
  waitsFor: ['of a payment that was cancelled'],
};

const move = {
  move_id: ID,
  asset_id: 9,
  wallet_id: WALLET,
  purpose: 'send',
  rail: 'eip3009',
  amount: 5,
  reserved: 0,
  state: 'dead',
};
const ended = (kind: 'post' | 'release'): Rows => ({
  'transfers 2': {
    ...{ ...held, transfer_id: MOVE, kind, hold_id: ID, seq: -2, debit_entry: 2 },
    ...(kind === 'post' ? { credit_entry: 2, credit_available: 1 } : {}),
  },
});
const ending = (state: string, cases: Decision['cases']): Decision => ({
  of: `whether a payment ends as ${state}: guard_payment_end`,
  rows: {
    ...waiting,
    payments: { ...waiting.payments, state: 'QUEUED', approvals_needed: 0 },
    coin_moves: move,
    ...ended('release'),
  },
  hasTriggers: true,
  calls: [`UPDATE payments SET state = '${state}' WHERE payment_id = '${ID}' RETURNING state AS said`],
  cases,
});
const AFTER_RESTORE = /signed before this database was restored/;
const endings: readonly Decision[] = [
  ending('FAILED', {
    'with its hold': [{}, 'FAILED'],
    'while its move is open': [{ coin_moves: { state: 'open' } }, /may still be paid/],
    'while the hold is open': [{ 'transfers 2': null }, /must end together with its hold/],
    'when the hold was posted': [ended('post'), /must end together with its hold/],
    'without a move': [{ coin_moves: null }, 'FAILED'],
    'without a move, after a restore': [{ coin_moves: null, restores: { noted_at: 'tomorrow' } }, AFTER_RESTORE],
    'with its move, after a restore': [{ restores: { noted_at: 'tomorrow' } }, 'FAILED'],
  }),
  ending('CANCELLED', {
    'with its hold': [{}, 'CANCELLED'],
    'while its move is open': [{ coin_moves: { state: 'open' } }, /may still be paid/],
  }),
  ending('DENIED', {
    'with its hold': [{}, 'DENIED'],
    'while its move is open': [{ coin_moves: { state: 'open' } }, /may still be paid/],
  }),
  ending('COMPLETE', {
    'when the hold was posted': [ended('post'), 'COMPLETE'],
    'when the hold was released': [{}, /must end together with its hold/],
    'while the hold is open': [{ 'transfers 2': null }, /must end together with its hold/],
    'while its move is open': [{ ...ended('post'), coin_moves: { state: 'open' } }, 'COMPLETE'],
  }),
];

const posting: Decision = {
  of: 'whether a hold is posted: post_holds',
  rows: { ...waiting, accounts: { ...world.accounts, held: 5 }, coin_moves: { ...move, state: 'open', reserved: 5 } },
  calls: [`SELECT (post_holds('{${ID}}'))[1] AS said`],
  cases: {
    'of an open move': [{}, 'applied'],
    'of a move that is done': [{ coin_moves: { state: 'done', reserved: 0 } }, 'applied'],
    'of a move that is dead': [{ coin_moves: { state: 'dead', reserved: 0 } }, /post_holds/],
    'without a move': [{ coin_moves: null }, /post_holds/],
    'of a settlement': [{ coin_moves: { purpose: 'settlement', settlement_id: ID, to_wallet: OTHER } }, /post_holds/],
    'that was posted before': [{ ...ended('post'), coin_moves: null }, 'ended'],
    'that was released before': [{ ...ended('release'), coin_moves: null }, 'ended'],
    'that does not exist': [{ transfers: null }, /post_holds|ledger_apply/],
  },
};

const queueing: Decision = {
  of: 'whether the coins of a payment are reserved: queue_payments',
  rows: {
    ...waiting,
    payments: { ...waiting.payments, approvals_needed: 0 },
    holdings: { asset_id: 9, wallet_id: WALLET, coins: 5 },
  },
  calls: [
    `SELECT queue_payments(9::smallint, '{${ID}}', '{"local": "eip3009"}')`,
    `SELECT (SELECT state FROM payments) || coalesce((SELECT ' ' || reserved || ' ' || rail FROM coin_moves LIMIT 1), '') AS said`,
  ],
  cases: {
    'that waits for nothing': [{}, 'QUEUED 5 eip3009'],
    'that is cleared': [{ payments: { state: 'CLEARED' } }, 'QUEUED 5 eip3009'],
    'that waits for approvals': [{ payments: { approvals_needed: 2 } }, 'INITIATED'],
    'that waits for its time': [{ payments: { not_before: 'tomorrow' } }, 'INITIATED'],
    'that was cancelled': [{ payments: { state: 'CANCELLED' } }, 'CANCELLED'],
    'that is sent': [{ payments: { state: 'SENT' } }, 'SENT'],
    'whose hold has ended': [ended('release'), 'INITIATED'],
    'with too few coins': [{ holdings: { coins: 4 } }, 'INITIATED'],
    'with coins that are reserved': [{ holdings: { coins: 9, reserved: 5 } }, 'INITIATED'],
    'with coins that are not reserved': [{ holdings: { coins: 9, reserved: 4 } }, 'QUEUED 5 eip3009'],
    'with coins of another token': [{ holdings: { asset_id: 8 } }, 'INITIATED'],
    'of another token': [{ transfers: { asset_id: 8 } }, 'INITIATED'],
    'of a provider without a rail': [{ wallets: { provider: 'other' } }, 'INITIATED'],
    'that has a move': [{ coin_moves: { ...move, rail: 'provider' } }, 'INITIATED 0 provider'],
  },
  waitsFor: ['that was cancelled', 'with too few coins'],
};

const advancing = (to: string, hash: string | null, cases: Decision['cases']): Decision => ({
  of: `what a payment is after ${to}${hash ? ` in ${hash}` : ''}: payments_advance`,
  rows: { payments: { payment_id: ID, state: 'SENT', destination: TO, tx_hash: '0x1' } },
  calls: [
    `SELECT payments_advance('{${ID}}', '{${to}}', ${hash ? `'{${hash}}'` : 'NULL'}, NULL, NULL)`,
    `SELECT state || ' ' || coalesce(tx_hash, 'nowhere') AS said FROM payments`,
  ],
  cases,
});
const advancings: readonly Decision[] = [
  advancing('STUCK', null, {
    'was sent': [{}, 'STUCK 0x1'],
    'is confirmed': [{ payments: { state: 'CONFIRMED' } }, 'CONFIRMED 0x1'],
    'has failed': [{ payments: { state: 'FAILED' } }, 'FAILED 0x1'],
  }),
  advancing('SENT', '0x2', {
    'was sent': [{}, 'SENT 0x2'],
    'was sent without a hash': [{ payments: { tx_hash: null } }, 'SENT 0x2'],
    'is stuck': [{ payments: { state: 'STUCK' } }, 'STUCK 0x2'],
    'is confirmed': [{ payments: { state: 'CONFIRMED' } }, 'CONFIRMED 0x1'],
    'is complete': [{ payments: { state: 'COMPLETE' } }, 'COMPLETE 0x1'],
    'is queued': [{ payments: { state: 'QUEUED', tx_hash: null } }, 'SENT 0x2'],
  }),
  advancing('CONFIRMED', '0x2', {
    'was sent': [{}, 'CONFIRMED 0x2'],
    'is confirmed elsewhere': [{ payments: { state: 'CONFIRMED' } }, 'CONFIRMED 0x2'],
    'was cancelled': [{ payments: { state: 'CANCELLED' } }, 'CANCELLED 0x1'],
  }),
  advancing('COMPLETE', '0x2', {
    'is confirmed': [{ payments: { state: 'CONFIRMED' } }, 'COMPLETE 0x2'],
    'has failed': [{ payments: { state: 'FAILED' } }, 'FAILED 0x1'],
    'was denied': [{ payments: { state: 'DENIED' } }, 'DENIED 0x1'],
  }),
];

export const sendStepDecisions: readonly Decision[] = [approving, ...endings, posting, queueing, ...advancings];
