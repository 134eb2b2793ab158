/** What triggers refuse about coin moves, transfers of providers and signatures, whoever writes. */
import { accepted, FROM, move, post, release, settlement, TO } from '../custodyWorld.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID, MOVE, OTHER, WALLET } from '../ids.ts';

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
      'of a payment that waits for approvals': [{ payments: { approvals_needed: 2 } }, 'stored'],
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

export const moveGuardDecisions: readonly Decision[] = [
  ...insertings,
  ...changings,
  ...followings,
  handing,
  ...committings,
  cancelling,
];
