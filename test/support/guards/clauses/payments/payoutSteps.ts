/** Decisions about payouts: who starts one, and what becomes of each row. */
import { loginOf } from '../../../operators.ts';
import { asOperator } from '../asOperator.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID, KEY, ME, MOVE, OTHER, WALLET } from '../ids.ts';

const [ANNA, RITA] = [loginOf('anna'), loginOf('rita')] as const;
const TO = `0x${'ab'.repeat(20)}`;
const account = { asset_id: 9, kind: 'user', tier: 0, entries: 7, available: 100 };
const item = { payout_id: ID, nth: 1, payment_id: MOVE, destination: TO, blockchain: 'HERE', amount: 5 };
const person = { destination: null, username: 'bobby', user_id: OTHER };
const payout = {
  ...{ payout_id: ID, key_id: KEY, payer_id: ME, on_shortage: 'wait', row_count: 2, total: 9, known_count: 1 },
  ...{ known_total: 4, currency: 'USDC' },
};
const running = { state: 'running', confirmed_at: 'now', waits_until: 'tomorrow' };
const world: Rows = {
  networks: { network_id: 9, blockchain: 'HERE' },
  assets: { asset_id: 9, network_id: 9, symbol: 'USDC' },
  users: { user_id: ME },
  'users 2': { user_id: OTHER, subject: 'other' },
  usernames: { username: 'alice', user_id: ME },
  'usernames 2': { username: 'bobby', user_id: OTHER },
  accounts: { ...account, account_id: 9001, user_id: ME },
  'accounts 2': { ...account, account_id: 9002, kind: 'chain' },
  'accounts 3': { ...account, account_id: 9003, user_id: OTHER },
  wallets: { wallet_id: WALLET, kind: 'user', user_id: ME, provider: 'local', address: `0x${'1'.repeat(40)}` },
  service_keys: { key_id: KEY, hash: Buffer.alloc(32), scopes: '{payouts}' },
  key_rules: { key_id: KEY, any_person: true, any_destination: true },
  key_budgets: { key_id: KEY, pays: 'people', allowed: true },
  payouts: payout,
  payout_items: item,
};
const STATE = `(SELECT state || coalesce(' ' || approvals_needed, '') FROM payouts) || coalesce((SELECT ', due' FROM jobs LIMIT 1), '')`;

const confirm = (threshold: number | null, count = 1, total = 5) =>
  `SELECT outcome AS said FROM confirm_payout('${ID}', '${KEY}', ${count}, ${total}, ${threshold}, NULL, NULL)`;
const left = `SELECT ${STATE} || ', ' || (SELECT string_agg(state || coalesce(' ' || (error->>'code'), ''), ' ' ORDER BY nth) FROM payout_items) AS said`;
const confirmed = (call: string): Decision['calls'] => [
  async (db) => {
    const [answer] = await db.query<{ said: string }>(call);
    const [rest] = await db.query<{ said: string }>(left);
    return `${answer!.said}, ${rest!.said}`;
  },
];
const UNCHANGED = 'checked 0, ready';
const confirming: Decision = {
  of: 'whether a payout starts: confirm_payout',
  rows: world,
  calls: confirmed(confirm(null)),
  cases: {
    'that was checked': [{}, 'confirmed, running 0, due, ready'],
    'of another key': [{ payouts: { key_id: OTHER } }, `unknown, ${UNCHANGED}`],
    'that does not exist': [{ payouts: { payout_id: OTHER } }, `unknown, ${UNCHANGED}`],
    'whose key was revoked': [{ service_keys: { revoked_at: 'now' } }, `refused, ${UNCHANGED}`],
    'whose payer has closed their account': [{ users: { closed_at: 'now' } }, `refused, ${UNCHANGED}`],
    'whose receiver has closed their account': [
      { 'users 2': { closed_at: 'now' } },
      'confirmed, running 0, due, ready',
    ],
    'with another count': [{ payouts: { row_count: 3 } }, `mismatch, ${UNCHANGED}`],
    'with another total': [{ payouts: { total: 10 } }, `mismatch, ${UNCHANGED}`],
    'of which more was known': [{ payouts: { known_count: 0 } }, `mismatch, ${UNCHANGED}`],
    'of which more money was known': [{ payouts: { known_total: 3 } }, `mismatch, ${UNCHANGED}`],
    'that was cancelled': [
      { payouts: { state: 'cancelled', cancelled_at: 'now', ended_at: 'now' } },
      'ended, cancelled 0, ready',
    ],
    'that stops': [{ payouts: { ...running, state: 'stopping', cancelled_at: 'now' } }, 'ended, stopping 0, ready'],
    'that runs': [{ payouts: running }, 'confirmed, running 0, ready'],
    'that is complete': [
      { payouts: { ...running, state: 'complete', ended_at: 'now' } },
      'confirmed, complete 0, ready',
    ],
    'to a person': [{ payout_items: person }, 'confirmed, running 0, due, ready'],
    'to a person whose name is gone': [
      { payout_items: person, 'usernames 2': null },
      'confirmed, running 0, due, failed username.unknown',
    ],
    'to a person whose name has another owner': [
      { payout_items: { ...person, user_id: MOVE } },
      'confirmed, running 0, due, failed username.other_owner',
    ],
  },
  waitsFor: ['that was cancelled', 'whose key was revoked', 'whose payer has closed their account'],
};

