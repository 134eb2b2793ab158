/** What triggers refuse, whoever writes: moves, transfers of providers, signatures, payments and their states. */
import { FROM, funding, move, settlement, TO, wallet, world } from './custodyWorld.ts';
import type { Decision, Rows } from './decide.ts';
import { ID, ME, MOVE, OTHER, WALLET } from './ids.ts';

const hold = {
  transfer_id: ID,
  kind: 'hold',
  debit_account: 9001,
  credit_account: 9002,
  amount: 5,
  asset_id: 9,
  debit_held: 5,
  seq: -1,
};
const release = { ...hold, transfer_id: OTHER, kind: 'release', hold_id: ID, seq: -2, debit_entry: 2 };
const post = { ...release, kind: 'post', credit_entry: 1, credit_available: 1 };
const accepted: Rows = {
  ...world,
  users: { user_id: ME },
  'users 2': { user_id: OTHER, subject: 'other' },
  'wallets 2': {
    ...wallet,
    wallet_id: OTHER,
    kind: 'treasury',
    user_id: null,
    address: `0x${'3'.repeat(40)}`,
    reference: 'yours',
  },
  accounts: { account_id: 9001, asset_id: 9, kind: 'user', user_id: ME, tier: 0, held: 5 },
  'accounts 2': { account_id: 9002, asset_id: 9, kind: 'chain', tier: 0 },
  transfers: hold,
  payments: { payment_id: ID, state: 'INITIATED', destination: TO, wallet_id: WALLET, amount: 5 },
  holdings: { asset_id: 9, wallet_id: WALLET, coins: 9 },
};

const inserted = (row: Readonly<Record<string, string | number>>) =>
  `INSERT INTO coin_moves (${Object.keys(row)}) VALUES (${Object.values(row).map((value) => (value === 'NULL' ? value : `'${value}'`))}) RETURNING 'stored' AS said`;
const newMove = {
  ...{ move_id: ID, asset_id: 9, wallet_id: WALLET, purpose: 'send', rail: 'eip3009', amount: 5, reserved: 5 },
  ...{ from_address: FROM, to_address: TO },
};
const WAITS = /waits for approvals or its delay/;
const inserting = (of: string, row: Parameters<typeof inserted>[0], cases: Decision['cases']): Decision => ({
  of: `whether ${of} is stored: guard_coin_move`,
  rows: accepted,
  hasTriggers: true,
  calls: [inserted({ ...newMove, ...row })],
  cases,
});
const insertings: readonly Decision[] = [
  inserting(
    'the move of a payment',
    {},
    {
      'that is accepted': [{}, 'stored'],
      'that does not exist': [{ payments: null }, /has no open hold/],
      'whose hold was released': [{ 'transfers 2': release }, /has no open hold/],
      'whose hold was posted': [{ 'transfers 2': post }, /has no open hold/],
      'of another amount': [{ payments: { amount: 4 } }, /pays another amount/],
      'without an amount, with its hold': [{ payments: { amount: null } }, 'stored'],
      'without an amount, with another hold': [
        { payments: { amount: null }, transfers: { amount: 4 } },
        /pays another amount/,
      ],
      'with a hold for its fee too': [{ payments: { fee: 1 }, transfers: { amount: 6 } }, 'stored'],
      'that waits for approvals': [{ payments: { approvals_needed: 2 } }, WAITS],
      'that waits for its time': [{ payments: { not_before: 'tomorrow' } }, WAITS],
    },
  ),
  inserting(
    'a move that the chain has decided',
    { state: 'dead', reserved: 0 },
    {
      'of a payment that waits for approvals': [{ payments: { approvals_needed: 2 } }, 'stored'],
    },
  ),
  inserting(
    'a move that is only looked up',
    { rail: 'provider', cancel_wanted_at: 'now' },
    {
      'of a payment that waits for approvals': [{ payments: { approvals_needed: 2 } }, 'stored'],
    },
  ),
  inserting(
    'a move of a provider',
    { rail: 'provider' },
    {
      'of a payment that waits for approvals': [{ payments: { approvals_needed: 2 } }, WAITS],
    },
  ),
  inserting(
    'a cancelled authorization',
    { cancel_wanted_at: 'now' },
    {
      'of a payment that waits for approvals': [{ payments: { approvals_needed: 2 } }, WAITS],
    },
  ),
];

