/** Decisions about the coins of a send: where they come from, whom freed ones wake, and whether the token takes it. */
import type { Hex } from '../../../../../server/src/core/ports.ts';
import { reserveSend } from '../../../../../server/src/custody/coins/reserveSend.ts';
import { submitPayments } from '../../../../../server/src/payments/sends/submitPayments.ts';
import {
  appOf,
  ELSEWHERE,
  FROM,
  funding,
  hold,
  move,
  networkOf,
  settlement,
  TO,
  wallet,
  world,
} from '../custodyWorld.ts';
import type { Decision } from '../decide.ts';
import { ID, ME, MOVE, OTHER, WALLET } from '../ids.ts';

/** A send of 5, whose wallet has 2 free coins. Another wallet has 9 that its owner is not owed. */
const reserving: Decision = {
  of: 'how the coins of a send are reserved: reserveSend',
  rows: {
    ...world,
    users: { user_id: ME },
    'wallets 2': { ...wallet, wallet_id: OTHER, user_id: OTHER, address: ELSEWHERE, reference: 'yours' },
    holdings: { asset_id: 9, wallet_id: WALLET, coins: 2 },
    'holdings 2': { asset_id: 9, wallet_id: OTHER, coins: 9 },
  },
  calls: [
    async (db) => {
      const send = { paymentId: ID, assetId: 9, walletId: WALLET, destination: TO, amount: 5n };
      const isReserved = await db.tx((tx) => reserveSend(tx, appOf(db).rails, send, [OTHER]));
      const [row] = await db.query<{ own: bigint | null; ordered: bigint | null }>(
        `SELECT (SELECT reserved FROM coin_moves WHERE move_id = '${ID}') AS own,
                (SELECT sum(amount)::bigint FROM coin_moves WHERE purpose = 'settlement') AS ordered`,
      );
      return `${isReserved ? 'reserved' : 'too few'} ${row!.own} and ${row!.ordered}`;
    },
  ],
  cases: {
    'from two wallets': [{}, 'reserved 2 and 3'],
    'from its own': [{ holdings: { coins: 5 } }, 'reserved 5 and null'],
    'from its own, of which some are reserved': [{ holdings: { coins: 5, reserved: 1 } }, 'reserved 4 and 1'],
    'with too few': [{ 'holdings 2': { coins: 2 } }, 'too few null and null'],
    'with too few that are free': [{ 'holdings 2': { reserved: 7 } }, 'too few null and null'],
    'with too few that nobody is owed': [
      { 'accounts 2': { account_id: 9002, asset_id: 9, kind: 'user', user_id: OTHER, tier: 0, available: 5, held: 2 } },
      'too few null and null',
    ],
    'while others are on their way': [
      { coin_moves: { ...move, reserved: 2 }, 'coin_moves 2': funding },
      'reserved 2 and 3',
    ],
    'while too few are on their way': [
      { coin_moves: { ...move, reserved: 2 }, 'coin_moves 2': { ...funding, amount: 1, reserved: 1 } },
      'reserved 4 and 1',
    ],
    'when what was on its way is dead': [
      { coin_moves: { ...move, reserved: 2 }, 'coin_moves 2': { ...funding, state: 'dead', reserved: 0 } },
      'reserved 4 and 4',
    ],
    'when what is on its way is for another send': [
      { coin_moves: { ...move, reserved: 2 }, 'coin_moves 2': { ...funding, funds: OTHER } },
      'reserved 4 and 4',
    ],
    'when people decide about what is on its way': [
      {
        coin_moves: { ...move, reserved: 2 },
        'coin_moves 2': { ...funding, rail: 'provider' },
        provider_transfers: { move_id: MOVE, key: MOVE, held_at: 'now' },
      },
      'reserved 4 and 4',
    ],
    'when they are reserved': [{ coin_moves: move }, 'reserved 5 and null'],
  },
};

const waits = (asset: number) => ({ kind: 'submit HERE', key: ID, run_at: 'tomorrow', waits_for: `coins ${asset}` });
const freeing = (change: string, cases: Decision['cases']): Decision => ({
  of: `whether a waiting send is woken when a move becomes ${change}: move_reservation, wake_sends`,
  rows: {
    ...world,
    users: { user_id: ME },
    transfers: hold,
    payments: { payment_id: ID, state: 'INITIATED', destination: TO, wallet_id: WALLET },
    coin_moves: { ...move, move_id: MOVE },
    holdings: { asset_id: 9, wallet_id: WALLET, coins: 5, reserved: 5, ledger: 5 },
    jobs: waits(9),
  },
  hasTriggers: true,
  calls: [
    `UPDATE coin_moves SET ${change} WHERE move_id = '${MOVE}'`,
    `SELECT (SELECT reserved FROM holdings) || CASE WHEN waits_for IS NULL THEN ' woken' ELSE ' waits' END AS said FROM jobs`,
  ],
  cases,
});
const woken: readonly Decision[] = [
  freeing("state = 'dead', reserved = 0", {
    'from this wallet': [{}, '0 woken'],
    'from another wallet': [{ payments: { wallet_id: OTHER } }, '0 waits'],
    'from another wallet, when the coins are surplus': [
      { payments: { wallet_id: OTHER }, holdings: { ledger: 4 } },
      '0 woken',
    ],
    'from another wallet, when the token refuses this one': [
      { payments: { wallet_id: OTHER }, holdings: { ledger: 4, blocked_at: 'now' } },
      '0 waits',
    ],
    'from another wallet, when this one is refused': [
      { payments: { wallet_id: OTHER }, holdings: { ledger: 4, refused_until: 'tomorrow' } },
      '0 waits',
    ],
    'of another token': [{ jobs: waits(8) }, '0 waits'],
  }),
  freeing('reserved = 4', { 'from this wallet': [{}, '4 woken'] }),
  freeing("state = 'done', reserved = 0", { 'from this wallet': [{}, '0 waits'] }),
];

