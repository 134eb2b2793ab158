/** Decisions about new payments to addresses: whether they are accepted, and what they wait for. */
import type { Db } from '../../../../../server/src/db/database.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID, KEY, ME, OTHER, WALLET } from '../ids.ts';

const HASH = '1'.repeat(64);
const [FROM, ELSEWHERE] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const;
export const TO = `0x${'ab'.repeat(20)}`;
const account = { asset_id: 9, kind: 'user', tier: 0, entries: 7, available: 100 };
export const world: Rows = {
  networks: { network_id: 9, blockchain: 'SOME-CHAIN' },
  assets: { asset_id: 9, network_id: 9, symbol: 'USDC' },
  users: { user_id: ME },
  'users 2': { user_id: OTHER, subject: 'other' },
  usernames: { username: 'alice', user_id: ME },
  wallets: { wallet_id: WALLET, kind: 'user', user_id: ME, provider: 'local', address: FROM },
  accounts: { ...account, account_id: 9001, user_id: ME },
  'accounts 2': { ...account, account_id: 9002, kind: 'chain' },
};
const rules = { threshold: null as number | null, delay: 0, list_age: 60 };
const send = {
  id: ID,
  blockchain: 'SOME-CHAIN',
  currency: 'USDC',
  destination: TO,
  amount: 5,
  person: ME,
  shown: 'username',
};
const keyed = { ...send, hash: HASH };

interface Accepted {
  readonly outcome: string;
  readonly code: string | null;
  readonly needed: number | null;
  readonly is_later: boolean;
}
/** The outcome, the code of the refusal, what an accepted payment waits for, and what its key is afterwards. */
const accept = (one: object, its: Partial<typeof rules> = {}): Decision['calls'] => [
  async (db) => {
    const sql = `SELECT outcome, details->>'code' AS code, approvals_needed AS needed, not_before > now() + interval '1 minute' AS is_later
                   FROM accept_sends($1, $2)`;
    const [said] = await db.query<Accepted>(sql, [{ ...rules, ...its }, JSON.stringify([one])]);
    const [key] = await db.query<{ answer: string | null }>('SELECT answer::text FROM idempotency_records');
    const [job] = await db.query('SELECT FROM jobs WHERE key = $1', [ID]);
    const words = [
      said!.outcome,
      said!.code,
      said!.needed && 'for approval',
      said!.is_later && 'later',
      said!.outcome === 'accepted' && !job && 'without a job',
      key && (key.answer?.includes('"code"') ? 'the refusal is stored' : 'stored'),
    ];
    return words.filter(Boolean).join(', ');
  },
];
export const pays = (kind: string, row: object = {}): Rows => ({
  transfers: {
    ...{ transfer_id: ID, kind, debit_account: 9001, credit_account: 9002, amount: 5, asset_id: 9, seq: -1 },
    ...(kind === 'hold' ? { debit_held: 5 } : { credit_entry: 1, credit_available: 1 }),
    ...row,
  },
  payments: { payment_id: ID, state: 'SENT', destination: TO, wallet_id: WALLET, amount: 5 },
});

