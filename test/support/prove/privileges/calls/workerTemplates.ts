/** Valid calls of workers and signers. */
import { endId } from '../../../../../server/src/payments/sends/finishPayment.ts';
import { HOME_ASSET, HOME_CHAIN, hashOf, idOf, NEW_ASSET, userOf, walletOf } from '../world/names.ts';
import { chooseAmount } from './known.ts';
import type { Template } from './moneyTemplates.ts';
import { RAILS, SEND_RULES } from './shapes.ts';

const postHold: Template = (random, known) => ({
  p_id: random.chance(0.8) ? endId('post', idOf('payment', 15)) : random.uuid(),
  p_kind: 'post',
  p_debit: known.account('alice'),
  p_credit: known.serviceAccount('chain'),
  p_amount: 6_000_000n,
  p_hold: idOf('payment', 15),
  p_from: null,
});

const nonceOf = (id: string): string => `\\x${id.replaceAll('-', '').repeat(2)}`;

export const WORKER_TEMPLATES: Readonly<Record<string, Template>> = {
  ledger_move: (random, known) =>
    random.chance(0.4)
      ? postHold(random, known)
      : {
          p_id: random.uuid(),
          p_kind: random.pick(['deposit', 'internal', 'hold']),
          p_debit: random.pick([known.serviceAccount('chain'), known.account(known.anyone(random))]),
          p_credit: known.account(known.anyone(random)),
          p_amount: chooseAmount(random),
          p_hold: null,
          p_from: null,
        },
  ledger_deposit: (random, known) => ({
    p_asset: HOME_ASSET,
    p_ids: [random.uuid(), random.uuid()],
    p_accounts: [known.account('alice'), known.account('bob')],
    p_amounts: [1_000_000n, 2_000_000n],
    p_froms: ['0xf', '0xf'],
  }),
  credit_deposits: (random) => ({ p_asset: HOME_ASSET, p_ids: [idOf('deposit', 1 + random.int(5))] }),
  write_off_deposits: (random) => ({ p_asset: HOME_ASSET, p_ids: [idOf('deposit', 1 + random.int(5))] }),
  post_holds: (random) => ({ p_payments: [idOf('payment', random.pick([11, 12, 14, 15, 18, 20]))] }),
  queue_payments: (random) => ({
    p_asset: HOME_ASSET,
    p_ids: random
      .shuffle([11, 12, 13, 14, 19])
      .slice(0, 3)
      .map((nth) => idOf('payment', nth)),
    p_rails: { json: RAILS },
  }),
  pay_payout_people: (random) => ({
    p_payout: idOf('payout', random.pick([1, 2, 3, 3, 4])),
    p_after: 0n,
    p_limit: 100n,
  }),
  send_payout_rows: (random) => ({
    p_payout: idOf('payout', random.pick([3, 3, 4])),
    p_rules: { json: SEND_RULES },
    p_rows: { json: [{ nth: 2, asked: true, blocked: random.chance(0.1), trace: null }] },
  }),
  recover_payout_rows: (random) => ({
    p_payout: idOf('payout', random.pick([3, 3, 4])),
    p_rows: { json: [{ nth: 2, trace: random.pick(['00', 'ff']).repeat(32) }] },
  }),
  settle_payout: (random) => ({ p_payout: idOf('payout', random.pick([3, 4, 1])), p_waits: null }),
  payments_advance: (random) => ({
    p_ids: [idOf('payment', random.pick([11, 12, 15, 20]))],
    p_states: [random.pick(['QUEUED', 'SENT', 'CLEARED', 'CONFIRMED', 'COMPLETE'])],
    p_tx_hashes: [hashOf(600)],
    p_network_fees: null,
    p_error_reasons: null,
  }),
  expire_money_requests: () => ({ p_limit: 100n }),
  keep_send_rules: () => ({ p_threshold: 100_000_000n, p_delay: 0n, p_open_treasury: false }),
  forget_some: (random) => ({
    p_what: random.pick(['audit', 'audit', 'spendings', 'answers', 'notes', 'sessions']),
    p_days: 400n,
    p_pages: 100n,
  }),
  keep_positions: () => ({ p_asset: HOME_ASSET, p_wallets: [walletOf('alice'), walletOf('bob')] }),
  wake_sends: () => ({ p_asset: HOME_ASSET, p_wallets: [walletOf('alice')] }),
  adopt_unexplained: (random) => ({
    p_asset: HOME_ASSET,
    p_tx_hash: hashOf(501),
    p_log_index: 0n,
    p_wallet: walletOf('bob'),
    p_ordinal: 0n,
    p_deposit: random.uuid(),
  }),
  end_unexplained_at: () => ({
    p_asset: HOME_ASSET,
    p_tx_hash: hashOf(502),
    p_log_index: 0n,
    p_settlement: idOf('move', 1),
  }),
  schedule_job: (random) => ({ p_kind: `submit ${HOME_CHAIN}`, p_key: random.uuid(), p_run_at: null }),
  claim_in_order: () => ({ p_endpoint: idOf('endpoint', 1), p_limit: 10n, p_claim_ms: 1_000n }),
  ledger_open_house_account: (random) => ({
    p_asset: NEW_ASSET,
    p_kind: random.pick(['chain', 'treasury', 'fees', 'loss']),
  }),
  ledger_open_user_accounts: (random, known) => ({ p_asset: NEW_ASSET, p_users: [userOf(known.anyone(random))] }),
  ledger_open_token: (random) => ({ p_blockchain: random.pick([HOME_CHAIN, 'BRAND-NEW']), p_currency: 'USDC' }),
  ledger_describe_asset: () => ({ p_asset: NEW_ASSET, p_chain_id: 77n, p_contract: '0xattacker' }),
  ledger_name_token: () => ({ p_asset: NEW_ASSET, p_name: 'Not USDC' }),
  ledger_set_home_asset: () => ({ p_asset: HOME_ASSET }),
  ask_rescan: () => ({ p_network: 1n, p_wallet: walletOf('alice'), p_from: 5n }),
  commit_signatures: () => ({
    p_moves: [idOf('payment', 15)],
    p_nonces: [nonceOf(idOf('payment', 15))],
    p_valid_before: 4_000_000_000n,
    p_signatures: [`\\x${'ab'.repeat(65)}`],
    p_day_limit: 1_000_000_000n,
  }),
  record_signatures: () => ({
    p_moves: [idOf('payment', 15)],
    p_nonces: [nonceOf(idOf('payment', 15))],
    p_valid_before: 4_000_000_000n,
    p_signatures: [`\\x${'ab'.repeat(65)}`],
  }),
  ask_transfer: (random) => ({ p_move: idOf('move', 1 + random.int(2)), p_queue: 10n, p_day_limit: 1_000_000_000n }),
  take_back_ask: () => ({ p_move: idOf('move', 1) }),
  resume_transfer: () => ({ p_move: idOf('move', 2) }),
  hold_transfer: () => ({ p_move: idOf('move', 1), p_key_life: '1 hour' }),
  take_turns: () => ({
    p_bucket: 'circle',
    p_window: '1 second',
    p_limit: 5n,
    p_most_yielding: 2n,
    p_wanted: 2n,
    p_wanted_yielding: 1n,
  }),
  choose_wallets: () => ({
    p_fingerprint: 'seed',
    p_provider: 'local',
    p_accounts: { json: {} },
    p_networks: { json: {} },
    p_from: null,
    p_rails: { json: RAILS },
  }),
  note_payees: (random, known) => ({ p_user: userOf(known.anyone(random)), p_most: 100n }),
  want_wallet: (random, known) => ({ p_user: userOf(known.anyone(random)) }),
  wake_transfer: () => ({ p_provider: 'circle_send', p_provider_id: 'provider-1' }),
  cancel_after_restore: (random) => ({ p_payment: idOf('payment', random.pick([11, 15])) }),
  cancel_at_provider: (random) => ({ p_payment: idOf('payment', random.pick([11, 15])) }),
  claim_unexplained: (random) => ({ p_move: random.pick([idOf('move', 1), idOf('move', 2), idOf('payment', 15)]) }),
  ask_cancellation: () => ({ p_move: idOf('payment', 15) }),
  end_unstarted: () => ({ p_move: idOf('payment', 15) }),
};
