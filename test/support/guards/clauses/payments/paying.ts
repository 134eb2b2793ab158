/** Decisions about payments between people, also those that answer a request for money. */
import type { Decision, Rows } from '../decide.ts';
import { ID, ME, MOVE, OTHER } from '../ids.ts';

const NOW = Math.floor(Date.now() / 3_600_000) + 1;
const account = {
  asset_id: 9,
  kind: 'user',
  tier: 99,
  entries: 7,
  available: 100,
  last_seq: -50,
  last_entry: 7,
  hour: NOW,
};
const tier = {
  tier: 99,
  name: 'some',
  currency: 'USDC',
  payment_limit: 20,
  day_limit: 30,
  month_limit: 40,
  day_payments: 4,
};
const people: Rows = {
  users: { user_id: ME },
  'users 2': { user_id: OTHER, subject: 'other' },
  accounts: { ...account, account_id: 9001, user_id: ME },
  'accounts 2': { ...account, account_id: 9002, user_id: OTHER },
  tiers: tier,
};

interface Batch {
  readonly debit?: number;
  readonly credit?: number;
  readonly isKeyed?: boolean;
  readonly amount?: number;
}
/** The parameters of one payment of 5 by 9001 to 9002, named `bobby`, of a session. */
const one = ({ debit = 1, credit = 2, isKeyed = true, amount = 5 }: Batch = {}) =>
  `s.sessions_epoch, s.sessions_random, 9::smallint, s.names_epoch, s.names_random, '{9001,9002}', '{-${amount},${amount}}', '{${amount},0}', '{1,0}', '{1,1}',
   '{1,1}', '{${ID}}', '{${isKeyed}}', '{${debit}}', '{${credit}}', '{${amount}}', '{alice}', '{bobby}', '{NULL}'`;

interface Paid {
  readonly available: readonly (bigint | null)[] | null;
  readonly exceptions: Readonly<
    Record<string, { readonly code?: string; readonly old?: string; readonly same?: boolean }>
  >;
}
/** What is answered; balances, entries, and what counts for limits; the row of the ledger; and the stored refusal. */
const LEFT = `SELECT (SELECT string_agg(concat_ws('/', available, entries, day_payments, day_spent, month_spent), ' ' ORDER BY account_id) FROM accounts WHERE account_id > 9000)
  || coalesce((SELECT concat_ws(' ', ':', debit_entry, debit_available, 'to', credit_entry, credit_available, 'after', debit_prev, credit_prev) FROM transfers WHERE transfer_id = '${ID}' AND seq > 0), '')
  || coalesce((SELECT ', stored ' || code FROM refusals), '') AS said`;
