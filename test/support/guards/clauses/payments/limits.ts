/** Decisions about what people and keys may still spend, and about sessions that end. */
import { loginOf } from '../../../operators.ts';
import { asOperator } from '../asOperator.ts';
import { hold, release } from '../custodyWorld.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID, KEY, ME, MOVE, OTHER, WALLET } from '../ids.ts';

/** The current hour of these accounts, which the clock does not reach during a test. */
const NOW = Math.floor(Date.now() / 3_600_000) + 10;
const asset = { network_id: 9, symbol: 'USDC' };
const world: Rows = {
  networks: { network_id: 9, blockchain: 'HERE' },
  'networks 2': { network_id: 8, blockchain: 'THERE' },
  assets: { ...asset, asset_id: 9 },
  'assets 2': { ...asset, asset_id: 8, network_id: 8 },
  users: { user_id: ME },
  'users 2': { user_id: OTHER, subject: 'other' },
  accounts: { account_id: 9001, asset_id: 9, kind: 'user', user_id: ME, tier: 0, hour: NOW },
};
const HOME = 'SELECT ledger_set_home_asset(9::smallint)';

const left: Decision = {
  of: 'what a person has spent: limits_left',
  rows: world,
  calls: [
    HOME,
    `SELECT concat_ws(' ', payments, day_spent, month_spent, extract(epoch FROM day_resets_at)::bigint / 3600 - ${NOW},
              extract(epoch FROM month_resets_at)::bigint / 3600 - ${NOW}, reason) AS said FROM limits_left('${ME}', 'USDC')`,
  ],
  cases: {
    nothing: [{}, '0 0 0'],
    'in this hour': [{ accounts: { hour: NOW, hour_payments: 2, hour_spent: 7 } }, '2 7 7 25 721'],
    'in an hour before': [{ spendings: { account_id: 9001, hour: NOW - 3, payments: 2, spent: 7 } }, '2 7 7 22 718'],
    'in the first hour of a day': [
      { spendings: { account_id: 9001, hour: NOW - 24, payments: 2, spent: 7 } },
      '2 7 7 1 697',
    ],
    'before a day': [{ spendings: { account_id: 9001, hour: NOW - 25, payments: 2, spent: 7 } }, '0 0 7 696'],
    'in the first hour of a month': [
      { spendings: { account_id: 9001, hour: NOW - 720, payments: 2, spent: 7 } },
      '0 0 7 1',
    ],
    'before a month': [{ spendings: { account_id: 9001, hour: NOW - 721, payments: 2, spent: 7 } }, '0 0 0'],
    'in several hours': [
      {
        accounts: { hour: NOW, hour_payments: 1, hour_spent: 5 },
        spendings: { account_id: 9001, hour: NOW - 2, payments: 2, spent: 7 },
        'spendings 2': { account_id: 9001, hour: NOW - 30, payments: 4, spent: 9 },
      },
      '3 12 21 23 691',
    ],
    'that was given back': [{ spendings: { account_id: 9001, hour: NOW - 2, payments: 0, spent: 0 } }, '0 0 0'],
    'by another person': [{ spendings: { account_id: 9002, hour: NOW - 2, payments: 2, spent: 7 } }, '0 0 0'],
    'on another blockchain': [
      {
        'accounts 2': {
          account_id: 9002,
          asset_id: 8,
          kind: 'user',
          user_id: ME,
          tier: 0,
          hour: NOW,
          hour_payments: 2,
          hour_spent: 7,
        },
      },
      '0 0 0',
    ],
    'while they are paused': [
      { pauses: { scope: `user:${ME}`, reason: 'why' } },
      '0 0 0 the operator of this service has stopped them and can say why',
    ],
    'while another person is paused': [{ pauses: { scope: `user:${OTHER}`, reason: 'why' } }, '0 0 0'],
    'without an account': [{ accounts: null }, '0 0 0'],
  },
};

