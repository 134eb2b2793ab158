/** Decisions about operators: what their role allows, and when a pause begins and ends. */
import { loginOf } from '../../../operators.ts';
import { asOperator } from '../asOperator.ts';
import type { Decision, Rows } from '../decide.ts';
import { ME, OTHER } from '../ids.ts';

const [ANNA, RITA] = [loginOf('anna'), loginOf('rita')] as const;
const anna = { name: ANNA, role: 'admin', added_at: '2020-01-01' };
const account = { asset_id: 9, kind: 'user', tier: 0, paused: true };
const [OURS, THEIRS] = [`user:${ME}`, `user:${OTHER}`] as const;

const people: Rows = {
  operators: anna,
  users: { user_id: ME },
  'users 2': { user_id: OTHER, subject: 'other' },
  accounts: { ...account, account_id: 9001, user_id: ME },
  'accounts 2': { ...account, account_id: 9002, user_id: ME, asset_id: 8 },
  'accounts 3': { ...account, account_id: 9003, user_id: OTHER },
};
/** Whose accounts are paused, and what the audit log says. */
const LEFT = `SELECT coalesce((SELECT string_agg(account_id::text, ' ' ORDER BY account_id) FROM accounts WHERE account_id > 9000 AND paused), 'no one')
  || coalesce((SELECT ': ' || action || CASE user_id WHEN '${ME}' THEN ' me' ELSE '' END || coalesce(' ' || (details->>'cause'), '') FROM audit_log), '') AS said`;

const resuming = (scope: string, cause: string, cases: Decision['cases']): Decision => ({
  of: `what ends with the pause of ${scope} for ${cause}: resume_payments`,
  rows: { ...people, pauses: { scope, cause, stops: cause === 'drift' ? 'accepting and signing' : 'accepting' } },
  calls: [asOperator('anna', `SELECT resume_payments('${scope}', '${cause}') AS said`, LEFT)],
  cases,
});
const resumings: readonly Decision[] = [
  resuming(OURS, 'operator', {
    'when it is the only one': [{}, 'true, 9003: payments.resumed me'],
    'when the person is also paused for another cause': [
      { 'pauses 2': { scope: OURS, cause: 'closed' } },
      'true, 9001 9002 9003: payments.resumed me',
    ],
    'when another person is paused as well': [{ 'pauses 2': { scope: THEIRS } }, 'true, 9003: payments.resumed me'],
    'when everyone is paused as well': [{ 'pauses 2': { scope: 'user' } }, 'true, 9003: payments.resumed me'],
    'when there is none': [{ pauses: null }, 'false, 9001 9002 9003'],
    'when there is one for another cause': [{ pauses: { cause: 'closed' } }, 'false, 9001 9002 9003'],
    'when another person is paused': [{ pauses: { scope: THEIRS } }, 'false, 9001 9002 9003'],
    'for support': [
      { operators: { role: 'support' }, 'operators 2': { name: RITA, role: 'admin' } },
      'true, 9003: payments.resumed me',
    ],
  }),
  resuming(OURS, 'closed', { 'when it is the only one': [{}, 'true, 9003: payments.resumed me closed'] }),
  resuming('all', 'operator', {
    'for people': [{}, 'true, 9001 9002 9003: payments.resumed'],
    'for support': [
      { operators: { role: 'support' }, 'operators 2': { name: RITA, role: 'admin' } },
      /has the role support, which may not do this/,
    ],
  }),
  resuming('chain:SOME-CHAIN', 'drift', {
    'for people': [{}, 'true, 9001 9002 9003: payments.resumed drift'],
    'when it is paused for another cause': [{ pauses: { cause: 'gas', stops: 'accepting' } }, 'false, 9001 9002 9003'],
  }),
];

