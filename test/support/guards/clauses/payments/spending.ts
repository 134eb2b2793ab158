/** Spending that counts against limits: windows of 24 hours and 30 days, to the hour. */
import type { Decision, Rows } from '../decide.ts';
import { ID, KEY, OTHER } from '../ids.ts';

const HOUR = 100_000;
const account = { account_id: 9001, kind: 'user', user_id: OTHER, tier: 0 };

/** Hours ago, and whether spending at that time counts for the day and for the month. */
const WINDOW: readonly (readonly [ago: number, day: boolean, month: boolean])[] = [
  [1, true, true],
  [23, true, true],
  [24, true, true],
  [25, false, true],
  [719, false, true],
  [720, false, true],
  [721, false, false],
];

const atEachHour = (
  spendAt: (hour: number) => Rows,
  say: (day: boolean, month: boolean) => string,
): Decision['cases'] =>
  Object.fromEntries(
    WINDOW.map(([ago, day, month]) => [`spent ${ago} hours ago`, [spendAt(HOUR - ago), say(day, month)] as const]),
  );

const turning: Decision = {
  of: 'how much of a person’s spending counts in the next hour: ledger_turn_hour',
  rows: {},
  calls: [
    `SELECT day_payments || ' ' || day_spent || ' ' || month_spent AS said
       FROM ledger_turn_hour(${HOUR}, '{9001}', '{1}', '{0}', '{0}')`,
  ],
  cases: {
    ...atEachHour(
      (hour) => ({ spendings: { account_id: 9001, hour, payments: 2, spent: 7 } }),
      (day, month) => `${day ? 2 : 0} ${day ? 7 : 0} ${month ? 7 : 0}`,
    ),
    'spent by another person': [{ spendings: { account_id: 9002, hour: HOUR - 1, payments: 2, spent: 7 } }, '0 0 0'],
  },
};

const givingBack = (ago: number, said: string): Decision => ({
  of: `how much of a payment ${ago} hours ago is subtracted: ledger_give_back`,
  rows: {
    accounts: { ...account, hour: HOUR, day_payments: 3, day_spent: 20, month_spent: 20 },
    spendings: { account_id: 9001, hour: HOUR - ago, payments: 2, spent: 7 },
  },
  calls: [
    `SELECT ledger_give_back(9001, ${HOUR - ago}, 5, true)`,
    `SELECT a.day_payments || ' ' || a.day_spent || ' ' || a.month_spent || ' ' || s.payments || ' ' || s.spent AS said
       FROM accounts a, spendings s WHERE a.account_id = 9001`,
  ],
  cases: {
    'to its window': [{}, said],
    'unless less was spent then': [{ spendings: { spent: 4 } }, '3 20 20 2 4'],
    'unless no payment was made then': [{ spendings: { payments: 0 } }, '3 20 20 0 7'],
  },
});

const givingBackNow: Decision = {
  of: 'how much of a payment of this hour is subtracted: ledger_give_back',
  rows: {
    accounts: {
      ...{ ...account, hour: HOUR, hour_payments: 2, hour_spent: 7 },
      ...{ day_payments: 3, day_spent: 20, month_spent: 20 },
    },
  },
  calls: [
    `SELECT ledger_give_back(9001, ${HOUR}, 5, true)`,
    `SELECT concat_ws(' ', hour_payments, hour_spent, day_payments, day_spent, month_spent) AS said FROM accounts WHERE account_id = 9001`,
  ],
  cases: {
    'from all of it': [{}, '1 2 2 15 15'],
    'up to all of it': [{ accounts: { hour_spent: 5, hour_payments: 1 } }, '0 0 2 15 15'],
    'unless less was spent': [{ accounts: { hour_spent: 4 } }, '2 4 3 20 20'],
    'unless no payment was made': [{ accounts: { hour_payments: 0 } }, '0 7 3 20 20'],
  },
};

