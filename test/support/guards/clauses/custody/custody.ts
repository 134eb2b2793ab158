import type { Decision, Rows } from '../decide.ts';
import { ID, MOVE, OTHER, WALLET } from '../ids.ts';

const [YES, NO] = ['true', 'false'] as const;

const takingBack: Decision = {
  of: 'whether a transfer counts as never requested: take_back_ask',
  rows: { provider_transfers: { move_id: MOVE, attempts: 1, first_asked_at: 'now' } },
  calls: [
    `SELECT take_back_ask('${MOVE}')`,
    `SELECT attempts || CASE WHEN first_asked_at IS NULL THEN ' never' ELSE ' asked' END AS said FROM provider_transfers`,
  ],
  cases: {
    'requested once': [{}, '0 never'],
    'requested twice': [{ provider_transfers: { attempts: 2 } }, '2 asked'],
    'that the provider has accepted': [{ provider_transfers: { provider_state: 'submitted' } }, '1 asked'],
    'that is held': [{ provider_transfers: { held_at: 'now' } }, '1 asked'],
    'of another move': [{ provider_transfers: { move_id: OTHER } }, '1 asked'],
  },
};

const holding: Decision = {
  of: 'whether people decide about a transfer: hold_transfer',
  rows: {
    provider_transfers: { move_id: MOVE, attempts: 1, first_asked_at: '2020-01-01', submitted_at: '2020-01-01' },
  },
  calls: [`SELECT hold_transfer('${MOVE}', '1 hour') AS said`],
  cases: {
    'that the provider has not answered and whose key has ended': [{}, YES],
    'whose key still works': [{ provider_transfers: { first_asked_at: 'now' } }, NO],
    'whose request time is not known': [{ provider_transfers: { first_asked_at: null } }, YES],
    'whose request time is not known, handed over now': [
      { provider_transfers: { first_asked_at: null, submitted_at: 'now' } },
      NO,
    ],
    'that was never requested': [{ provider_transfers: { attempts: 0 } }, NO],
    'that the provider has accepted': [{ provider_transfers: { provider_state: 'submitted' } }, YES],
    'that the provider has sent': [{ provider_transfers: { provider_state: 'sent' } }, YES],
    'that the provider has made': [{ provider_transfers: { provider_state: 'done' } }, YES],
    'that has failed': [{ provider_transfers: { provider_state: 'failed', ended_head: 1 } }, NO],
    'that was cancelled': [{ provider_transfers: { provider_state: 'cancelled', ended_head: 1 } }, NO],
    'that is held already': [{ provider_transfers: { first_asked_at: 'now', held_at: 'now' } }, YES],
    'of another move': [{ provider_transfers: { move_id: OTHER } }, NO],
  },
};

const starting: Decision = {
  of: 'whether a move may be started: start_move',
  rows: { coin_moves: { move_id: MOVE, purpose: 'send', rail: 'eip3009', reserved: 0 } },
  calls: [`SELECT start_move('${MOVE}', 'eip3009') AS said`],
  cases: {
    'that is open': [{}, YES],
    'that was started before': [{ coin_moves: { started_at: 'now' } }, YES],
    'of another rail': [{ coin_moves: { rail: 'provider' } }, NO],
    'that is done': [{ coin_moves: { state: 'done' } }, NO],
    'that is dead': [{ coin_moves: { state: 'dead' } }, NO],
    'that is to be cancelled': [{ coin_moves: { cancel_wanted_at: 'now' } }, NO],
    'under another id': [{ coin_moves: { move_id: OTHER } }, NO],
  },
};

const attempting: Decision = {
  of: 'whether bytes of a chain transaction are kept: guard_attempt',
  rows: { carriers: { carrier_id: ID, version: 2 } },
  hasTriggers: true,
  calls: [
    `INSERT INTO carrier_attempts (hash, carrier_id, version, raw, max_fee_wei, priority_fee_wei)
     VALUES ('0x1', '${ID}', 2, '\\x00', 1, 1) RETURNING 'kept' AS said`,
  ],
  cases: {
    'of its version': [{}, 'kept'],
    'of an older version': [{ carriers: { version: 3 } }, /newer version/],
    'of a version that does not exist yet': [{ carriers: { version: 1 } }, /newer version/],
    'of another one': [{ carriers: { carrier_id: OTHER } }, /newer version/],
  },
  waitsFor: ['of an older version'],
};

