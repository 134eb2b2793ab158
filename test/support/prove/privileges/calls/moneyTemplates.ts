/** Valid calls of the functions that accept payments, as servers make them. */
import type { Random } from '../../random.ts';
import type { Json } from '../value.ts';
import {
  addressOf,
  HOME_ASSET,
  HOME_CHAIN,
  hashOf,
  idOf,
  OTHER_CHAIN,
  TREASURY_WALLET,
  userOf,
  walletOf,
} from '../world/names.ts';
import { chooseAmount, type Known } from './known.ts';
import { batchOf, type PaymentBetween } from './payBatch.ts';
import { payoutOf, payoutRow, SEND_RULES, sendOf } from './shapes.ts';
import type { Arguments } from './statement.ts';

export type Template = (random: Random, known: Known) => Arguments;

function choosePayments(random: Random, known: Known, most: number): PaymentBetween[] {
  return Array.from({ length: 1 + random.int(most) }, () => {
    const [from, to] = [known.anyone(random), known.anyone(random)];
    return {
      id: random.uuid(),
      debit: known.account(from),
      credit: known.account(to),
      amount: chooseAmount(random),
      from,
      to,
      keyed: random.chance(0.2),
    };
  }).filter(({ debit, credit }) => debit !== credit);
}

function payBatch(random: Random, known: Known): Arguments {
  const payments = choosePayments(random, known, 3);
  return payments.length > 0 ? batchOf(HOME_ASSET, payments) : payBatch(random, known);
}

/** The form of release 0.2.0. */
const payUsers: Template = (random, known) => {
  const { p_names, ...batch } = payBatch(random, known);
  return { ...batch, p_epoch: p_names! };
};

const REQUESTS = [
  ['alice', 'bob', 1],
  ['bob', 'alice', 2],
  ['dan', 'carol', 3],
  ['carol', 'dan', 4],
] as const;

const payRequests: Template = (random, known) => {
  const [from, to, nth] = random.pick(REQUESTS);
  const payment = {
    id: idOf('request', nth),
    debit: known.account(from),
    credit: known.account(to),
    amount: 3_000_000n,
    from,
    to,
    keyed: false,
  };
  return { p_requests: [payment.id], ...batchOf(HOME_ASSET, [payment, ...choosePayments(random, known, 1)]) };
};

/** A payment with an account key: mostly by its owner. */
const payWithKey: Template = (random, known) => {
  const [from, to] = [random.chance(0.8) ? 'alice' : known.anyone(random), known.anyone(random)];
  if (from === to) return payWithKey(random, known);
  const payment = { id: random.uuid(), debit: known.account(from), credit: known.account(to), from, to };
  const { p_sessions, p_sessions_random, ...batch } = batchOf(HOME_ASSET, [
    { ...payment, amount: random.pick([1n, 1_000_000n, 2_500_000n, 6_000_000n]), keyed: random.chance(0.3) },
  ]);
  const key = idOf('key', random.pick([6, 6, 6, 7, 8, 1]));
  return { p_key: key, p_client: '192.0.2.1', p_notes: [null], p_requests: [], ...batch };
};

const createAccountKey: Template = (random, known) => {
  const name = random.chance(0.7) ? 'alice' : known.anyone(random);
  return {
    p_user: userOf(name),
    p_session: idOf('session', random.pick([1, 2])),
    p_key: random.uuid(),
    p_hash: `\\x${random.uuid().replaceAll('-', '').repeat(2)}`,
    p_name: 'shop',
    p_scopes: [random.pick(['own:read', 'own:pay', 'own:payouts', 'read', 'send'])],
    p_expires: null,
    p_clients: null,
    p_payment: 1_000_000n,
    p_day: 5_000_000n,
    p_month: null,
  };
};

const revokeAccountKey: Template = (random, known) => ({
  p_user: userOf(random.chance(0.6) ? 'alice' : known.anyone(random)),
  p_key: idOf('key', random.pick([1, 6, 8])),
});

function chooseSend(random: Random, known: Known): Record<string, Json> {
  const chain = random.chance(0.8) ? HOME_CHAIN : OTHER_CHAIN;
  const name = known.anyone(random);
  const common = {
    amount: String(chooseAmount(random)),
    blockchain: chain,
    job: `submit ${chain}`,
    destination: addressOf(7_000 + random.int(5)),
    hash: random.chance(0.3) ? random.uuid().replaceAll('-', '').repeat(2) : null,
  };
  switch (random.int(4)) {
    case 0:
      return sendOf(random.uuid(), { ...common, caller: idOf('key', 1), wallet: TREASURY_WALLET, shown: 'wallet' });
    case 1:
      return sendOf(random.uuid(), { ...common, caller: idOf('key', 1 + random.int(2)), wallet: walletOf(name) });
    case 2:
      return sendOf(random.uuid(), { ...common, person: userOf(name) });
    default:
      return sendOf(random.uuid(), { ...common, username: name });
  }
}

