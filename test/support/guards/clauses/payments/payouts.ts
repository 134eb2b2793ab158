import type { Decision, Rows } from '../decide.ts';
import { ID, KEY, ME, MOVE, OTHER, WALLET } from '../ids.ts';

const payout = { payout_id: ID, key_id: KEY, on_shortage: 'wait', known_count: 0, known_total: 0 };
const confirmed = { ...payout, confirmed_at: 'now', waits_until: 'tomorrow' };
const item = { payout_id: ID, payment_id: ID, destination: '0x1', blockchain: 'HERE' };
const items = `(SELECT string_agg(state, ',' ORDER BY nth) FROM payout_items)`;

/** After a restore: coins that left for the address of `item`, in its amount, under a nonce of ours. */
const NONCE = Buffer.alloc(32, 1);
const position = { asset_id: 9, tx_hash: '0x1', log_index: 3 };
const lost: Rows = {
  networks: { network_id: 7, blockchain: 'HERE' },
  assets: { asset_id: 9, network_id: 7 },
  unexplained_moves: { ...position, wallet_id: WALLET, to_address: '0x1', amount: 1 },
  forgotten_nonces: { ...position, nonce: NONCE, kind: 'used' },
};

const doubting: Decision = {
  of: 'whether the chain may have paid a row: payout_row_in_doubt',
  rows: { ...lost, payout_items: item },
  calls: ['SELECT payout_row_in_doubt(i) AS said FROM payout_items i'],
  cases: {
    'to an address that got its amount': [{}, 'true'],
    'although the coins were imported': [{ unexplained_moves: { imported_as: OTHER } }, 'true'],
    'to another address': [{ unexplained_moves: { to_address: '0x2' } }, 'false'],
    'of another amount': [{ unexplained_moves: { amount: 2 } }, 'false'],
    'on another blockchain': [{ networks: { blockchain: 'THERE' } }, 'false'],
    'when a provider sent the coins': [{ forgotten_nonces: null }, 'false'],
    'to a person': [{ payout_items: { destination: null, username: 'u', user_id: ME } }, 'false'],
  },
};

const recovering: Decision = {
  of: 'what becomes of a row that the chain has paid: recover_payout_rows',
  rows: {
    ...lost,
    payouts: { ...confirmed, state: 'running', payer_id: ME, currency: 'USDC' },
    payout_items: item,
    service_keys: { key_id: KEY, hash: Buffer.alloc(32), scopes: '{payouts}' },
    key_rules: { key_id: KEY },
    wallets: { wallet_id: WALLET, user_id: ME, kind: 'user', address: `0x${'3'.repeat(40)}` },
  },
  calls: [
    `CREATE TEMP TABLE found ON COMMIT DROP AS
       SELECT * FROM recover_payout_rows('${ID}', '[{"nth": 1, "trace": "${NONCE.toString('hex')}"}]')`,
    `SELECT state || CASE payment_id WHEN '${ID}' THEN '' ELSE ' by another' END || CASE WHEN o_open = '{1}' THEN ', open' ELSE '' END
         || CASE WHEN o_waits IS NULL THEN '' ELSE ', waits' END AS said FROM payout_items, found`,
  ],
  cases: {
    'and that no one has imported': [{}, 'ready, waits'],
    'and that was imported': [
      { unexplained_moves: { imported_as: OTHER }, payments: { payment_id: OTHER, state: 'COMPLETE' } },
      'sent by another',
    ],
    'and that was imported as a settlement': [{ unexplained_moves: { imported_as: OTHER } }, 'failed'],
    'and that was imported as a loss': [
      {
        unexplained_moves: { imported_as: OTHER },
        transfers: {
          transfer_id: OTHER,
          kind: 'internal',
          debit_account: 1,
          credit_account: 2,
          credit_entry: 1,
          credit_available: 1,
        },
      },
      'ready, open',
    ],
    'under another nonce': [{ forgotten_nonces: { nonce: Buffer.alloc(32, 2) } }, 'ready, open'],
    'from a wallet of another person': [{ wallets: { user_id: OTHER } }, 'ready, open'],
    'with another amount under its reference': [{ unexplained_moves: { amount: 2 } }, 'failed'],
    'to another address under its reference': [{ unexplained_moves: { to_address: '0x2' } }, 'failed'],
    'on another blockchain under its reference': [{ networks: { blockchain: 'THERE' } }, 'failed'],
    'in another currency under its reference': [{ assets: { symbol: 'EURC' } }, 'failed'],
    'of a payout that stops': [{ payouts: { state: 'stopping', cancelled_at: 'now' } }, 'ready, waits'],
    'of a payout that stops; the chain paid another': [
      { payouts: { state: 'stopping', cancelled_at: 'now' }, forgotten_nonces: null },
      'cancelled',
    ],
    'of a payout that waits for approvals': [{ payouts: { state: 'approving' } }, 'ready'],
    'whose key was revoked': [{ service_keys: { revoked_at: 'now' } }, 'ready, waits'],
    'whose key was revoked; the chain paid another': [
      { service_keys: { revoked_at: 'now' }, forgotten_nonces: null },
      'failed',
    ],
    'whose key is older than a restore; the chain paid another': [
      { restores: { noted_at: 'tomorrow' }, forgotten_nonces: null },
      'ready, open',
    ],
    'that has ended': [{ payout_items: { state: 'cancelled' } }, 'cancelled, open'],
  },
  waitsFor: ['of a payout that stops; the chain paid another'],
};