const accepting: Decision = {
  of: 'whether a payment of a person is accepted: accept_sends',
  rows: world,
  calls: accept(keyed),
  cases: {
    'with money': [{}, 'accepted, stored'],
    'with exactly this money': [{ accounts: { available: 5 } }, 'accepted, stored'],
    'with less money': [{ accounts: { available: 4 } }, 'refused, balance.insufficient, the refusal is stored'],
    'without an account': [{ accounts: null }, 'refused, balance.insufficient, the refusal is stored'],
    'while nothing was ever deposited': [
      { 'accounts 2': null },
      'refused, balance.insufficient, the refusal is stored',
    ],
    'of a paused person': [{ accounts: { paused: true }, pauses: { scope: `user:${ME}` } }, 'refused, user.paused'],
    'while everything is paused': [{ pauses: { scope: 'all' } }, 'refused, service.paused'],
    'while all blockchains are paused': [{ pauses: { scope: 'chain' } }, 'refused, service.paused'],
    'while this one is paused': [{ pauses: { scope: 'chain:SOME-CHAIN' } }, 'refused, service.paused'],
    'while another one is paused': [{ pauses: { scope: 'chain:OTHER-CHAIN' } }, 'accepted, stored'],
    'while payments of people are paused': [{ pauses: { scope: 'user' } }, 'accepted, stored'],
    'whose wallet is being created': [{ wallets: null }, 'refused, wallet.pending'],
    'to their own wallet': [{ wallets: { address: TO } }, 'refused, payment.self, the refusal is stored'],
    'under a key of another request': [
      { idempotency_records: { record_id: ID, request_hash: Buffer.alloc(32, 2), answer: '{"answer": "x"}' } },
      'mismatch, stored',
    ],
    'that was accepted before': [
      { idempotency_records: { record_id: ID, request_hash: Buffer.from(HASH, 'hex'), answer: '{"answer": "x"}' } },
      'replayed, stored',
    ],
    'that was refused before': [
      { idempotency_records: { record_id: ID, request_hash: Buffer.from(HASH, 'hex'), answer: '{"code": "x"}' } },
      'replayed, x, the refusal is stored',
    ],
    'whose commit was not confirmed': [pays('hold'), 'known, stored'],
    'whose id has paid another amount': [
      { ...pays('hold', { amount: 6 }), payments: { ...pays('hold').payments, amount: 6 } },
      'mismatch, idempotency.mismatch, the refusal is stored',
    ],
    'whose id has paid another address': [
      { ...pays('hold'), payments: { ...pays('hold').payments, destination: ELSEWHERE } },
      'mismatch, idempotency.mismatch, the refusal is stored',
    ],
    'whose id has paid in another asset': [
      pays('hold', { asset_id: 8 }),
      'mismatch, idempotency.mismatch, the refusal is stored',
    ],
    'whose id has paid a person': [
      { ...pays('user', { credit_account: 9003 }), payments: null },
      'mismatch, idempotency.mismatch, the refusal is stored',
    ],
    'whose hold has no payment': [
      { ...pays('hold'), payments: null },
      'mismatch, idempotency.mismatch, the refusal is stored',
    ],
  },
  waitsFor: ['with less money', 'of a paused person'],
};

const asPerson: Decision = {
  of: 'whether a payment of a session is accepted: accept_sends',
  rows: { ...world, sessions: { session_id: KEY, user_id: ME, expires_at: 'tomorrow' } },
  calls: accept({ ...send, session: KEY }),
  cases: {
    'that is open': [{}, 'accepted'],
    'that has ended': [{ sessions: { ended_at: 'now', ended_because: 'revoked' } }, 'refused, auth.invalid'],
    'from before a restore': [{ restores: { noted_at: 'tomorrow' } }, 'refused, auth.invalid'],
    'from before a restore that was confirmed': [
      { restores: { noted_at: 'tomorrow', sessions_confirmed_at: 'now', sessions_confirmed_by: 'anna' } },
      'accepted',
    ],
    'while the session of another person has ended': [
      {
        'sessions 2': {
          session_id: OTHER,
          user_id: OTHER,
          expires_at: 'tomorrow',
          ended_at: 'now',
          ended_because: 'revoked',
        },
      },
      'accepted',
    ],
  },
  waitsFor: ['that has ended'],
};