const waiting = { kind: 'submit', key: 'x', run_at: 'tomorrow', waits_for: 'resume' };
const JOBS = `SELECT string_agg(CASE WHEN waits_for IS NULL AND run_at <= now() + interval '1 minute' THEN 'due' ELSE 'waits' END, ' ' ORDER BY key) AS said FROM jobs`;
const waking = (of: string, call: string, rows: Rows, cases: Decision['cases']): Decision => ({
  of: `which jobs become due when ${of}`,
  rows: { ...people, ...rows, jobs: waiting, 'jobs 2': { ...waiting, key: 'y', waits_for: 'coins 9' } },
  calls: [asOperator('anna', call, JOBS)],
  cases,
});
const wakings: readonly Decision[] = [
  waking(
    'all payments resume: resume_payments',
    `SELECT resume_payments('all', 'operator') AS said`,
    { pauses: { scope: 'all' } },
    {
      'for people': [{}, 'true, due waits'],
      'without such a pause': [{ pauses: null }, 'false, waits waits'],
    },
  ),
  waking(
    'a person resumes: resume_payments',
    `SELECT resume_payments('${OURS}', 'operator') AS said`,
    { pauses: { scope: OURS } },
    {
      'for people': [{}, 'true, waits waits'],
    },
  ),
  waking(
    'a pause allows signing: pause_payments',
    `SELECT pause_payments('all', 'operator', 'x', 'accepting', NULL) AS said`,
    { pauses: { scope: 'all', stops: 'accepting and signing' } },
    {
      'after it stopped signing': [{}, 'true, due waits'],
      'after it allowed signing': [{ pauses: { stops: 'accepting' } }, 'true, waits waits'],
      'for the first time': [{ pauses: null }, 'true, waits waits'],
    },
  ),
  waking(
    'a pause stops signing: pause_payments',
    `SELECT pause_payments('all', 'operator', 'x', 'accepting and signing', NULL) AS said`,
    { pauses: { scope: 'all', stops: 'accepting and signing' } },
    { 'as before': [{}, 'true, waits waits'] },
  ),
];

const running: Rows = {
  accounts: { ...people.accounts, paused: false },
  'accounts 2': { ...people['accounts 2'], paused: false },
  'accounts 3': { ...people['accounts 3'], paused: false },
};
const pausing = (scope: string, cases: Decision['cases']): Decision => ({
  of: `who is paused with ${scope}: pause_payments`,
  rows: { ...people, ...running },
  calls: [
    asOperator(
      'anna',
      `SELECT pause_payments('${scope}', 'operator', 'new', 'accepting', NULL) AS said`,
      `${LEFT.replace('AS said', '')} || coalesce((SELECT string_agg(', ' || cause || ' ' || reason, '' ORDER BY cause) FROM pauses), '') AS said`,
    ),
  ],
  cases,
});
const pausings: readonly Decision[] = [
  pausing(OURS, {
    'for the first time': [{}, 'true, 9001 9002: payments.paused me, operator new'],
    'for another reason': [
      { pauses: { scope: OURS, reason: 'old' } },
      'true, 9001 9002: payments.paused me, operator new',
    ],
    'for another cause': [
      { pauses: { scope: OURS, cause: 'closed', reason: 'old' } },
      'true, 9001 9002: payments.paused me, closed old, operator new',
    ],
    'when there is no such person': [{ users: null }, 'false, no one'],
    'by support': [
      { operators: { role: 'support' }, 'operators 2': { name: RITA, role: 'admin' } },
      'true, 9001 9002: payments.paused me, operator new',
    ],
  }),
  pausing('all', {
    'for the first time': [{}, 'true, no one: payments.paused, operator new'],
    'by support': [
      { operators: { role: 'support' }, 'operators 2': { name: RITA, role: 'admin' } },
      /has the role support, which may not do this/,
    ],
  }),
  pausing('chain:SOME-CHAIN', {
    'when it is known': [
      { networks: { network_id: 9, blockchain: 'SOME-CHAIN' } },
      'true, no one: payments.paused, operator new',
    ],
    'when only another one is known': [
      { networks: { network_id: 9, blockchain: 'SOME-CHAIN-2' } },
      /there is no blockchain SOME-CHAIN$/,
    ],
  }),
];

const serving = (cause: string): Decision => ({
  of: `what the reason of a pause is when the service pauses again for ${cause}: pause_payments`,
  rows: {
    pauses: {
      scope: 'chain:SOME-CHAIN',
      cause,
      reason: 'old',
      stops: cause === 'gas' ? 'accepting' : 'accepting and signing',
    },
  },
  calls: [
    `SELECT pause_payments('chain:SOME-CHAIN', '${cause}', 'new', '${cause === 'gas' ? 'accepting' : 'accepting and signing'}', NULL)`,
    `SELECT string_agg(reason || ' ' || paused_by, ', ' ORDER BY cause) AS said FROM pauses`,
  ],
  cases: {
    'for the first time': [{ pauses: null }, 'new florin'],
    again: [{ pauses: { paused_by: 'florin' } }, 'old florin'],
  },
});