const CERTIFICATE = 'ab'.repeat(32);
const cancelling = `cancel_own_payout('${ID}', '${KEY}', '${CERTIFICATE}', '10.1.2.3')`;
const stopping: Decision = {
  of: 'how a payout stops: cancel_own_payout',
  rows: {
    service_keys: { key_id: KEY, hash: Buffer.alloc(32), scopes: '{payouts}' },
    key_rules: { key_id: KEY },
    payouts: { ...confirmed, state: 'running' },
    payout_items: item,
    'payout_items 2': { ...item, nth: 2, payment_id: OTHER, state: 'paid' },
  },
  calls: [
    `SELECT outcome AS said FROM ${cancelling}`,
    `SELECT concat_ws(' ', outcome, details->'details'->>'reason', (SELECT state FROM payouts), ${items}) AS said
       FROM ${cancelling}`,
  ],
  cases: {
    'that runs': [{}, 'cancelled cancelled cancelled,paid'],
    'that was only checked': [{ payouts: { ...payout, state: 'checked' } }, 'cancelled cancelled cancelled,paid'],
    'that waits for approvals': [{ payouts: { state: 'approving' } }, 'cancelled cancelled cancelled,paid'],
    'that waits': [{ payouts: { state: 'waiting', waits_for: '{}' } }, 'cancelled cancelled cancelled,paid'],
    'with a send in progress': [{ payout_items: { state: 'sent' } }, 'cancelled stopping sent,paid'],
    'with a row that the chain may have paid': [lost, 'cancelled stopping ready,paid'],
    'that waits, with a row that the chain may have paid': [
      { ...lost, payouts: { state: 'waiting', waits_for: '{}' } },
      'cancelled stopping ready,paid',
    ],
    'that waits for approvals, with such a row': [
      { ...lost, payouts: { state: 'approving' } },
      'cancelled cancelled cancelled,paid',
    ],
    'that has ended': [{ payouts: { state: 'complete', ended_at: 'now' } }, 'ended complete ready,paid'],
    'of another key': [{ payouts: { key_id: OTHER } }, 'unknown running ready,paid'],
    'of a key that was revoked': [{ service_keys: { revoked_at: 'now' } }, 'refused revoked running ready,paid'],
    'of a key that has expired': [{ key_rules: { expires_at: 'yesterday' } }, 'refused expired running ready,paid'],
    'of a key from before a restore': [{ restores: { noted_at: 'tomorrow' } }, 'refused revoked running ready,paid'],
    'of a key with this certificate': [
      { key_rules: { certificate: Buffer.from(CERTIFICATE, 'hex') } },
      'cancelled cancelled cancelled,paid',
    ],
    'of a key with another certificate': [
      { key_rules: { certificate: Buffer.alloc(32) } },
      'refused certificate running ready,paid',
    ],
    'of a key from this network': [
      { key_rules: { client_ranges: '{10.0.0.0/8}' } },
      'cancelled cancelled cancelled,paid',
    ],
    'of a key from another network': [
      { key_rules: { client_ranges: '{11.0.0.0/8}' } },
      'refused address running ready,paid',
    ],
  },
  waitsFor: ['that has ended'],
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
    'that stops, with a row that the chain may have paid': [
      { ...lost, payouts: { state: 'stopping', cancelled_at: 'now' }, payout_items: { state: 'ready' } },
      'stopping ready,paid',
    ],
    'that stops, with a row that the chain has not paid': [
      { payouts: { state: 'stopping', cancelled_at: 'now' }, payout_items: { state: 'ready' } },
      'cancelled cancelled,paid',
    ],
    'that was only checked': [{ payouts: { ...payout, state: 'checked' } }, 'checked sent,paid'],
  },
  waitsFor: ['that was only checked'],
};
const waitingPayouts: Decision = {
  ...settlingPayouts,
  waitsFor: [],
  of: 'how far a payout is whose rows wait: settle_payout',
  calls: settling('{"code": "balance.insufficient"}'),
  cases: {
    'with a row that is ready': [{ payout_items: { state: 'ready' } }, 'waiting ready,paid'],
    'with a row that has waited too long': [
      { payouts: { waits_until: 'yesterday' }, payout_items: { state: 'ready' } },
      'complete failed,paid',
    ],
    'with a row that has waited too long, and that the chain may have paid': [
      { ...lost, payouts: { waits_until: 'yesterday' }, payout_items: { state: 'ready' } },
      'waiting ready,paid',
    ],
    'with a row that has waited too long, soon after a restore': [
      { payouts: { waits_until: 'yesterday' }, payout_items: { state: 'ready' }, restores: { noted_at: 'yesterday' } },
      'waiting ready,paid',
    ],
    'with a row that has waited too long, long after a restore': [
      { payouts: { waits_until: 'yesterday' }, payout_items: { state: 'ready' }, restores: { noted_at: '2020-01-01' } },
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
    'whose key is older than a restore': [{ restores: { noted_at: 'tomorrow' } }, 'no ready'],
    'whose key was revoked before a restore': [
      { service_keys: { revoked_at: 'now' }, restores: { noted_at: 'tomorrow' } },
      'no failed',
    ],
    'whose key was revoked, with a row that the chain may have paid': [
      { ...lost, service_keys: { revoked_at: 'now' } },
      'no ready',
    ],
  },
  waitsFor: ['that stops', 'whose key was revoked'],
};

export const payoutDecisions: readonly Decision[] = [
  stopping,
  settlingPayouts,
  waitingPayouts,
  beginning,
  doubting,
  recovering,
];
