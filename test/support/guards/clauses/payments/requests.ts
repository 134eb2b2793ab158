/** Decisions about requests for money. `test/payments/requests.test.ts` has those that depend on who acts in which state. */
import type { Decision } from '../decide.ts';
import { ID, ME, MOVE, OTHER } from '../ids.ts';

const request = { request_id: ID, asker_id: ME, payer_id: OTHER, by_link: false, amount: 5 };
const open = { ...request, created_at: 'yesterday', expires_at: 'tomorrow' };
const past = { created_at: '2020-01-01', expires_at: '2020-01-02' };

const finishing: Decision = {
  of: 'whether a request is cancelled: end_money_request',
  rows: { money_requests: open },
  calls: [`SELECT coalesce(end_money_request('${ID}', '${ME}', 'cancelled')->'details'->>'state', 'done') AS said`],
  cases: {
    'that is open': [{}, 'done'],
    'that has expired': [{ money_requests: past }, 'expired'],
    'that was paid': [{ money_requests: { state: 'paid', ended_at: 'now' } }, 'paid'],
    'that was declined': [{ money_requests: { state: 'declined', ended_at: 'now' } }, 'declined'],
    'that was cancelled': [{ money_requests: { state: 'cancelled', ended_at: 'now' } }, 'done'],
  },
  waitsFor: ['that was paid', 'that was declined'],
};

/** So many other requests of the person, each with this row. */
const many = (count: number, row: object) => ({
  money_requests: null,
  ...Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `money_requests ${i + 2}`,
      {
        ...open,
        request_id: `${String(i + 10)
          .repeat(8)
          .slice(0, 8)}-0000-4000-8000-${String(i).padStart(12, '0')}`,
        ...row,
      },
    ]),
  ),
});
const toAnother = { payer_id: MOVE };
const today = { state: 'cancelled', created_at: new Date(Date.now() - 80_000_000), ended_at: 'now' };
const asking: Decision = {
  of: 'whether a person may ask for money: ask_for_money',
  rows: {
    users: { user_id: ME },
    'users 2': { user_id: OTHER, subject: 'other' },
    usernames: { username: 'alice', user_id: ME },
  },
  calls: [
    `SELECT coalesce(r->'details'->>'limit', r->>'code', 'may') AS said
       FROM ask_for_money(gen_random_uuid(), '${ME}', '${OTHER}', 5, NULL, clock_timestamp() + interval '1 hour') r`,
  ],
  cases: {
    'for the first time': [{}, 'may'],
    'with a closed account': [{ users: { closed_at: 'now' } }, 'account.closed'],
    'a closed account': [{ 'users 2': { closed_at: 'now' } }, 'username.unknown'],
    'without a name': [{ usernames: null }, 'username.needed'],
    'with a name that is gone': [{ usernames: { redirect_until: 'tomorrow' } }, 'username.needed'],
    'with the name of another person': [{ usernames: { user_id: OTHER } }, 'username.needed'],
    'a fifth time': [many(4, {}), 'may'],
    'a sixth time': [many(5, {}), 'open_with_person'],
    'after five requests by others': [many(5, { asker_id: MOVE }), 'may'],
    'after five requests to others': [many(5, toAnother), 'may'],
    'after five requests that expired': [many(5, past), 'may'],
    'after five requests that ended': [many(5, { state: 'cancelled', ended_at: 'now' }), 'may'],
    'after 49 requests to others': [many(49, toAnother), 'may'],
    'after 50 requests to others': [many(50, toAnother), 'open'],
    'after 199 requests that ended today': [many(199, today), 'may'],
    'after 200 requests that ended today': [many(200, today), 'day'],
    'after 200 requests that ended before': [
      many(200, { ...today, created_at: new Date(Date.now() - 90_000_000) }),
      'may',
    ],
    'after 200 requests of others that ended today': [many(200, { ...today, asker_id: MOVE }), 'may'],
  },
  waitsFor: ['with a closed account', 'a closed account'],
};

