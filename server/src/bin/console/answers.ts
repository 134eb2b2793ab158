/** The answers of the console's readings, as its page expects them. The tests check every answer with these. */
import { z } from 'zod';

const text = z.string();
const maybe = text.nullable();
const list = z.array(text);

const party = z.union([
  z.strictObject({ address: maybe }),
  z.strictObject({ wallet_id: text }),
  z.strictObject({ username: maybe, service: z.literal(true).optional(), redirected_from: text.optional() }),
]);

export const payment = z.strictObject({
  transaction_id: text,
  state: text,
  kind: z.enum(['user', 'chain', 'deposit', 'correction', 'debt']),
  amount: text,
  blockchain: text,
  from: party,
  to: party,
  tx_hash: maybe,
  network_fee: maybe,
  error_reason: maybe,
  created_at: text,
  updated_at: text,
  timeline: z.array(z.strictObject({ at: text, state: maybe, tx_hash: maybe, note: maybe })),
  payment_note: text.optional(),
  refund_of: text.optional(),
  reason: text.optional(),
});

export const shownPayment = payment.extend({
  error_detail: maybe,
  details: z.array(z.strictObject({ at: text, detail: text })),
  payer_user_id: maybe,
  payee_user_id: maybe,
  wallet_id: maybe,
  wallet_address: maybe,
  key_id: maybe,
  approvals: z.array(z.strictObject({ operator: text, at: text })),
  refund_of: maybe,
  refunds: list,
});

export const request = z.strictObject({
  request_id: text,
  state: text,
  amount: text,
  asker_user_id: text,
  asker_username: maybe,
  payer_user_id: maybe,
  payer_username: maybe,
  by_link: z.boolean(),
  note: maybe,
  created_at: text,
  expires_at: text,
  ended_at: maybe,
});

export const refusal = z.strictObject({
  transaction_id: text,
  state: z.literal('REFUSED'),
  amount: text,
  receiver: text,
  code: text,
  created_at: text,
});

export const pause = z.strictObject({
  scope: text,
  cause: text,
  stops: text,
  paused_at: text,
  paused_by: text,
  reason: text,
});

const limits = z.strictObject({ payment: maybe, day: maybe, month: maybe });

export const accountKey = z.strictObject({
  key_id: text,
  user_id: text,
  name: text,
  scopes: list,
  state: text,
  limits,
  addresses: list.nullable(),
  expires_at: maybe,
  created_at: text,
  last_used_at: maybe,
});

export const key = z.strictObject({
  key_id: text,
  name: text,
  scopes: list,
  created_at: text,
  last_used_at: maybe,
  revoked_at: maybe,
  is_expired: z.boolean(),
  is_unconfirmed: z.boolean(),
  rules: z
    .strictObject({
      any_person: z.boolean(),
      users: list,
      wallets: list,
      people: limits,
      treasury: limits.nullable(),
      blockchains: list.nullable(),
      destinations: list.nullable(),
      expires_at: maybe,
      certificate: maybe,
    })
    .nullable(),
});

export const auditEntry = z.strictObject({
  audit_id: text,
  at: text,
  actor: text,
  action: text,
  user_id: maybe,
  details: z.record(text, z.unknown()),
});

export const person = z.strictObject({
  user_id: text,
  username: maybe,
  old_usernames: list,
  email: maybe,
  issuer: text,
  created_at: text,
  last_used_at: maybe,
  open_sessions: z.number(),
  kyc_status: text,
  kyc_reasons: list,
  paused_because: maybe,
  tier: text,
  limits: z.array(
    z.strictObject({
      limit: z.enum(['payment', 'day', 'month', 'count']),
      maximum: maybe,
      left: maybe,
      resets_at: maybe,
    }),
  ),
  balances: z.array(
    z.strictObject({ blockchain: text, available: text, held: text, wallet_id: maybe, address: maybe }),
  ),
  payments: z.array(payment.extend({ available_after: text })),
  sessions: z.array(
    z.strictObject({ session_id: text, created_at: text, last_used_at: text, user_agent: maybe }).loose(),
  ),
  pauses: z.array(pause),
  account_keys: z.array(accountKey),
  audit: z.array(auditEntry),
});

export const personRow = z.strictObject({
  user_id: text,
  username: maybe,
  email: maybe,
  kyc_status: text,
  created_at: text,
  closed_at: maybe,
  is_paused: z.boolean(),
});

export const payoutRow = z.strictObject({
  payout_id: text,
  state: text,
  key: text,
  payer: maybe,
  rows: z.number(),
  total: text,
  created_at: text,
  approved_by: list,
});

const sum = z.strictObject({ count: z.number(), total: text });
const fault = z.strictObject({ code: text, detail: text }).nullable();

