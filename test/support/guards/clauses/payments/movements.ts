/** Decisions of the ledger: what an id stands for, and how a hold ends. */
import type { Decision, Rows } from '../decide.ts';
import { ID, ME, MOVE, OTHER } from '../ids.ts';
import type { Values } from '../putRow.ts';

const account = { asset_id: 9, kind: 'user', tier: 0, available: 100, entries: 7 };
const accounts: Rows = {
  accounts: { ...account, account_id: 9001, user_id: ME },
  'accounts 2': { ...account, account_id: 9002, kind: 'chain' },
  'accounts 3': { ...account, account_id: 9003, user_id: OTHER },
};
/** A row of `transfers` with the columns that its kind needs. */
const movement = (kind: string, debit: number, credit: number, more: object = {}) => ({
  ...{ transfer_id: ID, kind, debit_account: debit, credit_account: credit, amount: 5, asset_id: 9, seq: -1 },
  ...(kind === 'hold' || kind === 'release' ? {} : { credit_entry: 1, credit_available: 1 }),
  ...(['hold', 'post', 'release'].includes(kind) ? { debit_held: 5 } : {}),
  ...more,
});

interface Repeated {
  readonly call: string;
  readonly row: ReturnType<typeof movement>;
  /** Another kind of movement with the same columns. */
  readonly kind: Values;
  /** The answer to an id that belongs to another movement. */
  readonly mismatch?: string | RegExp;
}
const repeating = (name: string, { call, row, kind, mismatch = 'mismatch' }: Repeated): Decision => ({
  of: `what a repeated id stands for: ${name}`,
  rows: { ...accounts, transfers: row },
  calls: [call],
  cases: {
    'of the same movement': [{}, 'duplicate'],
    'of another amount': [{ transfers: { amount: 6 } }, mismatch],
    'of another payer': [{ transfers: { debit_account: 9004 } }, mismatch],
    'of another receiver': [{ transfers: { credit_account: 9004 } }, mismatch],
    'of another kind': [{ transfers: kind }, mismatch],
    'that is new': [{ transfers: { transfer_id: OTHER, ...kind } }, 'applied'],
  },
});

const asInternal = { kind: 'internal', credit_entry: 1, credit_available: 1, debit_held: null };
const asDeposit = { kind: 'deposit' };
const applied = (kind: string, debit: number, credit: number, amount = 5, hold = 'NULL') =>
  `SELECT outcome AS said FROM ledger_apply('${ID}', '${kind}', ${debit}, ${credit}, ${amount}, ${hold}, NULL)`;

const CALLS = {
  ledger_hold_many: `SELECT (ledger_hold_many(ARRAY[ROW('${ID}', 9001, 9002, 5, NULL, NULL)::new_hold])).o_outcomes[1] AS said`,
  ledger_pay_many: `SELECT (ledger_pay_many(9001, 'me', ARRAY[(p).r], NULL)).o_outcomes[1] AS said
    FROM (SELECT jsonb_populate_record(NULL::new_payment, '{"id": "${ID}", "credit": 9003, "amount": 5}') AS r) p`,
  ledger_hold_paid: `SELECT ledger_hold_paid('${ID}', 9001, 9002, 5) AS said`,
  ledger_deposit: `SELECT CASE ledger_deposit(9::smallint, '{${ID}}', '{9003}', '{5}', '{x}') WHEN 0 THEN 'duplicate' ELSE 'applied' END AS said`,
  ledger_apply: applied('internal', 9001, 9003),
  ledger_refund: `SELECT ledger_refund('${ID}', 9001, 9003, 5) AS said`,
};
const repeatings: readonly Decision[] = [
  repeating('ledger_hold_many', {
    call: CALLS.ledger_hold_many,
    row: movement('hold', 9001, 9002),
    kind: asInternal,
  }),
  repeating('ledger_pay_many', {
    call: CALLS.ledger_pay_many,
    row: movement('user', 9001, 9003),
    kind: asDeposit,
  }),
  repeating('ledger_hold_paid', {
    call: CALLS.ledger_hold_paid,
    row: movement('hold', 9001, 9002),
    kind: asInternal,
  }),
  repeating('ledger_deposit', {
    call: CALLS.ledger_deposit,
    row: movement('deposit', 9002, 9003),
    kind: { kind: 'internal' },
    mismatch: /belongs to another movement/,
  }),
  repeating('ledger_apply', {
    call: CALLS.ledger_apply,
    row: movement('internal', 9001, 9003),
    kind: asDeposit,
  }),
];

