/** Decisions about coin moves that can never happen any more. */
import type { Hex } from '../../../../../server/src/core/ports.ts';
import { findDead as findDeadAuthorizations } from '../../../../../server/src/custody/eip3009/findDead.ts';
import { findDead as findDeadTransfers } from '../../../../../server/src/custody/provider/findDead.ts';
import { appOf, ELSEWHERE, move, NONCE, networkOf, settlement, TO, wallet, world } from '../custodyWorld.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID, OTHER, WALLET } from '../ids.ts';

type Dead = Awaited<ReturnType<typeof findDeadAuthorizations>>;
const describeDead = (dead: Dead): string =>
  dead
    .map(
      ({ reason, isCancelled, isRefused }) =>
        `${isCancelled ? 'cancelled' : isRefused ? 'refused' : 'dead'}: ${reason}`,
    )
    .join() || 'alive';

/** At a final block of second 2,000, in which the token has seen the nonce, or not. */
const lapsing = (isUsed: boolean, second: bigint): Decision['calls'] => [
  async (db) =>
    describeDead(
      await findDeadAuthorizations(
        appOf(db),
        networkOf({
          getFinalized: async () => ({ timeSeconds: second }),
          readAuthorizationStates: async (_: Hex, pairs: readonly unknown[]) => pairs.map(() => isUsed),
        }),
      ),
    ),
];
const signed: Rows = {
  ...world,
  coin_moves: { ...move, cancel_wanted_at: 'now' },
  authorizations: { move_id: ID, nonce: NONCE, valid_before: 1_000 },
  chain_cursors: { network_id: 9, block_seconds: 2_000 },
};
const LAPSED = 'dead: cancelled; what was signed has lapsed unused';
const lapsed: Decision = {
  of: 'whether a signed move is dead: findDead of authorizations',
  rows: signed,
  calls: lapsing(false, 2_000n),
  cases: {
    'that is to be cancelled': [{}, LAPSED],
    'that nobody cancels': [{ coin_moves: { cancel_wanted_at: null } }, 'alive'],
    'that has failed for good': [
      { coin_moves: { cancel_wanted_at: null }, authorizations: { failures: 100, failure_reason: 'why' } },
      'refused: why',
    ],
    'that is still valid': [{ authorizations: { valid_before: 2_000 } }, 'alive'],
    'that was never signed nor started': [
      { coin_moves: { started_at: null }, authorizations: { valid_before: 0 } },
      'alive',
    ],
    'that was started to be cancelled after a restore': [
      { authorizations: { valid_before: 0 }, restores: { noted_at: '1969-12-31' } },
      LAPSED,
    ],
    'that was started to be cancelled, and may have been signed before a restore': [
      { authorizations: { valid_before: 0 }, restores: { noted_at: '2019-01-01' } },
      'alive',
    ],
    'of a settlement without its coins that was recovered from the chain': [
      { coin_moves: { ...settlement, cancel_wanted_at: null, reserved: 0 }, authorizations: { valid_before: 0 } },
      'alive',
    ],
    'that is done': [{ coin_moves: { state: 'done', reserved: 0 } }, 'alive'],
    'that is dead': [{ coin_moves: { state: 'dead', reserved: 0 } }, 'alive'],
    'of another token': [{ coin_moves: { asset_id: 8 } }, 'alive'],
    'of a settlement without its coins': [
      { coin_moves: { ...settlement, cancel_wanted_at: null, reserved: 4 } },
      'dead: it could not be carried in time',
    ],
    'of a settlement with its coins': [{ coin_moves: { ...settlement, cancel_wanted_at: null } }, 'alive'],
    'of a send without its coins': [{ coin_moves: { cancel_wanted_at: null, reserved: 4 } }, 'alive'],
    'that may have been signed before a restore': [{ restores: { noted_at: '2020-01-02' } }, 'alive'],
    'that its client may have repeated after a restore': [{ restores: { noted_at: '2019-01-01' } }, 'alive'],
    'when signatures from before a restore have expired': [{ restores: { noted_at: '1969-12-31' } }, LAPSED],
    'of a settlement without its coins, which began after a restore': [
      { coin_moves: { ...settlement, cancel_wanted_at: null, reserved: 4 }, restores: { noted_at: '2019-01-01' } },
      'dead: it could not be carried in time',
    ],
    'of a settlement without its coins, which began before a restore': [
      { coin_moves: { ...settlement, cancel_wanted_at: null, reserved: 4 }, restores: { noted_at: 'tomorrow' } },
      'alive',
    ],
    'whose nonce was cancelled': [
      {
        coin_moves: { cancel_wanted_at: null },
        forgotten_nonces: { nonce: NONCE, kind: 'canceled', asset_id: 9, wallet_id: WALLET },
      },
      'cancelled: cancelled on chain',
    ],
    'whose nonce was cancelled by another wallet': [
      {
        coin_moves: { cancel_wanted_at: null },
        forgotten_nonces: { nonce: NONCE, kind: 'canceled', asset_id: 9, wallet_id: OTHER },
      },
      'alive',
    ],
    'whose nonce was used for another transfer': [
      {
        coin_moves: { cancel_wanted_at: null },
        forgotten_nonces: { nonce: NONCE, kind: 'used', asset_id: 9, wallet_id: WALLET, tx_hash: '0x1', log_index: 1 },
      },
      'dead: its key was used for another transfer before',
    ],
    'whose nonce was used for this transfer': [
      {
        coin_moves: { cancel_wanted_at: null },
        forgotten_nonces: { nonce: NONCE, kind: 'used', asset_id: 9, wallet_id: WALLET, tx_hash: '0x1', log_index: 1 },
        unexplained_moves: {
          asset_id: 9,
          tx_hash: '0x1',
          log_index: 1,
          wallet_id: WALLET,
          amount: 5,
          to_address: TO.toUpperCase().replace('X', 'x'),
        },
      },
      'alive',
    ],
    'whose nonce was used for another amount': [
      {
        coin_moves: { cancel_wanted_at: null },
        forgotten_nonces: { nonce: NONCE, kind: 'used', asset_id: 9, wallet_id: WALLET, tx_hash: '0x1', log_index: 1 },
        unexplained_moves: { asset_id: 9, tx_hash: '0x1', log_index: 1, wallet_id: WALLET, amount: 4, to_address: TO },
      },
      'dead: its key was used for another transfer before',
    ],
    'that was refused and never started': [
      { coin_moves: { cancel_wanted_at: null, started_at: null }, authorizations: { valid_before: 0, failures: 100 } },
      'refused: it was never signed',
    ],
    'that was refused less often': [
      { coin_moves: { cancel_wanted_at: null, started_at: null }, authorizations: { valid_before: 0, failures: 1 } },
      'alive',
    ],
    'that was refused, and may have been signed before a restore': [
      {
        coin_moves: { cancel_wanted_at: null, started_at: null },
        authorizations: { valid_before: 0, failures: 100 },
        restores: { noted_at: '2020-01-02' },
      },
      'alive',
    ],
    'that was refused, and that its client may have repeated after a restore': [
      {
        coin_moves: { cancel_wanted_at: null, started_at: null },
        authorizations: { valid_before: 0, failures: 100 },
        restores: { noted_at: '2019-01-01' },
      },
      'alive',
    ],
  },
};
const USED = { nonce: NONCE, kind: 'used', asset_id: 9, wallet_id: OTHER, tx_hash: '0x1', log_index: 1 };
const SPENT = 'dead: its key was used for another transfer before';
/** A send without an authorization. An earlier wallet of the payer has used its nonce, and another payment has it. */
const spent: Decision = {
  of: 'whether a move that was never signed is dead: findDead of authorizations',
  rows: {
    ...world,
    'wallets 2': { ...wallet, wallet_id: OTHER, provider: 'circle', address: ELSEWHERE, reference: 'yours' },
    coin_moves: { ...move, started_at: null },
    authorizations: { move_id: OTHER, nonce: NONCE },
    forgotten_nonces: USED,
    chain_cursors: { network_id: 9, block_seconds: 2_000 },
  },
  calls: lapsing(false, 2_000n),
  cases: {
    'whose nonce an earlier wallet has used, for another payment': [{}, SPENT],
    'whose nonce an earlier wallet has used, for nothing that is known': [{ authorizations: null }, 'alive'],
    'whose nonce its wallet has used': [{ authorizations: null, forgotten_nonces: { wallet_id: WALLET } }, SPENT],
    'whose nonce a wallet of someone else has used, for another payment': [{ 'wallets 2': { user_id: OTHER } }, SPENT],
    'whose nonce was used for another token, for another payment': [
      {
        forgotten_nonces: { asset_id: 8 },
        'assets 2': { asset_id: 8, network_id: 9, symbol: 'EURC', contract: ELSEWHERE },
      },
      SPENT,
    ],
    'whose nonce its wallet has used for another token': [
      { authorizations: null, forgotten_nonces: { wallet_id: WALLET, asset_id: 8 } },
      'alive',
    ],
    'whose nonce another payment has and nobody has used': [{ forgotten_nonces: null }, 'alive'],
    'with another nonce': [{ forgotten_nonces: { nonce: Buffer.alloc(32, 7) } }, 'alive'],
    'that is to be cancelled': [{ coin_moves: { started_at: 'now', cancel_wanted_at: 'now' } }, SPENT],
    'that has ended': [{ coin_moves: { state: 'dead', reserved: 0 } }, 'alive'],
  },
};
const atBlock = (of: string, isUsed: boolean, second: bigint, said: string): Decision => ({
  of: `whether a lapsed move is dead ${of}: findDead of authorizations`,
  rows: signed,
  calls: lapsing(isUsed, second),
  cases: { 'that is to be cancelled': [{}, said] },
});

