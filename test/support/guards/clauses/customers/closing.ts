import type { Decision } from '../decide.ts';
import { ID, ME, OTHER, WALLET } from '../ids.ts';

const [CLOSED, NOT_EMPTY] = ['closed', 'account.not_empty'] as const;
const request = { asker_id: OTHER, payer_id: ME, by_link: false, created_at: 'yesterday', expires_at: 'tomorrow' };
const payout = { payer_id: ME, on_shortage: 'wait', known_count: 0, known_total: 0 };
const confirmed = { ...payout, confirmed_at: 'now', waits_until: 'tomorrow' };
const arriving = {
  networks: { network_id: 9, blockchain: 'SOME-CHAIN' },
  assets: { asset_id: 9, network_id: 9 },
  wallets: { wallet_id: WALLET, kind: 'user', user_id: ME, provider: 'local', address: `0x${'1'.repeat(40)}` },
  pending_deposits: { asset_id: 9, wallet_id: WALLET },
};

const closing: Decision = {
  of: 'whether an account may be closed: close_account',
  rows: {
    users: { user_id: ME },
    'users 2': { user_id: OTHER, subject: 'other' },
    accounts: { account_id: 9001, kind: 'user', user_id: ME, tier: 0 },
    'accounts 2': { account_id: 9002, kind: 'user', user_id: OTHER, tier: 0, available: 5, held: 5 },
  },
  calls: [`SELECT coalesce(close_account('${ME}', 30)->>'code', 'closed') AS said`],
  cases: {
    'with nothing in it': [{}, CLOSED],
    'that is closed': [{ users: { closed_at: 'now' } }, 'account.closed'],
    'with money': [{ accounts: { available: 1 } }, NOT_EMPTY],
    'with money on another blockchain': [
      { 'accounts 3': { account_id: 9003, asset_id: 2, kind: 'user', user_id: ME, tier: 0, available: 1 } },
      NOT_EMPTY,
    ],
    'with money that is held': [{ accounts: { held: 1 } }, NOT_EMPTY],
    'with a debt': [{ debts: { account_id: 9001, amount: 5 } }, NOT_EMPTY],
    'with a partly collected debt': [{ debts: { account_id: 9001, amount: 5, collected: 4 } }, NOT_EMPTY],
    'with a debt that is collected': [{ debts: { account_id: 9001, amount: 5, collected: 5 } }, CLOSED],
    'while another person has a debt': [{ debts: { account_id: 9002, amount: 5 } }, CLOSED],
    'with a deposit that is not final': [arriving, NOT_EMPTY],
    'while another person gets a deposit': [{ ...arriving, wallets: { ...arriving.wallets, user_id: OTHER } }, CLOSED],
    'that is asked for money': [{ money_requests: request }, NOT_EMPTY],
    'that asks for money': [{ money_requests: { ...request, asker_id: ME, payer_id: OTHER } }, NOT_EMPTY],
    'that asks for money by a link': [
      { money_requests: { ...request, asker_id: ME, payer_id: null, by_link: true } },
      NOT_EMPTY,
    ],
    'with a request that has expired': [
      { money_requests: { ...request, created_at: '2020-01-01', expires_at: '2020-01-02' } },
      CLOSED,
    ],
    'with a request that has ended': [{ money_requests: { ...request, state: 'cancelled', ended_at: 'now' } }, CLOSED],
    'while others ask each other': [{ money_requests: { ...request, payer_id: ID } }, CLOSED],
    'with a payout that is checked': [{ payouts: payout }, CLOSED],
    'with a payout that waits for approvals': [{ payouts: { ...confirmed, state: 'approving' } }, NOT_EMPTY],
    'with a payout that runs': [{ payouts: { ...confirmed, state: 'running' } }, NOT_EMPTY],
    'with a payout that waits': [{ payouts: { ...confirmed, state: 'waiting', waits_for: '{}' } }, NOT_EMPTY],
    'with a payout that stops': [{ payouts: { ...confirmed, state: 'stopping', cancelled_at: 'now' } }, CLOSED],
    'with a payout that has ended': [{ payouts: { ...confirmed, state: 'complete', ended_at: 'now' } }, CLOSED],
    'while another person has a payout': [{ payouts: { ...confirmed, payer_id: OTHER, state: 'running' } }, CLOSED],
  },
  waitsFor: ['that is closed', 'with money'],
};