/** Balance, held money and entries of each account, and the movement with the balances after it. */
const LEFT = `SELECT (SELECT string_agg(concat_ws('/', available, held, entries), ' ' ORDER BY account_id) FROM accounts WHERE account_id > 9000)
  || (SELECT concat_ws(' ', ':', kind, amount, debit_entry, debit_available, 'held ' || debit_held, 'to ' || credit_entry, credit_available,
                       'after ' || debit_prev, 'after ' || credit_prev)
        FROM transfers WHERE transfer_id = '${ID}') AS said`;
const linked = { last_seq: -50, last_entry: 7 };
/** `later`: what it leaves after one more movement, which has taken 10 from the payer and given 10 to the receiver. */
const leaving = (name: keyof typeof CALLS, said: string, later: string, previous = ''): Decision => ({
  of: `what a movement leaves: ${name}`,
  rows: {
    accounts: { ...accounts.accounts, ...linked },
    'accounts 2': { ...accounts['accounts 2'], ...linked },
    'accounts 3': { ...accounts['accounts 3'], ...linked, available: 50 },
    'users 2': { user_id: OTHER },
  },
  calls: [CALLS[name], LEFT],
  cases: {
    'that follows others': [{}, `${said}${previous}`],
    'that follows one without a link': [
      { accounts: { last_entry: 6 }, 'accounts 2': { last_entry: 6 }, 'accounts 3': { last_entry: 6 } },
      said,
    ],
    'that follows one more': [
      {
        accounts: { available: 90, entries: 8 },
        'accounts 2': { available: 90, entries: 8 },
        'accounts 3': { available: 60, entries: 8 },
      },
      later,
    ],
  },
  waitsFor: ['that follows one more'],
});
const AFTER = ' after -50';
const leavings: readonly Decision[] = [
  leaving(
    'ledger_hold_many',
    '95/5/8 100/0/7 50/0/7: hold 5 8 95 held 5',
    '85/5/9 90/0/8 60/0/8: hold 5 9 85 held 5',
    AFTER,
  ),
  leaving(
    'ledger_pay_many',
    '95/0/8 100/0/7 55/0/8: user 5 8 95 to 8 55',
    '85/0/9 90/0/8 65/0/9: user 5 9 85 to 9 65',
    AFTER + AFTER,
  ),
  leaving(
    'ledger_hold_paid',
    '95/5/8 100/0/7 50/0/7: hold 5 8 95 held 5',
    '85/5/9 90/0/8 60/0/8: hold 5 9 85 held 5',
    AFTER,
  ),
  leaving(
    'ledger_deposit',
    '100/0/7 95/0/8 55/0/8: deposit 5 8 95 to 8 55',
    '90/0/8 85/0/9 65/0/9: deposit 5 9 85 to 9 65',
  ),
  leaving(
    'ledger_apply',
    '95/0/8 100/0/7 55/0/8: internal 5 8 95 to 8 55',
    '85/0/9 90/0/8 65/0/9: internal 5 9 85 to 9 65',
  ),
  leaving(
    'ledger_refund',
    '95/0/8 100/0/7 55/0/8: user 5 8 95 to 8 55',
    '85/0/9 90/0/8 65/0/9: user 5 9 85 to 9 65',
    AFTER + AFTER,
  ),
];

interface Balances {
  readonly available: bigint;
  readonly held: bigint;
}
/** The hold `MOVE` of 5 ends under the id `ID`. */
const ending = (kind: 'post' | 'release', amount: number, cases: Decision['cases']): Decision => ({
  of: `whether a hold of 5 ends with a ${kind} of ${amount}: ledger_apply`,
  rows: {
    ...accounts,
    accounts: { ...accounts.accounts, held: 5 },
    transfers: movement('hold', 9001, 9002, { transfer_id: MOVE }),
  },
  calls: [
    async (db) => {
      const [did] = await db.query<{ said: string }>(applied(kind, 9001, 9002, amount, `'${MOVE}'`));
      const [left] = await db.query<Balances>('SELECT available, held FROM accounts WHERE account_id = 9001');
      return `${did!.said} ${left!.available} ${left!.held}`;
    },
  ],
  cases,
});
const ended = (kind: string, more: object = {}): Rows => ({
  'transfers 2': movement(kind, 9001, 9002, { transfer_id: OTHER, hold_id: MOVE, seq: -2, debit_entry: 2, ...more }),
});
const others: Decision['cases'] = {
  'that was posted': [ended('post'), 'ended 100 5'],
  'that was released': [ended('release'), 'ended 100 5'],
  'while another one has ended': [ended('post', { hold_id: ID }), 'applied 100 0'],
  'of another payer': [{ transfers: { debit_account: 9003 } }, 'unknown_hold 100 5'],
  'to another account': [{ transfers: { credit_account: 9003 } }, 'unknown_hold 100 5'],
  'that does not exist': [{ transfers: null }, 'unknown_hold 100 5'],
  'that is no hold': [{ transfers: asInternal }, 'unknown_hold 100 5'],
};
const endings: readonly Decision[] = [
  ending('post', 5, { 'that is open': [{}, 'applied 100 0'], ...others }),
  ending('post', 4, { 'that is open': [{}, 'applied 101 0'] }),
  ending('post', 6, { 'that is open': [{}, 'mismatch 100 5'] }),
  ending('release', 4, { 'that is open': [{}, 'mismatch 100 5'] }),
  ending('release', 5, {
    ...others,
    'that is open': [{}, 'applied 105 0'],
    'while another one has ended': [ended('post', { hold_id: ID }), 'applied 105 0'],
  }),
];