const acceptSends: Template = (random, known) => ({
  p_rules: { json: SEND_RULES },
  p_sends: { json: Array.from({ length: 1 + random.int(3) }, () => chooseSend(random, known)) },
});

const createPayout: Template = (random) => {
  const rows = [
    payoutRow(1, { username: 'bob', amount: String(chooseAmount(random)) }),
    payoutRow(2, { username: 'carol', amount: '1000000' }),
    payoutRow(3, { amount: String(chooseAmount(random)) }),
  ];
  return {
    p_payout: { json: payoutOf(random.uuid()) },
    p_rows: { json: rows.slice(random.int(2)).map((row) => ({ ...row, id: random.uuid() })) },
    p_file: '\\x66696c65',
  };
};

const CHECKED = [
  [1, 2n, 5_000_000n],
  [2, 2n, 121_000_000n],
  [6, 2n, 5_000_000n],
  [7, 2n, 121_000_000n],
  [8, 2n, 121_000_000n],
  [9, 2n, 121_000_000n],
] as const;

const confirmPayout: Template = (random) => {
  const [nth, count, total] = random.pick(CHECKED);
  return {
    p_payout: idOf('payout', nth),
    p_key: idOf('key', 3),
    p_count: count,
    p_total: total,
    p_threshold: null,
    p_certificate: null,
    p_client: null,
  };
};

const cancelPayout: Template = (random) => ({
  p_payout: idOf('payout', 1 + random.int(6)),
  p_key: idOf('key', 3),
  p_certificate: null,
  p_client: null,
});

const release: Template = (random) => ({
  p_id: idOf('payment', random.pick([11, 12, 13, 18, 19])),
  p_release: random.uuid(),
  p_state: random.pick(['CANCELLED', 'DENIED', 'FAILED']),
  p_reason: 'not wanted',
  p_tx_hash: null,
});

const importPayment: Template = (random) => ({
  p_id: random.uuid(),
  p_post: random.uuid(),
  p_asset: HOME_ASSET,
  p_tx_hash: hashOf(501 + random.int(4)),
  p_log_index: 0n,
});

const askForMoney: Template = (random, known) => ({
  p_request: random.uuid(),
  p_asker: userOf(known.anyone(random)),
  p_payer: userOf(known.anyone(random)),
  p_amount: chooseAmount(random),
  p_note: null,
  p_expires_at: null,
});

const payWithNotes: Template = (random, known) => {
  const batch = random.chance(0.5) ? { p_requests: [], ...payBatch(random, known) } : payRequests(random, known);
  const ids = batch.p_ids as readonly string[];
  return { p_notes: ids.map(() => (random.chance(0.7) ? 'dinner' : null)), ...batch };
};

export const MONEY_TEMPLATES: Readonly<Record<string, Template>> = {
  ledger_pay_batch: payBatch,
  ledger_pay_users: payUsers,
  preview_payment: payBatch,
  pay_money_requests: payRequests,
  pay_with_notes: payWithNotes,
  pay_with_key: payWithKey,
  create_account_key: createAccountKey,
  revoke_account_key: revokeAccountKey,
  log_out_everywhere: (random, known) => ({ p_user: userOf(known.anyone(random)) }),
  accept_sends: acceptSends,
  preview_send: (random, known) => ({
    p_rules: { json: SEND_RULES },
    p_send: {
      json: sendOf(random.uuid(), { person: userOf(known.anyone(random)), amount: String(chooseAmount(random)) }),
    },
  }),
  accept_send: (random, known) => ({
    p_id: random.uuid(),
    p_asset: HOME_ASSET,
    p_wallet: random.chance(0.8) ? walletOf(known.anyone(random)) : TREASURY_WALLET,
    p_shown: 'wallet',
    p_destination: addressOf(7_001),
    p_amount: chooseAmount(random),
    p_job: `submit ${HOME_CHAIN}`,
    p_threshold: null,
    p_delay: 0n,
  }),
  create_payout: createPayout,
  confirm_payout: confirmPayout,
  cancel_own_payout: cancelPayout,
  payment_release: release,
  import_payment: importPayment,
  ask_for_money: askForMoney,
  end_money_request: (random) => ({
    p_request: idOf('request', 1 + random.int(2)),
    p_caller: userOf(random.pick(['alice', 'bob'])),
    p_state: random.pick(['cancelled', 'declined']),
  }),
  close_account: (random) => ({ p_user: userOf(random.pick(['dora', 'alice'])), p_name_days: 30n }),
};
