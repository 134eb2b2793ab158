/** Decisions about cancelling a send after a restore, when it may have been signed or handed over before. */
import { asOperator } from '../asOperator.ts';
import { accepted, move, wallet } from '../custodyWorld.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID } from '../ids.ts';
import { operators } from './verdicts.ts';

const restored: Rows = {
  ...accepted,
  ...operators,
  restores: { noted_at: 'tomorrow' },
  wallets: { ...wallet, provider: 'circle_send' },
};
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
    'with a move that signs': [{ coin_moves: move }, 'false, eip3009 false'],
    'with a move of the provider': [{ coin_moves: { ...move, rail: 'provider' } }, 'true, provider true'],
    'with a move that has ended': [
      { coin_moves: { ...move, rail: 'provider', state: 'dead', reserved: 0 } },
      'false, provider false',
    ],
  },
};
const unsure: Decision = {
  of: 'whether a payment is cancelled on the chain after a restore: cancel_unsure',
  rows: { ...restored, wallets: wallet },
  calls: [
    asOperator(
      'anna',
      `SELECT cancel_unsure('${ID}', decode(repeat('02', 32), 'hex')) AS said`,
      `SELECT coalesce((SELECT rail || ' ' || (cancel_wanted_at IS NOT NULL) FROM coin_moves), 'no move') || (SELECT ' ' || count(*) FROM authorizations) AS said`,
    ),
  ],
  cases: {
    'of our own keys': [{}, 'true, eip3009 true 1'],
    'of a provider that signs': [{ wallets: { provider: 'circle' } }, 'true, eip3009 true 1'],
    'of a provider that sends': [{ wallets: { provider: 'circle_send' } }, 'false, no move 0'],
    'without a restore': [{ restores: null }, 'false, no move 0'],
    'that its client may have repeated after the restore': [
      { restores: { noted_at: '2020-01-01' } },
      'true, eip3009 true 1',
    ],
    'when signatures from before the restore have expired': [
      { restores: { noted_at: '1969-12-31' } },
      'false, no move 0',
    ],
    'that waits for approvals': [{ payments: { approvals_needed: 2 } }, 'true, eip3009 true 1'],
    'that waits for its time': [{ payments: { not_before: 'tomorrow' } }, 'true, eip3009 true 1'],
    'that was signed here': [
      { coin_moves: move, authorizations: { move_id: ID, nonce: Buffer.alloc(32, 2) } },
      'false, eip3009 false 1',
    ],
    'that was not signed here': [
      { coin_moves: { ...move, started_at: null }, authorizations: { move_id: ID, nonce: Buffer.alloc(32, 2) } },
      'true, eip3009 true 1',
    ],
    'with a move that has ended': [
      { coin_moves: { ...move, started_at: null, state: 'dead', reserved: 0 } },
      'false, eip3009 false 0',
    ],
  },
};

export const cancelDecisions: readonly Decision[] = [lookingUp, unsure];
