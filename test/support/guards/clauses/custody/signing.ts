/** Decisions of the signer about coin moves. */
import { cancelMoves } from '../../../../../server/src/custody/signing/cancelMoves.ts';
import { checkSigningRules } from '../../../../../server/src/custody/signing/checkSigningRules.ts';
import { readMoves } from '../../../../../server/src/custody/signing/readMoves.ts';
import type { SigningApp } from '../../../../../server/src/custody/signing/signingApp.ts';
import type { Db } from '../../../../../server/src/db/database.ts';
import { ELSEWHERE, FROM, funding, hold, move, NONCE, settlement, TO, TOKEN, wallet, world } from '../custodyWorld.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID, OTHER, WALLET } from '../ids.ts';

const keys = (reference: string, address: string) => ({
  list: async (references: readonly string[]) =>
    references.flatMap((one) => (one === reference ? [{ reference, address }] : [])),
  signCancellation: async () => ({ outcome: 'accepted', signature: `0x${'1'.repeat(130)}` }),
});
const appOf = (db: Db, limits: Partial<SigningApp['limits']> = {}): SigningApp =>
  ({
    db,
    keyrings: { local: keys('mine', FROM) },
    others: { other: keys('yours', ELSEWHERE) },
    senders: {},
    networks: [{ blockchain: 'HERE', chainId: 77, tokens: [{ symbol: 'USDC', contract: TOKEN }] }],
    limits,
  }) as unknown as SigningApp;
const signing =
  (limits: Partial<SigningApp['limits']> = {}) =>
  async (db: Db): Promise<string> => {
    const app = appOf(db, limits);
    const [found] = await readMoves(db, [ID]);
    if (!found) return 'nothing';
    const objection = await checkSigningRules(app, found);
    return objection ? `${objection.isForNow ? 'later' : 'never'}: ${objection.reason}` : 'signed';
  };
