/** Valid calls of operators' commands, and what processes and operators have in common. */
import { loginOf } from '../../../operators.ts';
import { HOME_ASSET, HOME_CHAIN, hashOf, idOf, userOf, walletOf } from '../world/names.ts';
import { chooseAmount } from './known.ts';
import type { Template } from './moneyTemplates.ts';
import { keyRules } from './shapes.ts';

const NAMES = ['ada', 'anna', 'rita', 'sven', 'mallory'] as const;

export const OPERATOR_TEMPLATES: Readonly<Record<string, Template>> = {
  give_approval: (random) => ({ p_id: idOf('payment', random.pick([12, 13])) }),
  approve_payment: (random) => ({
    p_id: idOf('payment', random.pick([12, 13])),
    p_operator: loginOf(random.pick(NAMES)),
  }),
  approve_payout: (random) => ({ p_payout: idOf('payout', random.pick([4, 5])) }),
  deny_payout: (random) => ({ p_payout: idOf('payout', 1 + random.int(6)), p_reason: 'no' }),
  book_correction: (random) => ({ p_id: idOf('correction', 1 + random.int(4)), p_forced: random.chance(0.5) }),
  propose_correction: (random, known) => ({
    p_id: random.uuid(),
    p_asset: HOME_ASSET,
    p_wallet: random.chance(0.5) ? walletOf(known.anyone(random)) : null,
    p_amount: chooseAmount(random),
    p_reason: 'found',
  }),
  collect_debt: () => ({ p_payment: idOf('payment', 90) }),
  explain_loss: () => ({ p_asset: HOME_ASSET, p_tx_hash: hashOf(501), p_log_index: 0n }),
  explain_settlement: () => ({ p_asset: HOME_ASSET, p_tx_hash: hashOf(504), p_log_index: 0n }),
  refund_payment: (random) => ({
    p_id: random.uuid(),
    p_payment: idOf('payment', 1),
    p_amount: 1_000_000n,
    p_reason: 'asked',
  }),
  propose_refund: (random) => ({
    p_id: random.uuid(),
    p_payment: idOf('payment', random.pick([1, 2, 16])),
    p_amount: 1_000_000n,
    p_reason: 'asked',
  }),
  approve_refund: (random) => ({ p_id: idOf('refund', 1 + random.int(4)) }),
  deny_refund: (random) => ({ p_id: idOf('refund', 1 + random.int(4)), p_reason: 'no' }),
  note_refund: (random) => ({ p_id: idOf('refund', 1 + random.int(4)), p_note: 'sorry' }),
  propose_transfer_end: (random) => ({
    p_id: random.uuid(),
    p_move: idOf('move', 2),
    p_verdict: 'never_made',
    p_provider_id: null,
    p_reason: 'asked them',
  }),
  rule_arrival: (random) => ({
    p_provider_id: random.uuid(),
    p_ruling: random.pick(['by_address', 'dismiss']),
    p_reason: 'looked on the chain',
  }),
  approve_transfer_end: (random) => ({ p_id: idOf('decision', 1 + random.int(3)) }),
  create_key: (random) => ({
    p_key: random.uuid(),
    p_name: 'new',
    p_hash: `\\x${random.uuid().replaceAll('-', '').repeat(2)}`,
    p_scopes: ['send'],
    p_rules: { json: keyRules() },
  }),
  change_key: () => ({ p_key: idOf('key', 2), p_rules: { json: keyRules() }, p_reason: 'more' }),
  revoke_key: () => ({ p_key: idOf('key', 2) }),
  lock_key: () => ({ p_key: idOf('key', 1) }),
  describe_key: () => ({ p_key: idOf('key', 1) }),
  set_operator: (random) => ({
    p_name: loginOf(random.pick(NAMES)),
    p_role: random.pick(['admin', 'risk', 'support']),
  }),
  link_operator: (random) => ({
    p_name: loginOf(random.pick(NAMES)),
    p_issuer: 'https://login.example.com',
    p_subject: random.pick(['one', 'two']),
  }),
  unlink_operator: (random) => ({ p_name: loginOf(random.pick(NAMES)) }),
  remove_operator: (random) => ({ p_name: loginOf(random.pick(NAMES)) }),
  ledger_set_tier: (random) => ({
    p_name: random.pick(['unverified', 'verified']),
    p_limits: { json: { payment: 30_000_000 } },
    p_actor: 'operator:ada',
    p_reason: 'more',
  }),
  ledger_give_tier: (random) => ({
    p_status: random.pick(['none', 'pending']),
    p_tier: random.pick(['verified', 'unlimited']),
    p_actor: 'operator:ada',
    p_reason: 'more',
  }),
  pause_payments: (random) => ({
    p_scope: random.pick(['all', 'user', `chain:${HOME_CHAIN}`, `user:${userOf('alice')}`]),
    p_cause: random.pick(['operator', 'drift', 'gas']),
    p_reason: 'odd',
    p_stops: 'accepting',
    p_by: 'service:worker',
  }),
  resume_payments: (random) => ({
    p_scope: random.pick([`user:${userOf('paul_paused')}`, `user:${userOf('clara_closed')}`]),
    p_cause: random.pick(['operator', 'closed']),
  }),
  end_sessions: (random, known) => ({ p_user: userOf(known.anyone(random)), p_reason: 'stolen' }),
  note_restore: () => ({ p_reason: 'looks older', p_good_until: null }),
  confirm_restore: (random) => ({ p_kind: random.pick(['keys', 'sessions']) }),
  check_identity: () => ({}),
  record_audit: (random) => ({
    p_actor: random.pick([
      `operator:${loginOf('ada')}`,
      `user:${userOf('alice')}`,
      `key:${idOf('key', 1)}`,
      'service:other',
    ]),
    p_action: 'login',
    p_user: userOf('alice'),
    p_details: { json: {} },
  }),
  hasten_deliveries: () => ({ p_endpoint: idOf('endpoint', 1), p_event: 'evt_1' }),
  replay_deliveries: () => ({
    p_endpoint: idOf('endpoint', 1),
    p_after: 0n,
    p_limit: 10n,
    p_since: '-infinity',
    p_until: 'infinity',
  }),
  add_test_delivery: () => ({ p_endpoint: idOf('endpoint', 1) }),
};