const pay = (call: string): Decision['calls'] => [
  async (db) => {
    const [row] = await db.query<Paid>(
      `SELECT b.o_available AS available, b.o_exceptions AS exceptions FROM ledger_state s, ${call} b`,
    );
    const refused = Object.entries(row!.exceptions).map(([nth, { code, old, same }]) =>
      nth === '1' ? [old && `${same ? 'the same' : 'another one'} was ${old}`, code].filter(Boolean).join(': ') : nth,
    );
    const [rest] = await db.query<{ said: string }>(LEFT);
    return `${refused.join() || 'paid'}; ${rest!.said}`;
  },
];
const UNCHANGED = '100/7/0/0/0 100/7/0/0/0';
const PAID = 'paid; 95/8/1/5/5 105/8/0/0/0: 8 95 to 8 105 after -50 -50';
const before = (row: object): Rows => ({
  transfers: {
    ...{ transfer_id: ID, kind: 'user', debit_account: 9001, credit_account: 9002, amount: 5, asset_id: 9, seq: -1 },
    ...{ credit_entry: 1, credit_available: 1, to_name: 'bobby', ...row },
  },
});
const refused = (row: object): Rows => ({
  refusals: {
    payment_id: ID,
    receiver: 'bobby',
    amount: 5,
    code: 'old.code',
    details: '{}',
    created_at: 'now',
    ...row,
  },
});
const batching: Decision = {
  of: 'whether a payment to a person is made: ledger_pay_batch',
  rows: people,
  calls: pay(`ledger_pay_batch(${one()})`),
  cases: {
    'with money': [{}, PAID],
    'with exactly this money': [
      { accounts: { available: 5 } },
      'paid; 0/8/1/5/5 105/8/0/0/0: 8 0 to 8 105 after -50 -50',
    ],
    'with less money': [
      { accounts: { available: 4 } },
      'balance.insufficient; 4/7/0/0/0 100/7/0/0/0, stored balance.insufficient',
    ],
    'after one without a link': [{ accounts: { last_entry: 6 } }, PAID.replace('after -50 -50', 'after -50')],
    'of a paused person': [
      { accounts: { paused: true }, pauses: { scope: `user:${ME}` } },
      `user.paused; ${UNCHANGED}`,
    ],
    'to a paused person': [{ 'accounts 2': { paused: true }, pauses: { scope: `user:${OTHER}` } }, PAID],
    'while everything is paused': [{ pauses: { scope: 'all' } }, `service.paused; ${UNCHANGED}`],
    'while payments of people are paused': [{ pauses: { scope: 'user' } }, `service.paused; ${UNCHANGED}`],
    'while blockchains are paused': [{ pauses: { scope: 'chain' } }, PAID],
    'of a person who may not pay': [{ tiers: { payment_limit: 0 } }, `kyc.required; ${UNCHANGED}, stored kyc.required`],
    'up to the limit of a payment': [{ tiers: { payment_limit: 5 } }, PAID],
    'beyond the limit of a payment': [
      { tiers: { payment_limit: 4 } },
      `limit.exceeded; ${UNCHANGED}, stored limit.exceeded`,
    ],
    'up to the limit of a day': [{ accounts: { day_spent: 25, month_spent: 25 } }, PAID.replace('1/5/5', '1/30/30')],
    'beyond the limit of a day': [
      { accounts: { day_spent: 26, month_spent: 26 } },
      'limit.exceeded; 100/7/0/26/26 100/7/0/0/0, stored limit.exceeded',
    ],
    'beyond the limit of a month': [
      { accounts: { month_spent: 36 } },
      'limit.exceeded; 100/7/0/0/36 100/7/0/0/0, stored limit.exceeded',
    ],
    'beyond the number of a day': [
      { accounts: { day_payments: 4 } },
      'limit.exceeded; 100/7/4/0/0 100/7/0/0/0, stored limit.exceeded',
    ],
    'up to the number of a day': [{ accounts: { day_payments: 3 } }, PAID.replace('1/5/5', '4/5/5')],
    'in a new hour': [
      {
        accounts: { hour: NOW - 30, hour_payments: 2, hour_spent: 9, day_payments: 2, day_spent: 9, month_spent: 9 },
      },
      PAID.replace('1/5/5', '1/5/14'),
    ],
    'that was made before': [before({}), `the same was paid; ${UNCHANGED}`],
    'that was made with another amount': [before({ amount: 4 }), `another one was paid; ${UNCHANGED}`],
    'that was made by another person': [
      before({ debit_account: 9002, credit_account: 9003 }),
      `another one was paid; ${UNCHANGED}`,
    ],
    'that was made to another name': [before({ to_name: 'robert' }), `another one was paid; ${UNCHANGED}`],
    'that was made to this name, which was another then': [
      before({ to_name: 'robert', typed_name: 'bobby' }),
      `the same was paid; ${UNCHANGED}`,
    ],
    'whose id is a deposit': [before({ kind: 'deposit' }), `another one was paid; ${UNCHANGED}`],
    'that was refused before': [refused({}), `the same was refused: old.code; ${UNCHANGED}, stored old.code`],
    'that was refused with another amount': [
      refused({ amount: 4 }),
      `another one was refused: old.code; ${UNCHANGED}, stored old.code`,
    ],
    'that was refused to another name': [
      refused({ receiver: 'robert' }),
      `another one was refused: old.code; ${UNCHANGED}, stored old.code`,
    ],
    'in another asset': [{ 'accounts 2': { asset_id: 8 } }, /not all accounts are users' accounts/],
    'to the treasury': [{ 'accounts 2': { kind: 'treasury', user_id: null } }, /not all accounts are users' accounts/],
  },
  waitsFor: ['with less money', 'of a paused person', 'beyond the limit of a day'],
};
const other = (of: string, batch: Batch, said: string | RegExp, changes: Rows = {}): Decision => ({
  ...batching,
  of: `whether a payment ${of} is made: ledger_pay_batch`,
  calls: pay(`ledger_pay_batch(${one(batch)})`),
  cases: { 'with money': [changes, said] },
  waitsFor: [],
});
const stale = (of: string, change: string, said: string): Decision => ({
  ...batching,
  of: `whether a payment is made after ${of}: ledger_pay_batch`,
  calls: pay(`ledger_pay_batch(${one().replace(...(change.split(' => ') as [string, string]))})`),
  cases: { 'with money': [{}, said] },
  waitsFor: [],
});

const request = {
  request_id: ID,
  asker_id: OTHER,
  payer_id: ME,
  by_link: false,
  amount: 5,
  created_at: 'yesterday',
  expires_at: 'tomorrow',
};
const ENDED = (state: string) => ({ money_requests: { state, ended_at: state === 'expired' ? 'tomorrow' : 'now' } });
const MISFIT = /is not what request .* asks for/;
const requesting: Decision = {
  of: 'whether a payment of a request is made: pay_money_requests',
  rows: { ...people, 'users 3': { user_id: MOVE, subject: 'third' }, money_requests: request },
  calls: [
    ...pay(`pay_money_requests('{${ID}}', ${one({ isKeyed: false })})`).map(
      (call) => async (db: Parameters<Exclude<typeof call, string>>[0]) => {
        const said = await (call as (on: typeof db) => Promise<string>)(db);
        const [row] = await db.query<{ state: string; payer: boolean | null }>(
          `SELECT state, payer_id = '${ME}' AS payer FROM money_requests`,
        );
        return `${said.split(';')[0]}, ${row ? `${row.state} ${row.payer}` : 'no request'}`;
      },
    ),
  ],
  cases: {
    'that is open': [{}, 'paid, paid true'],
    'by a link': [{ money_requests: { by_link: true, payer_id: null } }, 'paid, paid true'],
    'that has expired': [
      { money_requests: { created_at: '2020-01-01', expires_at: '2020-01-02' } },
      'money_request.ended, open true',
    ],
    'that was marked as expired': [ENDED('expired'), 'money_request.ended, expired true'],
    'that was declined': [ENDED('declined'), 'money_request.ended, declined true'],
    'that was cancelled': [ENDED('cancelled'), 'money_request.ended, cancelled true'],
    'that was paid by this person': [{ ...ENDED('paid'), ...before({}) }, 'the same was paid, paid true'],
    'by a link, that was paid by another person': [
      { money_requests: { state: 'paid', ended_at: 'now', by_link: true, payer_id: MOVE } },
      'money_request.ended, paid false',
    ],
    'to another person': [{ money_requests: { payer_id: MOVE } }, 'money_request.unknown, open false'],
    'that does not exist': [{ money_requests: null }, 'money_request.unknown, no request'],
    'of another amount': [{ money_requests: { amount: 6 } }, MISFIT],
    'of another person': [{ money_requests: { asker_id: MOVE } }, MISFIT],
    'with too little money': [{ accounts: { available: 4 } }, 'balance.insufficient, open true'],
  },
  waitsFor: ['that was cancelled', 'that was declined', 'with too little money'],
};

export const payingDecisions: readonly Decision[] = [
  batching,
  other('by no one', { debit: 0 }, `user.unknown; ${UNCHANGED}, stored user.unknown`),
  other('to no one', { credit: 0 }, `username.unknown; ${UNCHANGED}, stored username.unknown`),
  other('to oneself', { credit: 1 }, `payment.self; ${UNCHANGED}, stored payment.self`),
  other('without a key', { isKeyed: false }, PAID),
  other('without a key and without money', { isKeyed: false }, 'balance.insufficient; 4/7/0/0/0 100/7/0/0/0', {
    accounts: { available: 4 },
  }),
  other('of a position that does not exist', { debit: 3 }, /arguments of ledger_pay_batch are not valid/),
  stale('a session has ended', 's.sessions_epoch => s.sessions_epoch - 1', `changed; ${UNCHANGED}`),
  stale('a restart', 's.sessions_random => s.sessions_random - 1', `changed; ${UNCHANGED}`),
  stale('a name has changed', 's.names_epoch => s.names_epoch - 1', `stale; ${UNCHANGED}`),
  stale('names were read elsewhere', 's.names_random => s.names_random - 1', `stale; ${UNCHANGED}`),
  stale('nothing, without a session', 's.sessions_epoch => NULL', PAID),
  requesting,
];