const moving: Decision = {
  of: 'whether money moves: ledger_apply',
  rows: accounts,
  calls: [applied('internal', 9001, 9003, 100)],
  cases: {
    'that is there': [{}, 'applied'],
    'beyond the balance': [{ accounts: { available: 99 } }, 'insufficient'],
    'beyond the balance of the chain': [
      { accounts: { kind: 'chain', user_id: null, available: 99 }, 'accounts 2': null },
      'applied',
    ],
    'beyond the balance of losses': [{ accounts: { kind: 'loss', user_id: null, available: 99 } }, 'applied'],
    'beyond the balance of the treasury': [
      { accounts: { kind: 'treasury', user_id: null, available: 99 } },
      'insufficient',
    ],
    'between two assets': [{ 'accounts 3': { asset_id: 8 } }, /no common asset/],
    'to no one': [{ 'accounts 3': null }, /no common asset/],
  },
  waitsFor: ['beyond the balance'],
};

const givingBack: Decision = {
  of: 'whether money is given back: ledger_refund',
  rows: {
    ...accounts,
    users: { user_id: ME },
    'users 2': { user_id: OTHER, subject: 'other' },
  },
  calls: [`SELECT ledger_refund('${ID}', 9001, 9003, 100) AS said`],
  cases: {
    'by one person to another': [{}, 'applied'],
    'more than there is': [{ accounts: { available: 99 } }, 'insufficient'],
    'to a closed account': [{ 'users 2': { closed_at: 'now' } }, 'closed'],
    'by a closed account': [{ users: { closed_at: 'now' } }, 'applied'],
    'by the treasury': [{ accounts: { kind: 'treasury', user_id: null } }, 'applied'],
    'to the treasury': [{ 'accounts 3': { kind: 'treasury', user_id: null } }, 'applied'],
    'by the chain': [{ accounts: { kind: 'chain', user_id: null }, 'accounts 2': null }, /cannot give back/],
    'to losses': [{ 'accounts 3': { kind: 'loss', user_id: null } }, /cannot give back/],
    'in another asset': [{ 'accounts 3': { asset_id: 8 } }, /cannot give back/],
    'to no one': [{ 'accounts 3': null }, /cannot give back/],
  },
  waitsFor: ['more than there is'],
};

const pausing: Decision = {
  of: 'whether a new account is paused: set_first_tier',
  rows: {
    networks: { network_id: 9, blockchain: 'SOME-CHAIN' },
    assets: { asset_id: 9, network_id: 9 },
    users: { user_id: ME },
  },
  hasTriggers: true,
  calls: [
    `INSERT INTO accounts (asset_id, kind, user_id, tier) VALUES (9, 'user', '${ME}', 0) RETURNING paused AS said`,
  ],
  cases: {
    'of a person': [{}, 'false'],
    'of a paused person': [{ pauses: { scope: `user:${ME}` } }, 'true'],
    'of a person whose account is closed': [{ pauses: { scope: `user:${ME}`, cause: 'closed' } }, 'true'],
    'while another person is paused': [{ pauses: { scope: `user:${OTHER}` } }, 'false'],
    'while everyone is paused': [{ pauses: { scope: 'user' } }, 'false'],
  },
};

export const movementDecisions: readonly Decision[] = [
  ...repeatings,
  ...leavings,
  ...endings,
  moving,
  givingBack,
  pausing,
];