const needing = (own: number | null, stored: number | null, said: string): Decision => ({
  of: `whether two operators approve a payout of 5 with the thresholds ${own} and ${stored}: confirm_payout`,
  rows: world,
  calls: [`UPDATE send_rules SET approval_threshold = ${stored}`, ...confirmed(confirm(own))],
  cases: {
    'when nothing is paid yet': [{}, `confirmed, ${said}, ready`],
    'when one more row is paid already': [
      { 'payout_items 2': { ...item, nth: 2, payment_id: OTHER, state: 'paid' } },
      `confirmed, ${said}, ready paid`,
    ],
    'when its payment exists': [
      {
        transfers: {
          ...{
            transfer_id: MOVE,
            kind: 'hold',
            debit_account: 9001,
            credit_account: 9002,
            amount: 5,
            asset_id: 9,
            seq: -1,
          },
          debit_held: 5,
        },
      },
      'confirmed, running 0, due, ready',
    ],
  },
});
const [ALONE, BY_TWO] = ['running 0, due', 'approving 2'] as const;

const waiting: Rows = {
  ...world,
  payouts: { ...payout, ...running, state: 'approving', approvals_needed: 2 },
  operators: { name: ANNA, role: 'admin', added_at: '2020-01-01' },
  'operators 2': { name: RITA, role: 'risk', added_at: '2020-01-01' },
};
const approvalOf = (operator: string): Rows => ({
  payout_approvals: { payout_id: ID, operator, approved_at: '2020-01-02' },
});
const approving: Decision = {
  of: 'whether an approval of a payout is taken: approve_payout',
  rows: waiting,
  calls: [asOperator('anna', `SELECT approve_payout('${ID}') AS said`, `SELECT ${STATE} AS said`)],
  cases: {
    'as the first one': [{}, '1, approving 2'],
    'as the second one': [approvalOf(RITA), '2, running 2, due'],
    'after one of support': [{ ...approvalOf(RITA), 'operators 2': { role: 'support' } }, '1, approving 2'],
    'a second time': [approvalOf(ANNA), /payout_approvals_pkey/],
    'of a payout that was only checked': [{ payouts: { state: 'checked' } }, /waits for no approval/],
    'of a payout that runs': [{ payouts: { state: 'running' } }, /waits for no approval/],
    'of a payout that was cancelled': [
      { payouts: { state: 'cancelled', cancelled_at: 'now', ended_at: 'now' } },
      /waits for no approval/,
    ],
    'of an unknown payout': [{ payouts: { payout_id: OTHER } }, /waits for no approval/],
    'by support': [
      { operators: { role: 'support' }, 'operators 2': { role: 'admin' } },
      /not an operator who may approve/,
    ],
  },
  waitsFor: ['of a payout that was cancelled'],
};
const denying: Decision = {
  of: 'whether a payout is denied: deny_payout',
  rows: waiting,
  calls: [asOperator('anna', `SELECT deny_payout('${ID}', 'x') AS said`, left)],
  cases: {
    'that waits for approvals': [{}, 'denied, cancelled 2, cancelled'],
    'that runs': [{ payouts: { state: 'running' } }, 'denied, cancelled 2, cancelled'],
    'that runs, with a send in progress': [
      { payouts: { state: 'running' }, payout_items: { state: 'sent' } },
      'denied, stopping 2, sent',
    ],
    'that was only checked': [{ payouts: { state: 'checked', confirmed_at: null } }, 'denied, cancelled 2, cancelled'],
    'that is complete': [{ payouts: { state: 'complete', ended_at: 'now' } }, 'ended, complete 2, ready'],
    'that was cancelled': [
      { payouts: { state: 'cancelled', cancelled_at: 'now', ended_at: 'now' } },
      'ended, cancelled 2, ready',
    ],
    'that does not exist': [{ payouts: { payout_id: OTHER } }, 'unknown, approving 2, ready'],
    'by support': [{ operators: { role: 'support' }, 'operators 2': { role: 'admin' } }, /may not do this/],
  },
  waitsFor: ['that was cancelled'],
};

