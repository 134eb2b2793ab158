import type { Decision } from './decide.ts';
import { ID, ME, OTHER, WALLET } from './ids.ts';

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

export const closing: Decision = {
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
};