const ending = (answer: object, chain: object): Decision['calls'] => [
  async (db) => {
    const network = networkOf({
      findReceipt: async () => undefined,
      findChainTx: async () => undefined,
      getHead: async () => ({ number: 100n }),
      ...chain,
    });
    const app = appOf(db, { signer: { transfers: { find: async () => answer } } });
    return describeDead(await findDeadTransfers(app, network));
  },
];
const failed: Rows = {
  ...world,
  coin_moves: { ...move, rail: 'provider' },
  provider_transfers: {
    move_id: ID,
    key: ID,
    provider_id: 'p',
    provider_state: 'failed',
    ended_head: 100,
    attempts: 1,
    error: 'why',
  },
  chain_cursors: { network_id: 9, block_number: 100 },
};
const FAILED = 'refused: the provider of the wallet could not send it: why';
const held = { asset_id: 9, from_wallet: WALLET, amount: 5, to_address: TO };
const ended: Decision = {
  of: 'whether the transfer of a provider is dead: findDead of transfers',
  rows: failed,
  calls: ending({ outcome: 'accepted', state: 'failed' }, {}),
  cases: {
    'that has failed': [{}, FAILED],
    'that was cancelled and has failed now': [{ provider_transfers: { provider_state: 'cancelled' } }, 'alive'],
    'that is submitted': [{ provider_transfers: { provider_state: 'submitted', ended_head: null } }, 'alive'],
    'while blocks of that moment are not final': [{ provider_transfers: { ended_head: 101 } }, 'alive'],
    'while a log that may be it is held': [{ held_logs: held }, 'alive'],
    'while a log of another amount is held': [{ held_logs: { ...held, amount: 4 } }, FAILED],
    'while a log of another wallet is held': [{ held_logs: { ...held, from_wallet: OTHER } }, FAILED],
    'while a log to another address is held': [{ held_logs: { ...held, to_address: ELSEWHERE } }, FAILED],
    'that is done': [{ coin_moves: { state: 'done', reserved: 0 } }, 'alive'],
    'of another token': [{ coin_moves: { asset_id: 8 } }, 'alive'],
    'with a chain transaction that is gone': [{ provider_transfers: { tx_hash: '0x1' } }, FAILED],
  },
};
const asked = (of: string, answer: object, chain: object, said: string, tx: string | null = '0x1'): Decision => ({
  of: `whether a failed transfer of a provider is dead ${of}: findDead of transfers`,
  rows: { ...failed, provider_transfers: { ...failed.provider_transfers, tx_hash: tx } },
  calls: ending(answer, chain),
  cases: { 'at its end': [{}, said] },
});
const SAME = { outcome: 'accepted', state: 'failed', txHash: '0x1' };

export const deadMoveDecisions: readonly Decision[] = [
  lapsed,
  spent,
  atBlock('when the token has seen its nonce', true, 2_000n, 'alive'),
  atBlock('when the token has seen its nonce before its end', true, 1_000n, 'alive'),
  atBlock('at the final block up to which logs are read', false, 2_000n, LAPSED),
  atBlock('at a final block before it', false, 1_999n, 'alive'),
  ended,
  asked('when the provider does not answer', { outcome: 'unknown', cause: new Error('x') }, {}, 'alive'),
  asked('when the provider does not know it', { outcome: 'rejected', reason: 'x' }, {}, FAILED),
  asked('when its chain transaction was mined', SAME, { findReceipt: async () => ({ blockNumber: 100n }) }, FAILED),
  asked('when it was mined after the final block', SAME, { findReceipt: async () => ({ blockNumber: 101n }) }, 'alive'),
  asked('when its chain transaction is in a pool', SAME, { findChainTx: async () => ({}) }, 'alive'),
];