/** What is different about this move. */
const nameOf = (from: object): string =>
  Object.entries(from)
    .filter(([name, value]) => move[name as keyof typeof move] !== value)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ') || 'open';
const changing = (change: string, from: object, said: string | RegExp, more: Rows = {}): Decision => ({
  of: `whether a move may change (${change}): guard_coin_move`,
  rows: {
    ...accepted,
    settlements: { settlement_id: ID, asset_id: 9 },
    holdings: { asset_id: 9, wallet_id: WALLET, coins: 9, reserved: 5 },
    coin_moves: { ...move, ...from },
    ...more,
  },
  hasTriggers: true,
  calls: [`UPDATE coin_moves SET ${change} WHERE move_id = '${ID}' RETURNING 'changed' AS said`],
  cases: { [`from ${nameOf(from)}`]: [{}, said] },
});
const CANNOT = /a move cannot change/;
const DONE = { state: 'done', reserved: 0 };
const changings: readonly Decision[] = [
  ...[
    `to_address = '${FROM}'`,
    `from_address = '${TO}'`,
    'amount = 6',
    `wallet_id = '${OTHER}'`,
    "rail = 'provider'",
    'asset_id = 8',
    `move_id = '${MOVE}'`,
  ].map((change) => changing(change, {}, CANNOT)),
  changing(`to_wallet = '${WALLET}'`, settlement, CANNOT),
  changing(`funds = '${OTHER}'`, settlement, CANNOT),
  changing("state = 'dead', reserved = 0", {}, 'changed'),
  changing("state = 'done', reserved = 0", {}, 'changed'),
  changing("state = 'open'", { state: 'dead', reserved: 0 }, /cannot end differently/),
  changing("state = 'done'", { state: 'dead', reserved: 0 }, /cannot end differently/),
  changing("state = 'dead'", DONE, /cannot end differently/),
  changing("state = 'open'", DONE, /was never paid/),
  changing("state = 'open'", DONE, 'changed', { 'transfers 2': post }),
  changing("state = 'open'", DONE, /was never paid/, { 'transfers 2': release }),
  changing("state = 'open'", { ...settlement, ...DONE }, 'changed'),
  changing('started_at = now()', {}, /started move stays started/),
  changing('started_at = NULL', {}, /started move stays started/),
  changing('started_at = now()', { started_at: null }, 'changed'),
  changing('cancel_wanted_at = now()', {}, 'changed'),
  changing('cancel_wanted_at = NULL', { cancel_wanted_at: '2020-01-01' }, /requested cancellation stays requested/),
  changing('cancel_wanted_at = NULL', { ...DONE, cancel_wanted_at: '2020-01-01' }, 'changed'),
];

