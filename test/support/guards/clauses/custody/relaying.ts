/** Decisions about what goes into a relay transaction. */
import { takeTransfers } from '../../../../../server/src/custody/eip3009/relayCalls.ts';
import { funding, move, NONCE, networkOf, world } from '../custodyWorld.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID, MOVE, OTHER } from '../ids.ts';

const signature = { valid_before: 1_000, signature: Buffer.alloc(65, 1) };
const authorization = { valid_before: 1_000, carry_after: '2020-01-01' };
/** The settlement is in a relay transaction of this relayer that is not mined. */
const carried: Rows = {
  'authorizations 2': { carried: true },
  carriers: { carrier_id: OTHER, relayer_id: 1 },
  carrier_calls: { carrier_id: OTHER, move_id: MOVE, position: 1 },
};
const changed = (table: string, values: object): Rows => ({ ...carried, [table]: { ...carried[table], ...values } });
const BOTH = 'settlement, send';

/** A send of 5, for which a settlement brings 3. Both are signed. */
const taking: Decision = {
  of: 'which transfers go into a relay transaction: takeTransfers',
  rows: {
    ...world,
    coin_moves: { ...move, reserved: 2 },
    authorizations: { move_id: ID, nonce: NONCE, ...authorization },
    signatures: { move_id: ID, ...signature },
    'coin_moves 2': funding,
    'authorizations 2': { move_id: MOVE, nonce: Buffer.alloc(32, 7), ...authorization },
    'signatures 2': { move_id: MOVE, ...signature },
  },
  calls: [
    (db) =>
      db.tx(async (tx) => {
        const calls = await takeTransfers(tx, networkOf({}), 1, 500n, 9);
        return calls.map(({ move_id: id }) => (id === ID ? 'send' : 'settlement')).join(', ') || 'none';
      }),
  ],
  cases: {
    'in their order': [{}, BOTH],
    'when the send is to be cancelled': [{ coin_moves: { cancel_wanted_at: 'now' } }, 'settlement'],
    'when the send has ended': [{ coin_moves: { state: 'dead', reserved: 0 } }, 'settlement'],
    'when the send is to be retried later': [{ authorizations: { carry_after: 'tomorrow' } }, 'settlement'],
    'when the signature of the send expires soon': [
      { authorizations: { valid_before: 530 }, signatures: { valid_before: 530 } },
      'settlement',
    ],
    'when the settlement is to be retried later': [{ 'authorizations 2': { carry_after: 'tomorrow' } }, 'none'],
    'when the signature of the settlement expires soon': [
      { 'authorizations 2': { valid_before: 530 }, 'signatures 2': { valid_before: 530 } },
      'none',
    ],
    'when the settlement is not signed': [{ 'authorizations 2': null, 'signatures 2': null }, 'none'],
    'when the settlement has lost its reservation': [{ 'coin_moves 2': { reserved: 2 } }, 'settlement'],
    'when the settlement has arrived': [
      { coin_moves: { reserved: 5 }, 'coin_moves 2': { state: 'done', reserved: 0 } },
      'send',
    ],
    'when the settlement has ended without coins': [{ 'coin_moves 2': { state: 'dead', reserved: 0 } }, 'none'],
    'when the settlement is for another send': [
      { coin_moves: { reserved: 5 }, 'coin_moves 2': { funds: OTHER, reserved: 2 } },
      BOTH,
    ],
    'when the settlement is for another send, and this one lacks coins': [
      { 'coin_moves 2': { funds: OTHER, reserved: 2 } },
      'settlement',
    ],
    'when the settlement is under an earlier nonce of this relayer': [carried, 'send'],
    'when it is under a nonce of another relayer': [changed('carriers', { relayer_id: 2 }), 'none'],
    'when it is under a nonce that something else may have used': [
      changed('carriers', { missing_since: 'now' }),
      'none',
    ],
    'when it is under a nonce that something else has used': [changed('carriers', { state: 'foreign' }), 'none'],
    'when it was taken out of that relay transaction': [changed('carrier_calls', { dropped_in: 2 }), 'none'],
    'when the send is in a relay transaction': [{ authorizations: { carried: true } }, 'settlement'],
  },
};

export const relayDecisions: readonly Decision[] = [taking];
