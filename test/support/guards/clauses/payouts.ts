import type { Decision } from './decide.ts';
import { ID, KEY, ME, MOVE, OTHER } from './ids.ts';

const payout = { payout_id: ID, key_id: KEY, on_shortage: 'wait', known_count: 0, known_total: 0 };
const confirmed = { ...payout, confirmed_at: 'now', waits_until: 'tomorrow' };
const item = { payout_id: ID, payment_id: ID, destination: '0x1' };
const items = `(SELECT string_agg(state, ',' ORDER BY nth) FROM payout_items)`;

const stopping: Decision = {
  of: 'how a payout stops: cancel_payout',
  rows: {
    payouts: { ...confirmed, state: 'running' },
    payout_items: item,
    'payout_items 2': { ...item, nth: 2, payment_id: OTHER, state: 'paid' },
  },
  calls: [
    `SELECT cancel_payout('${ID}', '${KEY}') AS said`,
    `SELECT cancel_payout('${ID}', '${KEY}') || ' ' || (SELECT state FROM payouts) || ' ' || ${items} AS said`,
  ],
  cases: {
    'that runs': [{}, 'cancelled cancelled cancelled,paid'],
    'that was only checked': [{ payouts: { ...payout, state: 'checked' } }, 'cancelled cancelled cancelled,paid'],
    'that waits for approvals': [{ payouts: { state: 'approving' } }, 'cancelled cancelled cancelled,paid'],
    'that waits': [{ payouts: { state: 'waiting', waits_for: '{}' } }, 'cancelled cancelled cancelled,paid'],
    'with a send in progress': [{ payout_items: { state: 'sent' } }, 'cancelled stopping sent,paid'],
    'that has ended': [{ payouts: { state: 'complete', ended_at: 'now' } }, 'ended complete ready,paid'],
    'of another key': [{ payouts: { key_id: OTHER } }, 'unknown running ready,paid'],
  },
};

/** After a pass: its rows, and why rows wait. */
const settling = (waits: string | null): Decision['calls'] => [
  `SELECT settle_payout('${ID}', ${waits === null ? 'NULL' : `'${waits}'`})`,
  `SELECT state || ' ' || ${items} AS said FROM payouts`,
];
const paid = { payment_id: ID, state: 'COMPLETE' };
const settlingPayouts: Decision = {
  of: 'how far a payout is: settle_payout',
  rows: {
    payouts: { ...confirmed, state: 'running' },
    payout_items: { ...item, state: 'sent' },
    'payout_items 2': { ...item, nth: 2, payment_id: OTHER, state: 'paid' },
  },
  calls: settling(null),
  cases: {
    'with a send in progress': [{}, 'running sent,paid'],
    'with a row that is ready': [{ payout_items: { state: 'ready' } }, 'running ready,paid'],
    'with every row paid': [{ payout_items: { state: 'paid' } }, 'complete paid,paid'],
    'with a row that failed': [{ payout_items: { state: 'failed', error: '{}' } }, 'complete failed,paid'],
    'when its send is complete': [{ payments: paid }, 'complete paid,paid'],
    'when its send has failed': [{ payments: { ...paid, state: 'FAILED' } }, 'complete failed,paid'],
    'when its send was cancelled': [{ payments: { ...paid, state: 'CANCELLED' } }, 'complete failed,paid'],
    'while its send is on the chain': [{ payments: { ...paid, state: 'CONFIRMED' } }, 'running sent,paid'],
    'when another send is complete': [{ payments: { ...paid, payment_id: MOVE } }, 'running sent,paid'],
    'that stops, with a send in progress': [
      { payouts: { state: 'stopping', cancelled_at: 'now' } },
      'stopping sent,paid',
    ],
    'that stops, when its send is complete': [
      { payouts: { state: 'stopping', cancelled_at: 'now' }, payments: paid },
      'cancelled paid,paid',
    ],
    'that was only checked': [{ payouts: { ...payout, state: 'checked' } }, 'checked sent,paid'],
  },
};
const waitingPayouts: Decision = {
  ...settlingPayouts,
  of: 'how far a payout is whose rows wait: settle_payout',
  calls: settling('{"code": "balance.insufficient"}'),
  cases: {
    'with a row that is ready': [{ payout_items: { state: 'ready' } }, 'waiting ready,paid'],
    'with a row that has waited too long': [
      { payouts: { waits_until: 'yesterday' }, payout_items: { state: 'ready' } },
      'complete failed,paid',
    ],
    'with a send in progress, for too long': [{ payouts: { waits_until: 'yesterday' } }, 'running sent,paid'],
  },
};

const beginning: Decision = {
  of: 'whether a pass of a payout begins: begin_payout_pass',
  rows: {
    users: { user_id: ME },
    service_keys: { key_id: KEY, hash: Buffer.alloc(32), scopes: '{payouts}' },
    key_rules: { key_id: KEY },
    payouts: { ...confirmed, state: 'running', payer_id: ME },
    payout_items: item,
  },
  calls: [
    `SELECT CASE WHEN (begin_payout_pass('${ID}')).payout_id IS NULL THEN 'no' ELSE 'yes' END AS said`,
    `SELECT CASE WHEN (begin_payout_pass('${ID}')).payout_id IS NULL THEN 'no ' ELSE 'yes ' END || ${items} AS said`,
  ],
  cases: {
    'that runs': [{}, 'yes ready'],
    'that waits': [{ payouts: { state: 'waiting', waits_for: '{}' } }, 'yes ready'],
    'that waits for approvals': [{ payouts: { state: 'approving' } }, 'no ready'],
    'that stops': [{ payouts: { state: 'stopping', cancelled_at: 'now' } }, 'no ready'],
    'whose payer has closed their account': [{ users: { closed_at: 'now' } }, 'no failed'],
    'while another person has closed their account': [
      { 'users 2': { user_id: OTHER, subject: 'other', closed_at: 'now' } },
      'yes ready',
    ],
    'whose key was revoked': [{ service_keys: { revoked_at: 'now' } }, 'no failed'],
    'whose key has expired': [{ key_rules: { expires_at: 'yesterday' } }, 'no failed'],
    'whose key will expire': [{ key_rules: { expires_at: 'tomorrow' } }, 'yes ready'],
    'whose key does not exist': [{ service_keys: null, key_rules: null }, 'no failed'],
    'whose key is older than a restore': [{ restores: { noted_at: 'tomorrow' } }, 'no failed'],
  },
};

export const payoutDecisions: readonly Decision[] = [stopping, settlingPayouts, waitingPayouts, beginning];