export const payout = z.strictObject({
  payout_id: text,
  state: text,
  payer: maybe,
  count: z.number(),
  total: text,
  fees: text,
  paid_before: sum,
  totals: z.array(z.strictObject({ blockchain: text, to: text, count: z.number(), total: text })),
  rows: z.record(text, sum),
  on_shortage: text,
  rule: text,
  waiting_for: fault,
  waits_until: maybe,
  approvals: z.strictObject({ needed: z.number(), given: z.number() }),
  file: z.strictObject({ content_type: text, bytes: z.number(), sha256: text }),
  warnings: z.array(z.unknown()),
  created_at: text,
  confirmed_at: maybe,
  ended_at: maybe,
  items: z.array(
    z.strictObject({
      row: z.number(),
      reference: text,
      to: text,
      amount: text,
      blockchain: text,
      note: maybe,
      state: text,
      transaction_id: maybe,
      transaction_state: maybe,
      hash: maybe,
      error: fault,
    }),
  ),
  next: z.number().nullable(),
});

export const webhook = z.strictObject({
  webhook_id: text,
  url: text,
  description: text,
  types: list,
  order: z.enum(['any', 'in_order']),
  state: text,
  key_id: maybe,
  user_id: maybe,
  is_stopped: z.boolean(),
  failure: maybe,
  failing_since: maybe,
  created_at: text,
});

export const delivery = z.strictObject({
  event_id: text,
  type: text,
  happened_at: text,
  state: text,
  attempts: z.number(),
  next_attempt_at: maybe,
  attempted_at: maybe,
  took_ms: z.number().nullable(),
  status: z.number().nullable(),
  answer: maybe,
  fault: maybe,
  earlier_attempts: z.array(
    z.strictObject({ at: text, took_ms: z.number(), status: z.number().nullable(), answer: maybe, fault: maybe }),
  ),
});

export const deposit = z.strictObject({
  transaction_id: maybe,
  state: z.enum(['credited', 'pending', 'held', 'gone', 'lost']),
  blockchain: text,
  amount: text,
  from_address: text,
  to_address: text,
  wallet_id: text,
  user_id: maybe,
  username: maybe,
  tx_hash: text,
  block_number: maybe,
  credited_at: maybe,
});

export const wallet = z.strictObject({
  wallet_id: text,
  address: text,
  user_id: maybe,
  username: maybe,
  provider: text,
  created_at: text,
  replaced_at: maybe,
  blockchains: list,
  others: z.array(z.strictObject({ blockchain: text, wallet_id: text, address: text })),
  holdings: z.array(
    z.strictObject({
      blockchain: text,
      coins: text,
      reserved: text,
      blacklisted_at: maybe,
      refusal: maybe,
      refused_until: maybe,
      is_being_read_again: z.boolean(),
    }),
  ),
});

export const relayer = z.strictObject({
  blockchain: text,
  address: text,
  gas_wei: text,
  payments_left: z.number().nullable(),
  fault: maybe,
});

export const network = z.strictObject({
  blockchain: text,
  read_by: z.enum(['nodes', 'provider']),
  block: maybe,
  moved_at: maybe,
  fault: maybe,
  nodes: z.array(z.strictObject({ host: text, kind: text, about: text, times: z.number(), since: text })),
});

export const auditProgress = z.strictObject({
  compared_at: maybe,
  cycle_ended_at: maybe,
  cycle_seconds: z.number().nullable(),
  movements: maybe,
  faults: z.number(),
});

export const correction = z.strictObject({
  correction_id: text,
  blockchain: text,
  wallet_id: maybe,
  amount: text,
  reason: text,
  proposed_by: text,
});

export const waitingSend = z.strictObject({
  transaction_id: text,
  created_at: text,
  amount: text,
  blockchain: text,
  wallet_id: text,
  payer_user_id: maybe,
  payer_username: maybe,
  payer_kyc_status: maybe,
  destination: text,
  is_new_address: z.boolean(),
  key: maybe,
  not_before: maybe,
  approvals_needed: z.number(),
  approved_by: list,
});

export const refund = z.strictObject({
  refund_id: text,
  refund_of: text,
  amount: text,
  blockchain: text,
  source: text,
  reason: text,
  proposed_by: text,
  proposed_at: text,
  approved_by: maybe,
  booked_at: maybe,
  denied_by: maybe,
});

export const held = z.strictObject({
  move_id: text,
  purpose: text,
  provider: text,
  blockchain: text,
  amount: text,
  from: text,
  wallet_reference: text,
  to: text,
  attempts: z.number(),
  first_asked_at: text,
  held_at: text,
  named_tx_hash: maybe,
  tx_hashes: list,
  decision_id: maybe,
  verdict: maybe,
  approved_by: maybe,
});