const budget = (pays: string) => ({
  ...{ key_id: KEY, pays, allowed: true, payment_limit: 100, day_limit: 100, month_limit: 100 },
  counted_since: 'now',
  hour: HOUR - 10,
});
const turnBudget = `SELECT turn_key_budget(b, ${HOUR}) FROM key_budgets b WHERE b.pays = 'people'`;

const turningKeys: Decision = {
  of: 'how much of a key’s spending counts in the next hour: turn_key_budget',
  rows: { key_budgets: budget('people'), 'key_budgets 2': budget('treasury') },
  calls: [turnBudget, `SELECT day_spent || ' ' || month_spent AS said FROM key_budgets WHERE pays = 'people'`],
  cases: {
    ...atEachHour(
      (hour) => ({ key_spendings: { key_id: KEY, pays: 'people', hour, spent: 7 } }),
      (day, month) => `${day ? 7 : 0} ${month ? 7 : 0}`,
    ),
    'spent in its last hour': [{ key_budgets: { hour_spent: 4 } }, '4 4'],
    'spent from the treasury': [{ key_spendings: { key_id: KEY, pays: 'treasury', hour: HOUR - 1, spent: 7 } }, '0 0'],
    'spent by another key': [{ key_spendings: { key_id: OTHER, pays: 'people', hour: HOUR - 1, spent: 7 } }, '0 0'],
  },
};

const given = (pays: string) => ({ key_id: KEY, pays, hour: HOUR - 2, amount: 3 });
const givingBackToKeys: Decision = {
  of: 'what a key gets back when the hour of its budget for people changes: turn_key_budget',
  rows: {
    key_budgets: budget('people'),
    'key_budgets 2': budget('treasury'),
    key_spendings: { key_id: KEY, pays: 'people', hour: HOUR - 2, spent: 7 },
    key_refunds: given('people'),
  },
  calls: [
    turnBudget,
    `SELECT day_spent || ' ' || coalesce((SELECT string_agg(pays, ',' ORDER BY pays) FROM key_refunds), '') AS said
       FROM key_budgets WHERE pays = 'people'`,
  ],
  cases: {
    'for people': [{}, '4 '],
    'for people and for the treasury': [{ 'key_refunds 2': { ...given('treasury'), payment_id: ID } }, '4 treasury'],
    'for another key': [{ key_refunds: { key_id: OTHER } }, '7 people'],
    'of another hour': [{ key_refunds: { hour: HOUR - 3 } }, '7 '],
    'more than it has spent': [{ key_refunds: { amount: 9 } }, '0 '],
  },
};

const leftOf: Decision = {
  of: 'what a key has left: lock_key_budgets',
  rows: {
    key_budgets: {
      ...budget('people'),
      month_limit: 1_000,
      hour: 2_000_000_000,
      hour_spent: 1,
      day_spent: 2,
      month_spent: 4,
    },
  },
  calls: [`SELECT o_left[1] AS said FROM lock_key_budgets('{${KEY}}', '{${OTHER}}')`],
  cases: {
    'of its day': [{}, '97'],
    'of its day, spent in this hour': [{ key_budgets: { hour_spent: 50 } }, '48'],
    'of its day, spent before': [{ key_budgets: { day_spent: 60, month_spent: 60 } }, '39'],
    'of its month': [{ key_budgets: { month_limit: 10 } }, '5'],
    'of its month, spent in this hour': [{ key_budgets: { month_limit: 10, hour_spent: 5 } }, '1'],
    'without a limit of its month': [{ key_budgets: { month_limit: null } }, '97'],
    'without a limit of its day': [{ key_budgets: { day_limit: null } }, '995'],
  },
};

export const spendingDecisions: readonly Decision[] = [
  turning,
  givingBack(1, '2 15 15 1 2'),
  givingBack(24, '2 15 15 1 2'),
  givingBack(25, '3 20 15 1 2'),
  givingBack(720, '3 20 15 1 2'),
  givingBack(721, '3 20 20 1 2'),
  givingBackNow,
  turningKeys,
  givingBackToKeys,
  leftOf,
];