/** The only row of a payout that runs, and why the payout waits. */
const BUDGET = `SELECT string_agg(pays || ' ' || hour_spent, ', ' ORDER BY pays) AS said FROM key_budgets`;
const ROW = `SELECT (SELECT state || coalesce(' ' || (error->>'code'), '') FROM payout_items) || CASE WHEN o_waits IS NULL THEN '' ELSE ', waits' END AS said FROM done`;
const late = { waits_until: 'yesterday' };
const running1 = { ...payout, ...running };
/** What holds for a row to an address and for a row to a person. */
const shared = (paid: string): Decision['cases'] => ({
  'that is covered': [{}, paid],
  'beyond the balance': [{ accounts: { available: 4 } }, 'ready, waits'],
  'beyond the balance, too late': [{ accounts: { available: 4 }, payouts: late }, 'failed balance.insufficient'],
  'beyond the balance, of a payout that does not wait': [
    { accounts: { available: 4 }, payouts: { on_shortage: 'fail' } },
    'failed balance.insufficient',
  ],
  'beyond the limit of the key': [
    { key_budgets: { payment_limit: 9, day_limit: 4, month_limit: 99, counted_since: 'now' } },
    'ready, waits',
  ],
  'beyond the limit of one payment of the key': [{ key_budgets: { payment_limit: 4 } }, 'failed key.limit_exceeded'],
  'of a paused person': [{ accounts: { paused: true }, pauses: { scope: `user:${ME}` } }, 'ready, waits'],
  'of a paused person, of a payout that does not wait': [
    { accounts: { paused: true }, pauses: { scope: `user:${ME}` }, payouts: { on_shortage: 'fail' } },
    'ready, waits',
  ],
  'of a paused person, too late': [
    { accounts: { paused: true }, pauses: { scope: `user:${ME}` }, payouts: late },
    'failed user.paused',
  ],
  'while everything is paused': [{ pauses: { scope: 'all' } }, 'ready, waits'],
  'of a key without the person': [{ key_rules: { any_person: false } }, 'failed key.not_allowed'],
  'that was paid before': [{ payout_items: { state: 'cancelled' } }, 'cancelled'],
});
const used = (row: object): Rows => ({
  transfers: {
    ...{ transfer_id: MOVE, kind: 'user', debit_account: 9001, credit_account: 9003, amount: 5, asset_id: 9, seq: -1 },
    ...{ credit_entry: 1, credit_available: 1 },
    ...row,
  },
});
const sending: Decision = {
  of: 'what becomes of a row to an address: send_payout_rows',
  rows: { ...world, payouts: running1 },
  calls: [
    `CREATE TEMP TABLE done ON COMMIT DROP AS SELECT * FROM send_payout_rows('${ID}', '{"delay": 0, "list_age": 60}', '[{"nth": 1, "asked": true}]')`,
    ROW,
  ],
  cases: {
    ...shared('sent'),
    'while its blockchain is paused': [{ pauses: { scope: 'chain:HERE' } }, 'ready, waits'],
    'while payments of people are paused': [{ pauses: { scope: 'user' } }, 'sent'],
    'whose reference is used by a person': [used({}), 'failed reference.used'],
    'to their own wallet': [{ wallets: { address: TO } }, 'failed payment.self'],
    'to a person': [{ payout_items: person }, 'ready'],
  },
};
const paying: Decision = {
  of: 'what becomes of a row to a person: pay_payout_people',
  rows: { ...world, payouts: running1, payout_items: { ...item, ...person } },
  calls: [
    `SELECT ledger_set_home_asset(9::smallint)`,
    `CREATE TEMP TABLE done ON COMMIT DROP AS SELECT * FROM pay_payout_people('${ID}', 0, 10)`,
    ROW,
  ],
  cases: {
    ...shared('paid'),
    'while payments of people are paused': [{ pauses: { scope: 'user' } }, 'ready, waits'],
    'while blockchains are paused': [{ pauses: { scope: 'chain' } }, 'paid'],
    'that was paid, and this was lost': [used({}), 'paid'],
    'whose reference has paid another amount': [used({ amount: 4 }), 'failed reference.used'],
    'whose reference has paid another person': [used({ credit_account: 9004 }), 'failed reference.used'],
    'without a name': [{ 'usernames 2': null }, 'failed username.unknown'],
    'with a new name': [
      { 'usernames 2': { redirect_until: 'tomorrow' }, 'usernames 3': { username: 'robert', user_id: OTHER } },
      'paid',
    ],
    'to an address': [{ payout_items: { ...item, username: null, user_id: null } }, 'ready'],
  },
};

