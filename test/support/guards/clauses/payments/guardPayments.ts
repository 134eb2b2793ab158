/** What triggers refuse about payments, rows of payouts and deposits, whoever writes. */
import { accepted, FROM, funding, hold, move, TO, world } from '../custodyWorld.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID, ME, MOVE, OTHER, WALLET } from '../ids.ts';

const DONE = { state: 'done', reserved: 0 };
const transfer = {
  move_id: ID,
  key: ID,
  provider: 'other',
  provider_id: 'p',
  provider_state: 'submitted',
  attempts: 1,
};
const becoming = (change: string, said: string | RegExp, from: object = {}, more: Rows = {}): Decision => ({
  of: `whether a payment may change (${change}): record_state`,
  rows: { ...accepted, payments: { ...accepted.payments, ...from }, ...more },
  hasTriggers: true,
  calls: [
    `UPDATE payments SET ${change}`,
    `SELECT coalesce((SELECT string_agg(state, ' ') FROM payment_events), 'no event') AS said`,
  ],
  cases: { [`from ${JSON.stringify(from)}`]: [{}, said] },
});
const TERMS = /terms of a payment cannot change/;
const UNAPPROVED = { approvals_needed: 2 };
const approval = (operator: string): Rows[string] => ({ payment_id: ID, operator, approved_at: '2020-01-02' });
const operator = (name: string): Rows[string] => ({ name, role: 'risk', added_at: '2020-01-01' });
const becomings: readonly Decision[] = [
  ...[
    `destination = '${FROM}'`,
    `wallet_id = '${OTHER}'`,
    'wallet_id = NULL',
    'fee = 1',
    'amount = 6',
    'amount = NULL',
  ].map((change) => becoming(change, TERMS)),
  becoming('amount = 5', 'no event', { amount: null }),
  becoming('amount = 6', TERMS, { amount: null }),
  becoming("tx_hash = '0x1'", 'no event'),
  becoming("state = 'QUEUED'", 'QUEUED'),
  becoming("state = 'QUEUED'", /waits for approvals or its delay/, UNAPPROVED),
  becoming("state = 'QUEUED'", /waits for approvals or its delay/, { not_before: 'tomorrow' }),
  becoming("state = 'CONFIRMED'", /waits for approvals or its delay/, UNAPPROVED),
  becoming("state = 'CONFIRMED'", 'CONFIRMED', UNAPPROVED, { coin_moves: { ...move, ...DONE } }),
  becoming("state = 'CLEARED'", /not approved by enough people/, UNAPPROVED),
  becoming("state = 'CLEARED'", /not approved by enough people/, UNAPPROVED, {
    operators: operator('a'),
    approvals: approval('a'),
  }),
  becoming("state = 'CLEARED'", 'CLEARED', UNAPPROVED, {
    ...{ operators: operator('a'), 'operators 2': operator('b') },
    ...{ approvals: approval('a'), 'approvals 2': approval('b') },
  }),
  becoming("state = 'SENT'", /cannot go from/, { state: 'CONFIRMED' }),
  becoming("state = 'INITIATED'", /cannot go from/, { state: 'QUEUED' }),
];

const bearing: Decision = {
  of: 'whether a payment is stored: record_first_state',
  rows: { ...accepted, payments: null },
  hasTriggers: true,
  calls: [
    `INSERT INTO payments (payment_id, state, destination, wallet_id, amount, fee) VALUES ('${ID}', 'INITIATED', '${TO}', '${WALLET}', 5, 0)`,
    `SELECT string_agg(state, ' ') AS said FROM payment_events`,
  ],
  cases: {
    'with its hold': [{}, 'INITIATED'],
    'without a hold': [{ transfers: null }, /without its hold or its wallet/],
    'with a movement of another kind': [
      { transfers: { kind: 'user', debit_held: null, credit_entry: 1, credit_available: 1 } },
      /without its hold or its wallet/,
    ],
    'without its wallet': [{ wallets: null }, /without its hold or its wallet/],
    'with a larger hold': [{ transfers: { amount: 6 } }, /is not its amount and its fee/],
    'with a smaller hold': [{ transfers: { amount: 4 } }, /is not its amount and its fee/],
  },
};