const DEEDS = [
  'keys',
  'limits',
  'pause',
  'pause_user',
  'operators',
  'approve',
  'cancel',
  'custody',
  'sessions',
  'webhooks',
];
const EVERYTHING = DEEDS.join(' ');
const allowed: Decision = {
  of: 'what an operator may do: operator_objection',
  rows: { operators: anna },
  calls: [
    asOperator(
      'anna',
      `SELECT coalesce(string_agg(d, ' ' ORDER BY n), 'nothing') AS said
         FROM unnest('{${DEEDS.join(',')}}'::text[]) WITH ORDINALITY AS u(d, n) WHERE operator_objection(d) IS NULL`,
    ),
  ],
  cases: {
    'as an admin': [{}, EVERYTHING],
    'about risk': [
      { operators: { role: 'risk' }, 'operators 2': { name: RITA, role: 'admin' } },
      'limits pause pause_user approve cancel sessions',
    ],
    'as support': [
      { operators: { role: 'support' }, 'operators 2': { name: RITA, role: 'admin' } },
      'pause_user cancel sessions',
    ],
    'without a name': [{ operators: { name: RITA } }, 'nothing'],
    'without a name, while there is no admin': [{ operators: { name: RITA, role: 'risk' } }, EVERYTHING],
    'without a name, while no admin has a login': [{ operators: { name: 'no_login' } }, EVERYTHING],
    'without a name, while there is no operator': [{ operators: null }, EVERYTHING],
  },
};

const HERS = `SELECT string_agg(name || ' ' || role || CASE WHEN added_at > '2020-01-01' THEN ' now' ELSE '' END, ', ' ORDER BY name) AS said
  FROM operators WHERE name <> '${ANNA}'`;
const setting: Decision = {
  of: 'since when an operator counts who becomes an admin: set_operator',
  rows: { operators: anna },
  calls: [asOperator('anna', `SELECT set_operator('rolf', 'admin') AS said`, HERS)],
  cases: {
    'who is new': [{}, ', rolf admin now'],
    'who was support': [{ 'operators 2': { ...anna, name: 'rolf', role: 'support' } }, ', rolf admin now'],
    'who had the role risk': [{ 'operators 2': { ...anna, name: 'rolf', role: 'risk' } }, ', rolf admin'],
    'who is an admin': [{ 'operators 2': { ...anna, name: 'rolf' } }, ', rolf admin'],
    'by an operator of risk': [
      { operators: { role: 'risk' }, 'operators 2': { name: RITA, role: 'admin' } },
      /has the role risk, which may not do this/,
    ],
  },
};
const removing: Decision = {
  of: 'whether an operator is removed: remove_operator',
  rows: { operators: anna, 'operators 2': { ...anna, name: 'rolf' } },
  calls: [asOperator('anna', `SELECT remove_operator('rolf') AS said`, HERS)],
  cases: {
    'who is an admin': [{}, 'true, nothing'],
    'who does not exist': [{ 'operators 2': null }, 'false, nothing'],
    'by an operator of risk': [
      { operators: { role: 'risk' }, 'operators 3': { name: RITA, role: 'admin' } },
      /may not do this/,
    ],
  },
};
const leaving: Decision = {
  of: 'whether an admin removes themselves: remove_operator',
  rows: { operators: anna, 'operators 2': { ...anna, name: 'rolf' } },
  calls: [asOperator('anna', `SELECT remove_operator('${ANNA}') AS said`)],
  cases: {
    'while there is another one': [{}, 'true'],
    'while there is only support': [{ 'operators 2': { role: 'support' } }, /at least one admin must be left/],
    'while there is no one': [{ 'operators 2': null }, 'true'],
  },
};

const confirming = (kind: 'keys' | 'sessions', other: 'keys' | 'sessions'): Decision => ({
  of: `which restores are confirmed for ${kind}: confirm_restore`,
  rows: { operators: anna, restores: { noted_at: '2020-01-02' }, 'restores 2': { noted_at: '2020-01-03' } },
  calls: [
    asOperator(
      'anna',
      `SELECT confirm_restore('${kind}') AS said`,
      `SELECT count(${kind}_confirmed_by) || ' ' || count(${other}_confirmed_by) AS said FROM restores`,
    ),
  ],
  cases: {
    'of two': [{}, '2, 2 0'],
    'of which one was confirmed': [
      { restores: { [`${kind}_confirmed_at`]: 'now', [`${kind}_confirmed_by`]: 'x' } },
      '1, 2 0',
    ],
    'of which one was confirmed for others': [
      { restores: { [`${other}_confirmed_at`]: 'now', [`${other}_confirmed_by`]: 'x' } },
      '2, 2 1',
    ],
    'by an operator of risk': [
      { operators: { role: 'risk' }, 'operators 2': { name: RITA, role: 'admin' } },
      /has the role risk, which may not do this/,
    ],
  },
});

export const operatorDecisions: readonly Decision[] = [
  ...resumings,
  ...wakings,
  ...pausings,
  serving('drift'),
  serving('gas'),
  allowed,
  setting,
  removing,
  leaving,
  confirming('keys', 'sessions'),
  confirming('sessions', 'keys'),
];