/** What the row counts for in the budgets of its key. */
const charging = (decision: Decision): Decision => ({
  of: decision.of.replace('what becomes of', 'what a key is charged for'),
  rows: {
    ...decision.rows,
    key_budgets: { key_id: KEY, pays: 'people', ...BUDGETS },
    'key_budgets 2': { key_id: KEY, pays: 'treasury', ...BUDGETS },
    'accounts 4': { ...account, account_id: 9004, kind: 'treasury' },
    'wallets 2': {
      ...world.wallets,
      wallet_id: OTHER,
      kind: 'treasury',
      user_id: null,
      address: `0x${'2'.repeat(40)}`,
      reference: 'y',
    },
  },
  calls: [...decision.calls.slice(0, -1), BUDGET],
  cases: {
    'of a person': [{}, 'people 5, treasury 0'],
    'of the treasury': [{ payouts: { payer_id: null } }, 'people 0, treasury 5'],
    'that is refused': [{ accounts: { available: 4 } }, 'people 0, treasury 0'],
    'of the treasury, that is refused': [
      { payouts: { payer_id: null }, 'accounts 4': { available: 4 } },
      'people 0, treasury 0',
    ],
    'after others': [{ key_budgets: { hour_spent: 7 } }, 'people 12, treasury 0'],
    'up to its limit': [{ key_budgets: { hour_spent: 94 } }, 'people 99, treasury 0'],
    'beyond its limit': [{ key_budgets: { hour_spent: 95 } }, 'people 95, treasury 0'],
  },
});
const BUDGETS = {
  ...{ allowed: true, payment_limit: 50, day_limit: 99, month_limit: 999, counted_since: 'now' },
  hour: Math.floor(Date.now() / 3_600_000) + 1,
};

const changing = (of: string, change: string, said: string | RegExp, from: object = {}): Decision => ({
  of: `whether a payout may become ${of}: guard_payout`,
  rows: { ...waiting, payouts: { ...waiting.payouts, ...from }, payout_items: { ...item, state: 'paid' } },
  hasTriggers: true,
  calls: [`UPDATE payouts SET ${change} RETURNING state AS said`],
  cases: { [`from ${JSON.stringify(from)}`]: [{}, said] },
});
const CHECKED = { state: 'checked', confirmed_at: null, approvals_needed: 0 };
const DONE = 'ended_at = now()';
const STOPPED = `cancelled_at = now(), ended_at = now()`;
const WAITS = { state: 'waiting', waits_for: '{}' };
const CANNOT = /a payout cannot go from/;
const changes: readonly Decision[] = [
  changing('complete', `state = 'complete', ${DONE}`, CANNOT),
  changing('complete', `state = 'complete', ${DONE}`, 'complete', { state: 'running' }),
  changing('complete', `state = 'complete', ${DONE}, waits_for = NULL`, 'complete', WAITS),
  changing('complete', `state = 'complete', ${DONE}, cancelled_at = NULL`, CANNOT, {
    state: 'stopping',
    cancelled_at: 'now',
  }),
  changing('complete', `state = 'complete', ${DONE}`, CANNOT, CHECKED),
  changing('running', `state = 'running'`, /is not approved/),
  changing('running', `state = 'running', waits_for = NULL`, 'running', WAITS),
  changing('running', `state = 'running'`, CANNOT, { state: 'complete', ended_at: 'now' }),
  changing('cancelled', `state = 'cancelled', ${STOPPED}`, 'cancelled'),
  changing('cancelled', `state = 'cancelled', ${DONE}`, 'cancelled', { state: 'stopping', cancelled_at: 'now' }),
  changing('cancelled', `state = 'cancelled', ${STOPPED}`, CANNOT, { state: 'complete', ended_at: 'now' }),
  changing('approved by fewer', 'approvals_needed = 0', /checked contents of a payout cannot change/),
  ...[
    'row_count = 3',
    'total = 10',
    'known_count = 0',
    'known_total = 3',
    `payer_id = NULL`,
    `on_shortage = 'fail'`,
    `key_id = '${OTHER}'`,
  ].map((change) => changing(change, change, /checked contents of a payout cannot change/)),
];

export const payoutStepDecisions: readonly Decision[] = [
  confirming,
  needing(null, null, ALONE),
  needing(5, null, BY_TWO),
  needing(6, null, ALONE),
  needing(null, 5, BY_TWO),
  needing(null, 6, ALONE),
  needing(6, 5, BY_TWO),
  needing(5, 6, BY_TWO),
  approving,
  denying,
  sending,
  paying,
  charging(sending),
  charging(paying),
  ...changes,
];