const tier = {
  tier: 99,
  name: 'some',
  currency: 'USDC',
  payment_limit: 10,
  day_limit: 20,
  month_limit: 30,
  day_payments: 4,
};
const broken = (of: string, counters: string, said: string): Decision => ({
  of: `which limit a payment of 5 exceeds ${of}: broken_limit`,
  rows: { ...world, tiers: tier, spendings: { account_id: 9001, hour: NOW - 2, payments: 2, spent: 7 } },
  calls: [
    `SELECT concat_ws(' ', r->>'limit', r->>'maximum', r->>'left', r->>'unit',
              round(extract(epoch FROM (r->>'resets_at')::timestamptz) / 3600)::bigint - ${NOW}, r->>'raised_by') AS said
       FROM tiers t, broken_limit(t, ${counters}) r WHERE t.tier = 99`,
  ],
  cases: { 'of its tier': [{}, said] },
});
const brokens: readonly Decision[] = [
  broken('alone', `11, 9001, ${NOW}, 0, 0, 0`, 'payment 10 10 USDC kyc'),
  broken('with this day', `5, 9001, ${NOW}, 1, 16, 16`, 'day 20 4 USDC 23 kyc'),
  broken('with this month', `5, 9001, ${NOW}, 1, 0, 26`, 'month 30 4 USDC 719 kyc'),
  broken('with its number', `5, 9001, ${NOW}, 4, 0, 0`, 'count 4 0 payments 23 kyc'),
  broken('when nothing was spent', `5, 9002, ${NOW}, 1, 16, 16`, 'day 20 4 USDC 25 kyc'),
];

const key = {
  ...{ key_id: KEY, pays: 'people', allowed: true, payment_limit: 100, day_limit: 200, month_limit: 300 },
  ...{ counted_since: '2020-01-01', hour: NOW },
};
const keyLimits: Decision = {
  of: 'which limit of a key a payment exceeds: broken_key_limit',
  rows: {
    key_budgets: { ...key, day_limit: 20, month_limit: 30, day_spent: 16, month_spent: 16 },
    key_spendings: { key_id: KEY, pays: 'people', hour: NOW - 2, spent: 7 },
  },
  calls: [
    `SELECT concat_ws(' ', r->>'code', r->'details'->>'limit', r->'details'->>'maximum', r->'details'->>'left') AS said
       FROM broken_key_limit('${KEY}', 'people', 4) r`,
  ],
  cases: {
    'of its day': [{}, 'key.limit_exceeded day 0.00002 0.000004'],
    'of its month': [{ key_budgets: { month_spent: 28 } }, 'key.limit_exceeded month 0.00003 0.000004'],
    'without a limit of its day': [{ key_budgets: { day_limit: null } }, 'key.limit_exceeded month 0.00003 0.000004'],
    'without a limit of its month': [{ key_budgets: { month_limit: null } }, 'key.limit_exceeded day 0.00002 0.000004'],
  },
};

const givingBack = (state: string, cases: Decision['cases']): Decision => ({
  of: `what a key gets back when its payment becomes ${state}: give_back_to_key`,
  rows: {
    ...world,
    transfers: { ...hold, created_at: '2020-01-02' },
    'transfers 2': release,
    wallets: { wallet_id: WALLET, kind: 'user', user_id: ME, provider: 'local', address: `0x${'1'.repeat(40)}` },
    payments: {
      payment_id: ID,
      state: 'QUEUED',
      destination: `0x${'a'.repeat(40)}`,
      wallet_id: WALLET,
      amount: 5,
      key_id: KEY,
    },
    service_keys: { key_id: KEY, hash: Buffer.alloc(32), scopes: '{send}' },
    key_budgets: key,
    'key_budgets 2': { ...key, pays: 'treasury' },
  },
  hasTriggers: true,
  calls: [
    `UPDATE payments SET state = '${state}'`,
    `SELECT coalesce((SELECT pays || ' ' || amount || ' ' || (hour = hour_of('2020-01-02')) FROM key_refunds), 'nothing') AS said`,
  ],
  cases,
});
const givings: readonly Decision[] = [
  ...['FAILED', 'DENIED', 'CANCELLED'].map((state) => givingBack(state, { 'for a person': [{}, 'people 5 true'] })),
  givingBack('CANCELLED', {
    'from the treasury': [{ wallets: { kind: 'treasury', user_id: null } }, 'treasury 5 true'],
    'without a key': [{ payments: { key_id: null } }, 'nothing'],
    'of another key': [
      { payments: { key_id: OTHER }, 'service_keys 2': { key_id: OTHER, hash: Buffer.alloc(32, 1), scopes: '{send}' } },
      'nothing',
    ],
    'from before the key was counted': [{ key_budgets: { counted_since: '2020-01-03' } }, 'nothing'],
    'from when the key was counted': [{ key_budgets: { counted_since: '2020-01-02' } }, 'people 5 true'],
  }),
  givingBack('COMPLETE', {
    'for a person': [{ 'transfers 2': { kind: 'post', credit_entry: 1, credit_available: 1 } }, 'nothing'],
  }),
];