const wanted: Rows = {
  ...world,
  transfers: hold,
  payments: { payment_id: ID, state: 'QUEUED', destination: TO, wallet_id: WALLET, amount: 5 },
  coin_moves: { ...move, started_at: null },
};
const end = (kind: 'post' | 'release'): Rows => ({
  'transfers 2': {
    ...{ ...wanted.transfers, transfer_id: OTHER, kind, hold_id: ID, seq: -2, debit_entry: 2 },
    ...(kind === 'post' ? { credit_entry: 1, credit_available: 1 } : {}),
  },
});
const NO_HOLD = 'never: no such amount is held for it';
const UNRESERVED = 'later: its coins are not reserved';
const sends: Decision = {
  of: 'whether a send is signed: checkSigningRules',
  rows: wanted,
  calls: [signing()],
  cases: {
    'that is accepted': [{}, 'signed'],
    'that does not exist': [{ coin_moves: null }, 'nothing'],
    'that a provider sends': [{ coin_moves: { rail: 'provider' } }, 'never: it is not carried by us'],
    'that is done': [{ coin_moves: { state: 'done', reserved: 0 } }, 'never: it has ended'],
    'that is dead': [{ coin_moves: { state: 'dead', reserved: 0 } }, 'never: it has ended'],
    'that is to be cancelled': [{ coin_moves: { cancel_wanted_at: 'now' } }, 'never: it is to be cancelled'],
    'with its nonce': [{ authorizations: { move_id: ID, nonce: NONCE } }, 'signed'],
    'with another nonce': [
      { authorizations: { move_id: ID, nonce: Buffer.alloc(32, 1) } },
      'never: its nonce is not made from its id',
    ],
    'of an unknown token': [
      { assets: { contract: `0x${'d'.repeat(40)}` } },
      'never: the signer does not know this token on HERE',
    ],
    'on another blockchain': [
      { networks: { blockchain: 'THERE' } },
      'never: the signer does not know this token on THERE',
    ],
    'on a chain with another id': [
      { networks: { chain_id: 78 } },
      'never: the signer does not know this token on HERE',
    ],
    'without a payment': [{ payments: null }, 'never: there is no such payment'],
    'of a payment to another address': [
      { payments: { destination: ELSEWHERE } },
      'never: its payment goes to another address',
    ],
    'of a payment in other letters': [{ payments: { destination: `0x${'A'.repeat(40)}` } }, 'signed'],
    'of a payment of another wallet': [{ payments: { wallet_id: OTHER } }, 'never: its payment is of another wallet'],
    'without a hold': [{ transfers: null }, NO_HOLD],
    'with a hold of another amount': [{ transfers: { amount: 6 } }, NO_HOLD],
    'of another amount': [{ coin_moves: { amount: 6, reserved: 6 } }, NO_HOLD],
    'of a smaller amount': [{ coin_moves: { amount: 4, reserved: 4 } }, NO_HOLD],
    'with a hold for its fee too': [{ transfers: { amount: 6 }, payments: { fee: 1 } }, 'signed'],
    'with a hold of another asset': [{ transfers: { asset_id: 8 } }, NO_HOLD],
    'with a payment to a person under its id': [
      { transfers: { kind: 'user', debit_held: null, credit_entry: 1, credit_available: 1 } },
      NO_HOLD,
    ],
    'with a released hold': [end('release'), NO_HOLD],
    'with a posted hold': [end('post'), 'signed'],
    'that waits for approvals': [
      { payments: { approvals_needed: 2, state: 'INITIATED' } },
      'later: its payment waits for approval, or for its time',
    ],
    'that waits for its time': [
      { payments: { not_before: 'tomorrow' } },
      'later: its payment waits for approval, or for its time',
    ],
    'of a wallet of another provider': [
      { wallets: { provider: 'other' } },
      'never: the signer has no keys of this provider',
    ],
    'of a wallet with another address': [{ wallets: { address: ELSEWHERE } }, 'never: its wallet has another address'],
    'of a wallet with other keys': [
      { wallets: { reference: 'yours' } },
      'never: its wallet does not belong to the keys of this signer',
    ],
    'while signing is paused': [
      { pauses: { scope: 'all', stops: 'accepting and signing', reason: 'why' } },
      'later: signing is paused: why',
    ],
    'while signing is paused on all blockchains': [
      { pauses: { scope: 'chain', stops: 'accepting and signing', reason: 'why' } },
      'later: signing is paused: why',
    ],
    'while signing is paused on its blockchain': [
      { pauses: { scope: 'chain:HERE', stops: 'accepting and signing', reason: 'why' } },
      'later: signing is paused: why',
    ],
    'while signing is paused on another one': [
      { pauses: { scope: 'chain:THERE', stops: 'accepting and signing' } },
      'signed',
    ],
    'while nothing is accepted': [{ pauses: { scope: 'all' } }, 'signed'],
    'without all of its coins': [{ coin_moves: { reserved: 4 } }, UNRESERVED],
    'whose other coins come with it': [
      { coin_moves: { reserved: 2 }, 'coin_moves 2': { ...funding, amount: 3 } },
      'signed',
    ],
    'whose other coins are too few': [
      { coin_moves: { reserved: 2 }, 'coin_moves 2': { ...funding, amount: 2, reserved: 2 } },
      UNRESERVED,
    ],
    'whose other coins come by a provider': [
      { coin_moves: { reserved: 2 }, 'coin_moves 2': { ...funding, rail: 'provider' } },
      UNRESERVED,
    ],
    'whose other coins do not come': [
      { coin_moves: { reserved: 2 }, 'coin_moves 2': { ...funding, state: 'dead', reserved: 0 } },
      UNRESERVED,
    ],
    'before the name of the token is known': [
      { assets: { token_name: null } },
      'later: no worker has read the name of the token yet',
    ],
  },
};
const settlements: Decision = {
  of: 'whether a settlement is signed: checkSigningRules',
  rows: {
    ...world,
    coin_moves: { ...settlement, to_address: ELSEWHERE, started_at: null },
    'wallets 2': {
      ...wallet,
      wallet_id: OTHER,
      kind: 'treasury',
      user_id: null,
      provider: 'other',
      reference: 'yours',
      address: ELSEWHERE,
    },
  },
  calls: [signing()],
  cases: {
    'to a wallet of ours': [{}, 'signed'],
    'to another address': [
      { coin_moves: { to_address: TO } },
      'never: it is a settlement to a wallet that is not ours',
    ],
    'to a wallet that is not ours': [
      { coin_moves: { to_address: TO }, 'wallets 2': { address: TO } },
      'never: it is a settlement to a wallet that is not ours',
    ],
    'to a wallet with other keys': [
      { 'wallets 2': { reference: 'mine' } },
      'never: it is a settlement to a wallet that is not ours',
    ],
    'to a wallet that does not exist': [
      { 'wallets 2': null },
      'never: it is a settlement to a wallet that is not ours',
    ],
    'without its coins': [{ coin_moves: { reserved: 4 } }, UNRESERVED],
  },
};
const cancellations: Decision = {
  of: 'whether a cancellation is signed: cancelMoves',
  rows: {
    ...world,
    coin_moves: { ...move, cancel_wanted_at: 'now' },
    authorizations: { move_id: ID, nonce: NONCE },
  },
  calls: [
    async (db) => {
      const [refused] = await cancelMoves(appOf(db), {}, [ID]);
      if (refused) return `${refused.isForNow ? 'later' : 'never'}: ${refused.reason}`;
      return (await db.query('SELECT FROM cancellations')).length > 0 ? 'signed' : 'nothing';
    },
  ],
  cases: {
    'that is wanted': [{}, 'signed'],
    'that nobody wants': [
      { coin_moves: { cancel_wanted_at: null } },
      'never: its cancellation was not requested, or it has ended',
    ],
    'of a move that has ended': [
      { coin_moves: { state: 'done', reserved: 0 } },
      'never: its cancellation was not requested, or it has ended',
    ],
    'of a nonce that is not the move’s': [
      { authorizations: { nonce: Buffer.alloc(32, 1) } },
      'never: its nonce is not made from its id',
    ],
    'of a move without a nonce': [{ authorizations: null }, 'nothing'],
    'of an unknown token': [
      { assets: { contract: `0x${'d'.repeat(40)}` } },
      'never: the signer does not know this token',
    ],
    'of a wallet of other keys': [
      { wallets: { reference: 'yours' } },
      'never: its wallet does not belong to the keys of this signer',
    ],
    'of a provider without keys here': [
      { wallets: { provider: 'circle' } },
      'never: its wallet does not belong to the keys of this signer',
    ],
    'before the token’s name is known': [
      { assets: { token_name: null } },
      'later: no worker has read the name of the token yet',
    ],
  },
};
const limited = (limits: Partial<Record<'payment' | 'day', bigint>>, cases: Decision['cases']): Decision => ({
  of: `whether a send of 5 is signed within ${Object.entries(limits)}: checkSigningRules`,
  rows: wanted,
  calls: [signing(limits)],
  cases,
});
const hour = (amount: number): Rows => ({
  signed_hours: { asset_id: 9, amount, hour: new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000) },
});
const OVER = 'later: the signer signs at most 0.000009 USDC in 24 hours';
export const signingDecisions: readonly Decision[] = [
  sends,
  settlements,
  cancellations,
  limited({ payment: 5n }, { 'of one payment': [{}, 'signed'] }),
  limited({ payment: 4n }, { 'of one payment': [{}, 'later: the signer signs at most 0.000004 USDC in one payment'] }),
  limited(
    { day: 9n },
    {
      'with what was signed before': [hour(4), 'signed'],
      'with more than that': [hour(5), OVER],
      'with more than that, when it was signed before': [
        { ...hour(5), signatures: { move_id: ID, valid_before: 1, signature: Buffer.alloc(65) } },
        'signed',
      ],
      'with more of another token': [{ signed_hours: { ...hour(5).signed_hours, asset_id: 8 } }, 'signed'],
    },
  ),
];
