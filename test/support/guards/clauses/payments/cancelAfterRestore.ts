/** Decisions about cancelling a send after a restore, when it may have been signed or handed over before. */
import { asOperator } from '../asOperator.ts';
import { accepted, ELSEWHERE, move, wallet } from '../custodyWorld.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID, KEY, OTHER } from '../ids.ts';
import { operators } from './verdicts.ts';

const restored: Rows = {
  ...accepted,
  chain_cursors: { network_id: 9, block_seconds: 1 },
  ...operators,
  restores: { noted_at: 'tomorrow' },
  wallets: { ...wallet, provider: 'circle_send' },
};
/** The payer's wallet before the present one. */
const earlier = {
  wallet_id: KEY,
  address: ELSEWHERE,
  provider: 'circle',
  reference: 'earlier',
  created_at: '2020-01-01',
};
/** `wallets 3` exists. `at`: when the present wallet was made. */
const moved = (at: string, more: object = {}): Rows => ({
  wallets: { created_at: at },
  'wallets 3': { ...wallet, ...earlier, ...more },
});
const lookingUp: Decision = {
  of: 'whether a payment from before a restore is cancelled at its provider: cancel_at_provider',
  rows: restored,
  calls: [
    asOperator(
      'anna',
      `SELECT cancel_at_provider('${ID}') AS said`,
      `SELECT coalesce((SELECT rail || ' ' || (cancel_wanted_at IS NOT NULL) FROM coin_moves), 'no move') AS said`,
    ),
  ],
  cases: {
    'of a provider that sends': [{}, 'true, provider true'],
    'of a provider that signs': [{ wallets: { provider: 'circle' } }, 'false, no move'],
    'of an unknown provider': [{ wallets: { provider: 'unheard_of' } }, 'true, provider true'],
    'without a restore': [{ restores: null }, 'false, no move'],
    'that was handed over': [{ provider_transfers: { move_id: ID, key: ID } }, 'false, no move'],
    'of a payer whose earlier wallet may have signed it': [moved('now'), 'false, no move'],
    'of a payer whose earlier wallet can no longer have signed it': [
      { ...moved('1969-01-01'), restores: { noted_at: '1969-12-31' } },
      'true, provider true',
    ],
    'with a move that signs': [{ coin_moves: move }, 'false, eip3009 false'],
    'with a move of the provider': [{ coin_moves: { ...move, rail: 'provider' } }, 'true, provider true'],
    'with a move that has ended': [
      { coin_moves: { ...move, rail: 'provider', state: 'dead', reserved: 0 } },
      'false, provider false',
    ],
  },
};
const onChain: Decision = {
  of: 'whether a payment is cancelled on the chain after a restore: cancel_after_restore',
  rows: { ...restored, wallets: wallet },
  calls: [
    asOperator(
      'anna',
      `SELECT cancel_after_restore('${ID}') AS said`,
      `SELECT coalesce((SELECT rail || ' ' || (cancel_wanted_at IS NOT NULL) FROM coin_moves), 'no move') AS said`,
    ),
  ],
  cases: {
    'of our own keys': [{}, 'true, eip3009 true'],
    'of a provider that signs': [{ wallets: { provider: 'circle' } }, 'true, eip3009 true'],
    'of a provider that sends': [{ wallets: { provider: 'circle_send' } }, 'false, no move'],
    'without a restore': [{ restores: null }, 'false, no move'],
    'that its client may have repeated after the restore': [
      { restores: { noted_at: '2020-01-01' } },
      'true, eip3009 true',
    ],
    'when signatures from before the restore have expired': [
      { restores: { noted_at: '1969-12-31' } },
      'false, no move',
    ],
    'that waits for approvals': [{ payments: { approvals_needed: 2 } }, 'true, eip3009 true'],
    'that waits for its time': [{ payments: { not_before: 'tomorrow' } }, 'true, eip3009 true'],
    'that was signed here': [
      { coin_moves: move, authorizations: { move_id: ID, nonce: Buffer.alloc(32, 2) } },
      'false, eip3009 false',
    ],
    'that was not signed here': [
      { coin_moves: { ...move, started_at: null }, authorizations: { move_id: ID, nonce: Buffer.alloc(32, 2) } },
      'true, eip3009 true',
    ],
    'with a move that has ended': [
      { coin_moves: { ...move, started_at: null, state: 'dead', reserved: 0 } },
      'false, eip3009 false',
    ],
    'with a move that is already to be cancelled': [
      { coin_moves: { ...move, cancel_wanted_at: 'now' } },
      'false, eip3009 true',
    ],
    'of a payer with an earlier wallet': [moved('tomorrow'), 'false, no move'],
    'of a payer whose wallet had moved a day before the restore': [
      { ...moved('2024-05-04'), restores: { noted_at: '2024-05-05' } },
      'true, eip3009 true',
    ],
    'of a payer whose wallet moved less than a day before the restore': [
      { ...moved('2024-05-04 00:00:01'), restores: { noted_at: '2024-05-05' } },
      'false, no move',
    ],
    'of a payer with a wallet of another family': [
      moved('tomorrow', { family: 'solana', address: '5'.repeat(44) }),
      'true, eip3009 true',
    ],
    'of a payer with a wallet at a provider that sends': [
      moved('tomorrow', { provider: 'circle_send' }),
      'false, no move',
    ],
    'on a chain that nobody reads': [
      { ...moved('tomorrow'), chain_cursors: { block_seconds: 0 } },
      'true, eip3009 true',
    ],
    'from an earlier wallet': [moved('2019-05-04', { created_at: '2019-05-05' }), 'false, no move'],
    'when the other wallet was never used': [moved('tomorrow', { replaced_at: 'now' }), 'true, eip3009 true'],
    'when the other wallet is someone else’s': [moved('tomorrow', { user_id: OTHER }), 'true, eip3009 true'],
  },
};

export const cancelDecisions: readonly Decision[] = [lookingUp, onChain];