const held = {
  transfer_id: ID,
  kind: 'hold',
  debit_account: 9001,
  credit_account: 9003,
  amount: 5,
  asset_id: 1,
  debit_held: 5,
};
const counting: Decision = {
  of: 'what prevents closing an account: close_account',
  rows: {
    ...closing.rows,
    accounts: { ...closing.rows.accounts, available: 1, held: 5 },
    debts: { account_id: 9001, amount: 5, collected: 2 },
    transfers: { ...held, seq: -1 },
    money_requests: request,
  },
  calls: [
    `SELECT concat_ws(' ', d->>'available', d->>'held', d->>'owed', d->>'open_payments', d->>'open_requests', d->>'open_payouts') AS said
       FROM (SELECT close_account('${ME}', 30)->'details' AS d) o`,
  ],
  cases: {
    'with one of each': [{}, '1 5 3 1 1 0'],
    'with a hold that has ended': [
      { 'transfers 2': { ...held, transfer_id: OTHER, kind: 'release', hold_id: ID, seq: -2, debit_entry: 2 } },
      '1 5 3 0 1 0',
    ],
    'while another hold has ended': [
      { 'transfers 2': { ...held, transfer_id: OTHER, kind: 'release', hold_id: WALLET, seq: -2, debit_entry: 2 } },
      '1 5 3 1 1 0',
    ],
    'with a hold of another person': [{ transfers: { debit_account: 9002 } }, '1 5 3 0 1 0'],
    'with a payment to a person': [
      { transfers: { kind: 'user', debit_held: null, credit_entry: 1, credit_available: 1 } },
      '1 5 3 0 1 0',
    ],
    'with two payouts': [
      {
        payouts: { ...confirmed, state: 'running' },
        'payouts 2': { ...confirmed, payout_id: OTHER, state: 'waiting', waits_for: '{}' },
      },
      '1 5 3 1 1 2',
    ],
  },
};

const session = (user: string, id: string) => ({ session_id: id, user_id: user, expires_at: 'tomorrow' });
const leaving: Decision = {
  of: 'what ends with an account: close_account',
  rows: {
    ...closing.rows,
    sessions: session(ME, ID),
    'sessions 2': session(OTHER, OTHER),
    usernames: { username: 'alice', user_id: ME },
    'usernames 2': { username: 'bobby', user_id: OTHER },
    'usernames 3': { username: 'alice_old', user_id: ME, redirect_until: '2020-01-01' },
    payouts: { ...payout, payout_id: ID },
    'payouts 2': { ...payout, payout_id: OTHER, payer_id: OTHER },
  },
  calls: [
    `SELECT close_account('${ME}', 30)`,
    `SELECT concat_ws(', ',
       (SELECT 'closed ' || string_agg(CASE user_id WHEN '${ME}' THEN 'me' ELSE 'other' END, ' ') FROM users WHERE closed_at IS NOT NULL),
       (SELECT 'sessions ' || string_agg(CASE user_id WHEN '${ME}' THEN 'me ' ELSE 'other ' END || ended_because, ' ') FROM sessions WHERE ended_at IS NOT NULL),
       (SELECT 'names ' || string_agg(username || CASE WHEN redirect_until > now() + interval '29 days' THEN ' later' ELSE ' past' END, ' ' ORDER BY username)
          FROM usernames WHERE redirect_until IS NOT NULL),
       (SELECT 'payouts ' || string_agg(CASE payer_id WHEN '${ME}' THEN 'me ' ELSE 'other ' END || state, ' ' ORDER BY payer_id) FROM payouts),
       (SELECT 'paused ' || string_agg(account_id::text, ' ') FROM accounts WHERE paused),
       (SELECT string_agg(replace(scope, '${ME}', 'me') || ' ' || cause, ' ') FROM pauses),
       (SELECT string_agg(action, ' ' ORDER BY audit_id) FROM audit_log WHERE user_id = '${ME}')) AS said`,
  ],
  cases: {
    'with everything that a person has': [
      {},
      'closed me, sessions me revoked, names alice later alice_old past, payouts me cancelled other checked, paused 9001, user:me closed, payout.cancelled account.closed',
    ],
    'with a session that has ended': [
      { sessions: { ended_at: 'yesterday', ended_because: 'replaced' } },
      'closed me, sessions me replaced, names alice later alice_old past, payouts me cancelled other checked, paused 9001, user:me closed, payout.cancelled account.closed',
    ],
    'with a payout that has ended': [
      { payouts: { ...confirmed, state: 'complete', ended_at: 'now' } },
      'closed me, sessions me revoked, names alice later alice_old past, payouts me complete other checked, paused 9001, user:me closed, account.closed',
    ],
  },
};

export const closingDecisions: readonly Decision[] = [closing, counting, leaving];