const transfer = {
  move_id: ID,
  key: ID,
  provider: 'other',
  provider_id: 'p',
  provider_state: 'submitted',
  attempts: 1,
};
const following = (change: string, from: object, cases: Decision['cases']): Decision => ({
  of: `whether the transfer of a provider may change (${change}) from ${JSON.stringify(from)}: guard_provider_transfer`,
  rows: { ...accepted, coin_moves: { ...move, rail: 'provider' }, provider_transfers: { ...transfer, ...from } },
  hasTriggers: true,
  calls: [`UPDATE provider_transfers SET ${change} RETURNING 'changed' AS said`],
  cases,
});
const ANOTHER = /cannot become another one/;
const UNPROVED = /the provider may have made the transfer/;
const decided = (verdict: string, more: object = {}) => ({
  ...{ decision_id: OTHER, move_id: ID, verdict, provider_id: verdict === 'adopt' ? 'q' : null, reason: 'x' },
  ...{ proposed_by: 'a', approved_by: 'b', decided_at: '2020-01-02', ...more },
});
const heldFrom = { provider_id: null, provider_state: 'new', held_at: '2020-01-01' };
const followings: readonly Decision[] = [
  ...['key = gen_random_uuid()', "provider = 'third'", 'submitted_at = now()'].map((change) =>
    following(change, {}, { never: [{}, ANOTHER] }),
  ),
  following("provider_id = 'q'", {}, { 'that has an id': [{}, ANOTHER] }),
  following(
    "provider_id = 'q'",
    { held_at: '2020-01-01' },
    {
      'that is held': [{}, ANOTHER],
      'that two operators have adopted': [{ transfer_decisions: decided('adopt') }, 'changed'],
      'that they have adopted under another id': [
        { transfer_decisions: decided('adopt', { provider_id: 'r' }) },
        ANOTHER,
      ],
      'that they have adopted before it was held': [
        { transfer_decisions: decided('adopt', { decided_at: '2019-01-01' }) },
        ANOTHER,
      ],
      'that they have called never made': [{ transfer_decisions: decided('never_made') }, ANOTHER],
      'when they have adopted another one': [{ transfer_decisions: decided('adopt', { move_id: OTHER }) }, ANOTHER],
    },
  ),
  following("provider_id = 'q'", { provider_id: null }, { 'that had no id': [{}, 'changed'] }),
  following('provider_id = NULL', {}, { 'that has an id': [{}, ANOTHER] }),
  following(
    "provider_state = 'failed', ended_head = 1",
    { provider_id: null, provider_state: 'new' },
    {
      'that was requested once': [{}, 'changed'],
      'that was requested twice': [{ provider_transfers: { attempts: 2 } }, UNPROVED],
    },
  ),
  following("provider_state = 'failed', ended_head = 1", heldFrom, {
    'that is held': [{}, UNPROVED],
    'that was never made': [{ transfer_decisions: decided('never_made') }, 'changed'],
    'that was never made before it was held': [
      { transfer_decisions: decided('never_made', { decided_at: '2019-01-01' }) },
      UNPROVED,
    ],
    'when another one was never made': [{ transfer_decisions: decided('never_made', { move_id: OTHER }) }, UNPROVED],
  }),
  following("provider_state = 'cancelled', ended_head = 1", heldFrom, { 'that is held': [{}, UNPROVED] }),
  following("provider_state = 'failed', ended_head = 1", { attempts: 2 }, { 'that has an id': [{}, 'changed'] }),
];
const handing: Decision = {
  of: 'whether a move is handed to a provider: guard_provider_transfer',
  rows: { ...accepted, coin_moves: { ...move, rail: 'provider', started_at: null } },
  hasTriggers: true,
  calls: [
    `INSERT INTO provider_transfers (move_id, provider, key) VALUES ('${ID}', 'other', '${ID}') RETURNING 'stored' AS said`,
  ],
  cases: {
    'that is open': [{}, 'stored'],
    'that signs': [{ coin_moves: { rail: 'eip3009' } }, /has ended or is to be cancelled/],
    'that is done': [{ coin_moves: DONE }, /has ended or is to be cancelled/],
    'that is to be cancelled': [{ coin_moves: { cancel_wanted_at: 'now' } }, /has ended or is to be cancelled/],
    'that is only looked up': [{ coin_moves: { cancel_wanted_at: 'now', started_at: 'now' } }, 'stored'],
    'that does not exist': [{ coin_moves: null }, /has ended or is to be cancelled/],
  },
};

const SIGNED = `ARRAY['\\x${'01'.repeat(65)}'::bytea]`;
const commit = (limit: number | null) =>
  `SELECT commit_signatures('{${ID}}', ARRAY['\\x${'02'.repeat(32)}'::bytea], 2000, ${SIGNED}, ${limit})`;