const drift = { asset_id: 9, subject: `wallet ${WALLET}`, difference: 5, looks: 2 };
const counting: Decision = {
  of: 'whether coins that were found are counted: count_drift',
  rows: { drifts: drift },
  calls: [`SELECT count_drift(9::smallint, '${WALLET}', 5) AS said`],
  cases: {
    'that were seen twice': [{}, YES],
    'that were seen once': [{ drifts: { looks: 1 } }, NO],
    'that are fewer': [{ drifts: { difference: 4 } }, NO],
    'that are more': [{ drifts: { difference: 6 } }, YES],
    'that are missing': [{ drifts: { difference: -5 } }, NO],
    'of another asset': [{ drifts: { asset_id: 8 } }, NO],
    'of another wallet': [{ drifts: { subject: `wallet ${OTHER}` } }, NO],
  },
};
const countingMissing: Decision = {
  of: 'whether coins that are gone are counted: count_drift',
  rows: { drifts: { ...drift, difference: -5 }, holdings: { asset_id: 9, wallet_id: WALLET, coins: 7 } },
  calls: [
    `SELECT count_drift(9::smallint, '${WALLET}', -5)`,
    `SELECT coins || ' ' || (SELECT count(*) FROM drifts) AS said FROM holdings WHERE wallet_id = '${WALLET}'`,
  ],
  cases: {
    'that were missed twice': [{}, '2 0'],
    'that were missed once': [{ drifts: { looks: 1 } }, '7 1'],
    'that are more': [{ drifts: { difference: -6 } }, '2 1'],
    'that are too many': [{ drifts: { difference: 5 } }, '7 1'],
    'while others are missing in another wallet': [
      {
        'drifts 2': { ...drift, subject: `wallet ${OTHER}`, difference: -5 },
        'holdings 2': { asset_id: 9, wallet_id: OTHER, coins: 7 },
      },
      '2 1',
    ],
    'while others are missing of another token': [{ 'drifts 2': { ...drift, asset_id: 8, difference: -5 } }, '2 1'],
  },
  waitsFor: ['that are too many'],
};

const open = { move_id: MOVE, state: 'open', asset_id: 9, wallet_id: WALLET, to_address: '0xA', amount: 5 };
const gone = { asset_id: 9, wallet_id: WALLET, to_address: '0xa', amount: 5, tx_hash: '0x1', log_index: 3 };
const nonce = (byte: number) => Buffer.alloc(32, byte);
const claimed = (of: string, rows: Rows): Decision => ({
  of: `whether coins that left without an explanation are those of a move (${of}): find_claimed`,
  rows: { ...rows, unexplained_moves: gone },
  calls: ['SELECT (find_claimed(m)).log_index IS NOT NULL AS said FROM coin_moves m'],
  cases: {
    'that is open': [{}, YES],
    'that is done': [{ coin_moves: { state: 'done' } }, NO],
    'that is dead': [{ coin_moves: { state: 'dead' } }, NO],
    'and were imported as another payment': [{ unexplained_moves: { imported_as: OTHER } }, YES],
    'and are known as its own': [{ unexplained_moves: { imported_as: MOVE } }, NO],
    'and were imported as a transfer that a provider made': [
      { unexplained_moves: { imported_as: OTHER }, 'provider_transfers 2': { move_id: OTHER, key: OTHER } },
      NO,
    ],
    'and were imported as an authorization': [
      { unexplained_moves: { imported_as: OTHER }, 'authorizations 2': { move_id: OTHER, nonce: nonce(2) } },
      NO,
    ],
    'and a reorg has removed them': [{ unexplained_moves: { log_index: -3 } }, NO],
    'of another asset': [{ unexplained_moves: { asset_id: 8 } }, NO],
    'from another wallet': [{ unexplained_moves: { wallet_id: OTHER } }, NO],
    'to another address': [{ unexplained_moves: { to_address: '0xb' } }, NO],
    'of another amount': [{ unexplained_moves: { amount: 4 } }, NO],
    'in another chain transaction': [{ unexplained_moves: { tx_hash: '0x2' } }, NO],
  },
});

const claimedByProvider = claimed('the provider names the chain transaction', {
  coin_moves: { ...open, purpose: 'send', rail: 'provider', reserved: 0 },
  provider_transfers: { move_id: MOVE, provider_id: 'p', tx_hash: '0x1' },
});
const claimedByNonce = claimed('its nonce was used', {
  coin_moves: { ...open, purpose: 'send', rail: 'eip3009', reserved: 0 },
  authorizations: { move_id: MOVE, nonce: nonce(1) },
  forgotten_nonces: { nonce: nonce(1), kind: 'used', asset_id: 9, tx_hash: '0x1', log_index: 3 },
});

export const custodyDecisions: readonly Decision[] = [
  takingBack,
  holding,
  starting,
  attempting,
  counting,
  countingMissing,
  claimedByProvider,
  claimedByNonce,
];