const session = (id: string, user: string) => ({ session_id: id, user_id: user, expires_at: 'tomorrow' });
const ending: Decision = {
  of: 'which sessions an operator ends: end_sessions',
  rows: {
    operators: { name: loginOf('anna'), role: 'support', added_at: '2020-01-01' },
    'operators 2': { name: loginOf('rita'), role: 'admin', added_at: '2020-01-01' },
    users: { user_id: ME },
    accounts: { account_id: 9001, asset_id: 9, kind: 'user', user_id: ME, tier: 0 },
    sessions: session(ID, ME),
    'sessions 2': session(MOVE, ME),
    'sessions 3': session(OTHER, OTHER),
  },
  calls: [
    asOperator(
      'anna',
      `SELECT end_sessions('${ME}', 'x') AS said`,
      `SELECT coalesce((SELECT string_agg(CASE session_id WHEN '${ID}' THEN 'one' WHEN '${MOVE}' THEN 'two' ELSE 'another' END || ' ' || ended_because, ', ' ORDER BY session_id DESC)
         FROM sessions WHERE ended_at IS NOT NULL), 'none') || (SELECT ': ' || action || CASE user_id WHEN '${ME}' THEN ' me' ELSE '' END FROM audit_log) AS said`,
    ),
  ],
  cases: {
    'that are open': [{}, '2, one revoked, two revoked: sessions.ended me'],
    'of which one has ended': [
      { sessions: { ended_at: 'yesterday', ended_because: 'replaced' } },
      '1, one replaced, two revoked: sessions.ended me',
    ],
    'of which one has expired': [
      { sessions: { created_at: '2020-01-01', last_used_at: '2020-01-01', expires_at: 'yesterday' } },
      '1, two revoked: sessions.ended me',
    ],
    'of a person without one': [{ sessions: null, 'sessions 2': null }, '0, none: sessions.ended me'],
    'without the role': [{ operators: { name: loginOf('rolf') } }, /is not an operator of this service/],
  },
  waitsFor: ['of which one has ended'],
};

const closed = /the account is closed/;
const opening = (of: string, call: string): Decision => ({
  of: `whether ${of}: refuse_closed`,
  rows: {
    users: { user_id: ME },
    'users 2': { user_id: OTHER, subject: 'other', closed_at: 'now' },
    usernames: { username: 'alice', user_id: ME, redirect_until: 'tomorrow' },
    username_skeletons: { skeleton: 'alice', user_id: ME },
  },
  hasTriggers: true,
  calls: [`${call} RETURNING 'stored' AS said`],
  cases: { 'of an open account': [{}, 'stored'], 'of a closed account': [{ users: { closed_at: 'now' } }, closed] },
  waitsFor: ['of a closed account'],
});

const following: Decision = {
  of: 'which tier accounts get with the status of a person: follow_kyc',
  rows: {
    ...world,
    'accounts 2': { account_id: 9002, asset_id: 8, kind: 'user', user_id: ME, tier: 0 },
    'accounts 3': { account_id: 9003, asset_id: 9, kind: 'user', user_id: OTHER, tier: 0 },
    tiers: tier,
  },
  hasTriggers: true,
  calls: [
    `UPDATE kyc_tiers SET tier = 99 WHERE kyc_status = 'approved' AND currency = 'USDC'`,
    `UPDATE users SET kyc_status = 'approved' WHERE user_id = '${ME}'`,
    `SELECT string_agg(tier::text, ' ' ORDER BY account_id) || (SELECT ', ' || status FROM kyc_events) AS said FROM accounts WHERE account_id > 9000`,
  ],
  cases: {
    'that is new': [{}, '99 99 0, approved'],
    'of people who had it': [{ 'users 2': { kyc_status: 'approved' } }, '99 99 99, approved'],
    'in another currency': [
      { currencies: { currency: 'EURC', decimals: 6 }, 'assets 2': { symbol: 'EURC' } },
      '99 0 0, approved',
    ],
  },
};

export const limitDecisions: readonly Decision[] = [
  left,
  ...brokens,
  keyLimits,
  ...givings,
  ending,
  opening(
    'a session is stored',
    `INSERT INTO sessions (session_id, user_id, created_at, last_used_at, expires_at) VALUES ('${ID}', '${ME}', now(), now(), now() + interval '1 day')`,
  ),
  opening('a person gets their name back', 'UPDATE usernames SET redirect_until = NULL'),
  following,
];