/** By a service key that may pay for people. */
const byKey: Decision = {
  of: 'whether a payment by a key is accepted: accept_sends',
  rows: {
    ...world,
    service_keys: { key_id: KEY, hash: Buffer.alloc(32), scopes: '{send}' },
    key_rules: { key_id: KEY, any_person: true, any_destination: true },
    key_budgets: {
      ...{ key_id: KEY, pays: 'people', allowed: true, payment_limit: 50, day_limit: 99, month_limit: 999 },
      ...{ counted_since: 'now', hour: Math.floor(Date.now() / 3_600_000) + 1 },
    },
  },
  calls: [
    async (db) => {
      const [call] = accept({ ...keyed, caller: KEY });
      const said = await (call as (db: Db) => Promise<string>)(db);
      const [row] = await db.query<{ rest: string }>(
        `SELECT concat_ws(', ', (SELECT 'spent ' || hour_spent FROM key_budgets), (SELECT action || ' ' || (actor = 'key:${KEY}') FROM audit_log),
                                (SELECT 'by ' || (key_id = '${KEY}') FROM payments)) AS rest`,
      );
      return `${said}; ${row!.rest}`;
    },
  ],
  cases: {
    'within its limits': [{}, 'accepted, stored; spent 5, payment.accepted true, by true'],
    'up to its limit': [
      { key_budgets: { hour_spent: 94 } },
      'accepted, stored; spent 99, payment.accepted true, by true',
    ],
    'beyond its limit': [
      { key_budgets: { hour_spent: 95 } },
      'refused, key.limit_exceeded, the refusal is stored; spent 95',
    ],
    'beyond its limit of a payment': [
      { key_budgets: { payment_limit: 4 } },
      'refused, key.limit_exceeded, the refusal is stored; spent 0',
    ],
    'with too little money': [
      { accounts: { available: 4 } },
      'refused, balance.insufficient, the refusal is stored; spent 0',
    ],
    'of another person': [
      { key_rules: { any_person: false } },
      'refused, key.not_allowed, the refusal is stored; spent 0',
    ],
    'of another person, with too little money': [
      { key_rules: { any_person: false }, accounts: { available: 4 } },
      'refused, key.not_allowed, the refusal is stored; spent 0',
    ],
    'that was revoked': [{ service_keys: { revoked_at: 'now' } }, 'refused, auth.invalid; spent 0'],
    'of another scope': [{ service_keys: { scopes: '{read}' } }, 'refused, auth.scope; spent 0'],
  },
  waitsFor: ['that was revoked', 'beyond its limit'],
};

const treasury: Rows = {
  ...world,
  wallets: { ...world.wallets, kind: 'treasury', user_id: null },
  accounts: { ...account, account_id: 9001, kind: 'treasury' },
};
const inMode = (isOpen: boolean, said: string): Decision => ({
  of: 'whether a caller without a key spends the treasury: accept_sends',
  rows: treasury,
  calls: [`UPDATE send_rules SET has_open_treasury = ${isOpen}`, ...accept({ ...send, person: null, shown: 'wallet' })],
  cases: { [isOpen ? 'in a sandbox' : 'in production']: [{}, said] },
});

/** The rules of the server and the stored ones: from which amount on two operators approve, and seconds of delay. */
type Rule = readonly [threshold: number | null, delay: number];
const FOR_APPROVAL = 'accepted, for approval, without a job';
const awaiting = (own: Rule, stored: Rule, toNew: string, toKnown: string): Decision => ({
  of: `what a payment of 5 waits for with the rules ${own} and ${stored}: accept_sends`,
  rows: world,
  calls: [
    `UPDATE send_rules SET approval_threshold = ${stored[0]}, new_recipient_delay = ${stored[1]}`,
    ...accept(send, { threshold: own[0], delay: own[1] }),
  ],
  cases: {
    'to a new address': [{}, toNew],
    'to a known address': [{ recipients: { wallet_id: WALLET, address: TO } }, toKnown],
    'to an address that another wallet has paid': [{ recipients: { wallet_id: OTHER, address: TO } }, toNew],
    'to an address that looks like a known one': [
      { recipients: { wallet_id: WALLET, address: `${TO.slice(0, 8)}${'3'.repeat(30)}${TO.slice(-4)}` } },
      'refused, address.lookalike',
    ],
  },
});
const awaitings: readonly Decision[] = [
  awaiting([null, 0], [null, 0], 'accepted', 'accepted'),
  awaiting([5, 0], [null, 0], FOR_APPROVAL, FOR_APPROVAL),
  awaiting([6, 0], [null, 0], 'accepted', 'accepted'),
  awaiting([null, 0], [5, 0], FOR_APPROVAL, FOR_APPROVAL),
  awaiting([6, 0], [5, 0], FOR_APPROVAL, FOR_APPROVAL),
  awaiting([5, 0], [6, 0], FOR_APPROVAL, FOR_APPROVAL),
  awaiting([null, 600], [null, 0], 'accepted, later', 'accepted'),
  awaiting([null, 0], [null, 600], 'accepted, later', 'accepted'),
  awaiting([null, 600], [null, 1], 'accepted, later', 'accepted'),
  awaiting([null, 1], [null, 600], 'accepted, later', 'accepted'),
  awaiting([5, 600], [null, 0], 'accepted, for approval, later, without a job', FOR_APPROVAL),
];