/** A payment of 5, about which the token is asked: it refuses this address. */
const denying = (refused: string): Decision => ({
  of: `what happens to a payment when the token refuses ${refused === TO ? 'the destination' : refused === FROM ? 'its wallet' : 'another address'}: submitPayments`,
  rows: {
    ...world,
    users: { user_id: ME },
    accounts: { account_id: 9001, asset_id: 9, kind: 'user', user_id: ME, tier: 0, held: 5, entries: 7 },
    'accounts 2': { account_id: 9002, asset_id: 9, kind: 'chain', tier: 0 },
    transfers: hold,
    payments: { payment_id: ID, state: 'INITIATED', destination: TO, wallet_id: WALLET, amount: 5 },
    holdings: { asset_id: 9, wallet_id: WALLET, coins: 5 },
    chain_cursors: { network_id: 9, block_number: 100 },
  },
  calls: [
    async (db) => {
      const network = networkOf({
        readRefusals: async (_: Hex, addresses: readonly string[]) => ({
          isPaused: false,
          blacklisted: addresses.map((address) => address === refused),
        }),
        getFinalized: async () => ({ number: 102n }),
      });
      await submitPayments(appOf(db), network, [ID]);
    },
    `SELECT state || coalesce(': ' || error_reason, '') AS said FROM payments`,
  ],
  cases: {
    'that waits for nothing': [
      {},
      refused === TO
        ? 'DENIED: the destination is blacklisted by the token'
        : refused === FROM
          ? 'DENIED: the wallet is blacklisted by the token'
          : 'QUEUED',
    ],
    'that waits for approvals': [{ payments: { approvals_needed: 2 } }, 'INITIATED'],
    'while blocks are not read': [
      { chain_cursors: { block_number: 99 } },
      refused === ELSEWHERE ? 'QUEUED' : 'INITIATED',
    ],
    'while signing is paused': [{ pauses: { scope: 'all', stops: 'accepting and signing' } }, 'INITIATED'],
    'while nothing is accepted': [
      { pauses: { scope: 'all' } },
      refused === ELSEWHERE
        ? 'QUEUED'
        : `DENIED: the ${refused === TO ? 'destination' : 'wallet'} is blacklisted by the token`,
    ],
    'that was cancelled': [{ payments: { state: 'CANCELLED' } }, 'CANCELLED'],
  },
});

const counting = (change: string, said: string, from: object = {}): Decision => ({
  of: `what a settlement in progress counts for when ${change}: move_reservation`,
  rows: {
    ...world,
    settlements: { settlement_id: ID, asset_id: 9 },
    'wallets 2': {
      ...wallet,
      wallet_id: OTHER,
      kind: 'treasury',
      user_id: null,
      address: ELSEWHERE,
      reference: 'yours',
    },
    coin_moves: { ...settlement, ...from },
    holdings: { asset_id: 9, wallet_id: WALLET, coins: 9, reserved: 5, outgoing: 5 },
    'holdings 2': { asset_id: 9, wallet_id: OTHER, incoming: 5 },
  },
  hasTriggers: true,
  calls: [
    `UPDATE coin_moves SET ${change}`,
    `SELECT string_agg(concat_ws('/', reserved, outgoing, incoming), ' ' ORDER BY coins DESC) AS said FROM holdings WHERE asset_id = 9`,
  ],
  cases: {
    'of 5': [{}, said],
    'beside another token': [{ 'holdings 3': { asset_id: 8, wallet_id: WALLET } }, said],
  },
});

export const fundingDecisions: readonly Decision[] = [
  counting("state = 'done', reserved = 0", '0/0/0 0/0/0'),
  counting("state = 'dead', reserved = 0", '0/0/0 0/0/0'),
  counting('reserved = 3', '3/5/0 0/0/5'),
  counting("state = 'open'", '5/10/0 0/0/10', { state: 'done', reserved: 0 }),
  reserving,
  ...woken,
  denying(TO),
  denying(FROM),
  denying(ELSEWHERE),
];