const hour = (amount: number): Rows => ({
  signed_hours: { asset_id: 9, amount, hour: new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000) },
});
const PAUSED = /signing is paused/;
const OVER = /more than the signer may sign/;
const committing = (limit: number | null, cases: Decision['cases']): Decision => ({
  of: `whether a signature is stored with the limit ${limit}: commit_signatures`,
  rows: {
    ...accepted,
    coin_moves: { ...move, started_at: null },
    holdings: { asset_id: 9, wallet_id: WALLET, coins: 9, reserved: 5 },
  },
  hasTriggers: true,
  calls: [
    commit(limit),
    `SELECT (SELECT valid_before FROM authorizations) || ' ' || (SELECT count(*) FROM signatures) || ' ' || coalesce((SELECT sum(amount) FROM signed_hours), 0)
       || CASE WHEN (SELECT started_at FROM coin_moves) IS NULL THEN '' ELSE ' started' END AS said`,
  ],
  cases,
});
const committings: readonly Decision[] = [
  committing(null, {
    'of an open move': [{}, '2000 1 5 started'],
    'of a move that is to be cancelled': [{ coin_moves: { cancel_wanted_at: 'now' } }, /has ended, is to be cancelled/],
    'of a move that is done': [{ coin_moves: DONE }, /has ended, is to be cancelled/],
    'of a move of a provider': [{ coin_moves: { rail: 'provider' } }, /has ended, is to be cancelled/],
    'of a move that was signed for longer': [
      { authorizations: { move_id: ID, nonce: Buffer.alloc(32, 2), valid_before: 2_000 } },
      /was signed for longer/,
    ],
    'of a move that was signed for less': [
      { authorizations: { move_id: ID, nonce: Buffer.alloc(32, 2), valid_before: 1_999 } },
      '2000 1 5 started',
    ],
    'of a move with another nonce': [
      { authorizations: { move_id: ID, nonce: Buffer.alloc(32, 3) } },
      /keeps its nonce/,
    ],
    'while signing is paused': [{ pauses: { scope: 'all', stops: 'accepting and signing' } }, PAUSED],
    'while signing is paused on all blockchains': [
      { pauses: { scope: 'chain', stops: 'accepting and signing' } },
      PAUSED,
    ],
    'while signing is paused on its blockchain': [
      { pauses: { scope: 'chain:HERE', stops: 'accepting and signing' } },
      PAUSED,
    ],
    'while signing is paused on another one': [
      { pauses: { scope: 'chain:THERE', stops: 'accepting and signing' } },
      '2000 1 5 started',
    ],
    'while nothing is accepted': [{ pauses: { scope: 'all' } }, '2000 1 5 started'],
    'of a settlement': [
      { settlements: { settlement_id: ID, asset_id: 9 }, coin_moves: { ...settlement, started_at: null } },
      '2000 1 0 started',
    ],
  }),
  committing(9, {
    'within it': [hour(4), '2000 1 9 started'],
    'beyond it': [hour(5), OVER],
    'beyond it, of another token': [{ signed_hours: { ...hour(5).signed_hours, asset_id: 8 } }, '2000 1 10 started'],
    'beyond it, with a settlement': [
      { ...hour(5), settlements: { settlement_id: ID, asset_id: 9 }, coin_moves: { ...settlement, started_at: null } },
      '2000 1 5 started',
    ],
    'beyond it, signed again': [
      {
        ...hour(5),
        signatures: { move_id: ID, valid_before: 1_000, signature: Buffer.alloc(65) },
        authorizations: { move_id: ID, nonce: Buffer.alloc(32, 2), valid_before: 1_000 },
      },
      '2000 2 5 started',
    ],
  }),
];

const cancelling: Decision = {
  of: 'whether a cancellation is signed: guard_cancellation',
  rows: {
    ...accepted,
    coin_moves: { ...move, cancel_wanted_at: 'now' },
    authorizations: { move_id: ID, nonce: Buffer.alloc(32, 2), failures: 3, carry_after: 'tomorrow' },
  },
  hasTriggers: true,
  calls: [
    `INSERT INTO cancellations (move_id, signature) VALUES ('${ID}', decode(repeat('01', 65), 'hex'))`,
    `SELECT failures || CASE WHEN carry_after <= clock_timestamp() THEN ' now' ELSE ' later' END AS said FROM authorizations`,
  ],
  cases: {
    'that is requested': [{}, '0 now'],
    'that is not requested': [{ coin_moves: { cancel_wanted_at: null } }, /no cancellation of move/],
    'of a move that is done': [{ coin_moves: DONE }, /no cancellation of move/],
    'of a move that is dead': [{ coin_moves: { ...DONE, state: 'dead' } }, /no cancellation of move/],
  },
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
    'without its wallet': [{ wallets: { wallet_id: OTHER } }, /without its hold or its wallet/],
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

export const guardDecisions: readonly Decision[] = [
  ...insertings,
  ...changings,
  ...followings,
  handing,
  ...committings,
  cancelling,
  ...becomings,
  bearing,
  ...payings,
  ...depositings,
];