const RECENT = { asset_id: 9, read_at: 'now' };
const asking: Decision = {
  of: 'whether the token is asked about the destination: accept_sends',
  rows: { ...world, blacklist_reads: RECENT },
  calls: accept({ ...keyed, asked: false }),
  cases: {
    'when our list is recent': [{}, 'accepted, stored'],
    'when our list is old': [{ blacklist_reads: { read_at: 'yesterday' } }, 'ask'],
    'when there is no list': [{ blacklist_reads: null }, 'ask'],
    'when the token is paused': [{ blacklist_reads: { is_paused: true } }, 'ask'],
    'when the list is of another token': [{ blacklist_reads: { asset_id: 8 } }, 'ask'],
    'when the destination was blacklisted once': [{ ever_blacklisted: { asset_id: 9, address: TO } }, 'ask'],
    'when another address was blacklisted': [
      { ever_blacklisted: { asset_id: 9, address: ELSEWHERE } },
      'accepted, stored',
    ],
    'when it was blacklisted by another token': [
      { ever_blacklisted: { asset_id: 8, address: TO } },
      'accepted, stored',
    ],
  },
};

const NONCE = Buffer.alloc(32, 3);
const at = { asset_id: 9, tx_hash: '0x1', log_index: 3 };
const recognizing = (trace: string | null, cases: Decision['cases']): Decision => ({
  of: `whether the chain has paid a payment ${trace ? 'with its trace' : 'without a trace'}: accept_sends`,
  rows: {
    ...world,
    forgotten_nonces: { ...at, nonce: NONCE, kind: 'used' },
    unexplained_moves: { ...at, wallet_id: WALLET, to_address: TO, amount: 5 },
  },
  calls: accept({ ...keyed, trace }),
  cases,
});
const recognizings: readonly Decision[] = [
  recognizing(null, {
    'after a restore': [{}, 'untraced'],
    'without a restore': [{ forgotten_nonces: null }, 'accepted, stored'],
  }),
  recognizing(NONCE.toString('hex'), {
    'under its nonce': [{}, 'paid'],
    'under another nonce': [{ forgotten_nonces: { nonce: Buffer.alloc(32, 4) } }, 'accepted, stored'],
    'when no coins are missing': [{ unexplained_moves: null }, 'accepted, stored'],
    'that was imported': [{ unexplained_moves: { imported_as: OTHER } }, 'paid'],
    'that was booked as a loss': [
      {
        unexplained_moves: { imported_as: OTHER },
        transfers: { ...pays('internal').transfers, transfer_id: OTHER, debit_account: 9003 },
      },
      'accepted, stored',
    ],
  }),
];

export const acceptingDecisions: readonly Decision[] = [
  accepting,
  asPerson,
  byKey,
  inMode(false, 'refused, key.not_allowed'),
  inMode(true, 'accepted'),
  ...awaitings,
  asking,
  ...recognizings,
];