const until = (of: string, end: string, said: string): Decision => ({
  ...asking,
  of: `whether a person may ask for money ${of}: ask_for_money`,
  calls: [
    `SELECT ask_for_money(gen_random_uuid(), '${ME}', '${OTHER}', 5, NULL, ${end})`,
    `SELECT coalesce((SELECT round(extract(epoch FROM expires_at - created_at) / 86400)::text FROM money_requests), 'refused') AS said`,
  ],
  cases: { 'for the first time': [{}, said] },
  waitsFor: [],
});
const untils: readonly Decision[] = [
  until('without an end', 'NULL', '7'),
  until('until a moment ago', `clock_timestamp() - interval '1 second'`, 'refused'),
  until('for a year', `clock_timestamp() + interval '365 days'`, '365'),
  until('for two years', `clock_timestamp() + interval '730 days'`, 'refused'),
];

const expiring: Decision = {
  of: 'whether a request is marked as expired: expire_money_requests',
  rows: { money_requests: { ...request, ...past } },
  calls: ['SELECT expire_money_requests(10) AS said'],
  cases: {
    'that has expired': [{}, '1'],
    'that is open': [{ money_requests: { created_at: 'yesterday', expires_at: 'tomorrow' } }, '0'],
    'that was paid before': [{ money_requests: { state: 'paid', ended_at: '2020-01-01' } }, '0'],
    'and another one': [{ 'money_requests 2': { ...request, ...past, request_id: OTHER } }, '2'],
  },
};

const account = { asset_id: 9, kind: 'user', tier: 0 };
const paying: Decision = {
  of: 'whether a request counts as paid: guard_money_request',
  rows: {
    users: { user_id: ME },
    'users 2': { user_id: OTHER, subject: 'other' },
    money_requests: open,
    accounts: { ...account, account_id: 9001, user_id: ME },
    'accounts 2': { ...account, account_id: 9002, user_id: OTHER },
    'accounts 3': { ...account, account_id: 9003, user_id: MOVE },
    transfers: {
      ...{ transfer_id: ID, kind: 'user', amount: 5, asset_id: 9, debit_account: 9002, credit_account: 9001 },
      ...{ credit_entry: 1, credit_available: 1 },
    },
  },
  hasTriggers: true,
  calls: [
    `UPDATE money_requests SET state = 'paid', ended_at = now() WHERE request_id = '${ID}' RETURNING state AS said`,
  ],
  cases: {
    'that its payment pays': [{}, 'paid'],
    'that no payment pays': [{ transfers: null }, /paid by its own payment/],
    'that another payment pays': [{ transfers: { transfer_id: OTHER } }, /paid by its own payment/],
    'with another amount': [{ transfers: { amount: 4 } }, /paid by its own payment/],
    'from another person': [{ transfers: { debit_account: 9003 } }, /paid by its own payment/],
    'to another person': [{ transfers: { credit_account: 9003 } }, /paid by its own payment/],
    'that a deposit pays': [{ transfers: { kind: 'deposit' } }, /paid by its own payment/],
    'that was cancelled': [
      { money_requests: { state: 'cancelled', ended_at: 'now' } },
      /cannot go from cancelled to paid/,
    ],
    'that was paid before': [{ money_requests: { state: 'paid', ended_at: 'now' } }, /cannot go from paid to paid/],
  },
};

const terms = (change: string): Decision => ({
  of: `whether an end may change the terms of a request (${change}): guard_money_request`,
  rows: { money_requests: open },
  hasTriggers: true,
  calls: [
    `UPDATE money_requests SET state = 'cancelled', ended_at = now(), ${change} WHERE request_id = '${ID}' RETURNING state AS said`,
  ],
  cases: { never: [{}, /terms of a money request cannot change/] },
});
const CHANGES = [
  `asker_id = '${MOVE}'`,
  `payer_id = '${MOVE}'`,
  'amount = 6',
  `created_at = created_at - interval '1 second'`,
  `expires_at = expires_at + interval '1 second'`,
];

export const requestDecisions: readonly Decision[] = [
  finishing,
  asking,
  ...untils,
  expiring,
  paying,
  ...CHANGES.map(terms),
];