const item = { payout_id: ID, payment_id: ID, amount: 5, blockchain: 'HERE' };
const paying = (state: 'paid' | 'sent', whom: object, kind: object, cases: Decision['cases']): Decision => ({
  of: `whether a row of a payout is ${state}: guard_payout_items`,
  rows: {
    ...accepted,
    transfers: { ...hold, ...kind },
    payouts: {
      ...{ payout_id: ID, key_id: OTHER, on_shortage: 'wait', known_count: 0, known_total: 0, state: 'running' },
      ...{ confirmed_at: 'now', waits_until: 'tomorrow' },
    },
    payout_items: { ...item, ...whom },
  },
  hasTriggers: true,
  calls: [`UPDATE payout_items SET state = '${state}' RETURNING state AS said`],
  cases,
});
const OWN = /paid by its own payment/;
const toPerson = { username: 'bobby', user_id: OTHER };
const asUser = { kind: 'user', debit_held: null, credit_entry: 1, credit_available: 1 };
const payings: readonly Decision[] = [
  paying(
    'sent',
    { destination: TO },
    {},
    {
      'by its payment': [{}, 'sent'],
      'without a payment': [{ transfers: { transfer_id: OTHER } }, OWN],
      'by a payment of another amount': [{ payments: { amount: 4 } }, OWN],
      'by a hold with its fee': [{ transfers: { amount: 6 } }, 'sent'],
      'on another blockchain': [{ payout_items: { blockchain: 'THERE' } }, OWN],
      'by a payment to a person': [{ transfers: asUser, payments: null }, OWN],
      'by a deposit': [{ transfers: { ...asUser, kind: 'deposit' }, payments: null }, OWN],
    },
  ),
  paying('paid', toPerson, asUser, {
    'by its payment': [{ payments: null }, 'paid'],
    'by a payment of another amount': [{ payments: null, transfers: { amount: 4 } }, OWN],
    'by a payment to an address': [
      { transfers: { kind: 'hold', debit_held: 5, credit_entry: null, credit_available: null } },
      OWN,
    ],
  }),
];

const deposit = {
  asset_id: 9,
  tx_hash: '0x1',
  wallet_id: WALLET,
  ordinal: 0,
  amount: 5,
  from_address: FROM,
  state: 'credited',
};
const depositing = (block: number, values: string, cases: Decision['cases']): Decision => ({
  of: `whether a deposit of block ${block} is stored: guard_${block === 0 ? 'unwatched_' : ''}deposit`,
  rows: {
    ...world,
    users: { user_id: ME },
    chain_cursors: { network_id: 9 },
    deposits: { ...deposit, transfer_id: ID, block_number: block },
  },
  hasTriggers: true,
  calls: [
    `INSERT INTO deposits (transfer_id, asset_id, tx_hash, log_index, wallet_id, ordinal, amount, from_address, block_number, block_hash)
     VALUES (${values}) RETURNING 'stored' AS said`,
  ],
  cases,
});
const AGAIN = /is known by another id/;
const depositings: readonly Decision[] = [
  depositing(7, `'${OTHER}', 9, '0x1', 8, '${WALLET}', 0, 5, '${FROM}', 7, '0x2'`, {
    'that is known': [{}, AGAIN],
    'of another chain transaction': [{ deposits: { tx_hash: '0x3' } }, 'stored'],
    'of another wallet': [{ deposits: { wallet_id: OTHER } }, 'stored'],
    'of another token': [{ deposits: { asset_id: 8 } }, 'stored'],
    'after another one of its chain transaction': [{ deposits: { ordinal: 1 } }, 'stored'],
  }),
  depositing(0, `'${OTHER}', 9, '0x1', 8, '${WALLET}', 1, 5, '${FROM}', 0, '0x2'`, {
    'after one with its hash': [{}, 'stored'],
    'after one with its hash that is one of our moves': [
      {
        coin_moves: { ...funding, to_address: FROM, wallet_id: OTHER, rail: 'provider' },
        provider_transfers: { ...transfer, move_id: MOVE, tx_hash: '0x1' },
      },
      /are credited already/,
    ],
    'after one with another hash': [
      {
        deposits: { tx_hash: '0x3' },
        coin_moves: { ...funding, to_address: FROM, wallet_id: OTHER, rail: 'provider' },
        provider_transfers: { ...transfer, move_id: MOVE, tx_hash: '0x1' },
      },
      'stored',
    ],
    'after one that is a move to another wallet': [
      {
        coin_moves: { ...funding, to_address: TO, wallet_id: OTHER, rail: 'provider' },
        provider_transfers: { ...transfer, move_id: MOVE, tx_hash: '0x1' },
      },
      'stored',
    ],
  }),
];

export const paymentGuardDecisions: readonly Decision[] = [...becomings, bearing, ...payings, ...depositings];
