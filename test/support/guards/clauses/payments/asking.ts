/** Decisions about asking a provider for a transfer, and about signatures that this database may not know of. */
import type { Decision, Rows } from '../decide.ts';
import { ID, KEY, MOVE, OTHER, WALLET } from '../ids.ts';

const [YES, NO] = ['true', 'false'] as const;
const move = { asset_id: 9, wallet_id: WALLET, purpose: 'send', rail: 'provider', amount: 5, reserved: 0 };
const pause = (scope: string, stops = 'accepting and signing'): Rows => ({ pauses: { scope, stops } });
/** Other transfers of the wallet, each with these differences. */
const queued = (...others: readonly { readonly move?: object; readonly transfer: object }[]): Rows =>
  Object.fromEntries(
    others.flatMap((other, i) => {
      const id = [ID, OTHER][i]!;
      return [
        [`coin_moves ${i + 2}`, { ...move, move_id: id, ...other.move }],
        [`provider_transfers ${i + 2}`, { move_id: id, key: id, attempts: 1, ...other.transfer }],
      ];
    }),
  );
const submitted = { transfer: { provider_state: 'submitted' } };
/** The amount that the signer has signed in the hour this many hours ago. */
const signed = (amount: number, hoursAgo = 0): Rows => ({
  signed_hours: { asset_id: 9, amount, hour: new Date(Math.floor(Date.now() / 3_600_000 - hoursAgo) * 3_600_000) },
});

const asking: Decision = {
  of: 'whether the transfer is requested: ask_transfer',
  rows: {
    networks: { network_id: 9, blockchain: 'SOME-CHAIN' },
    assets: { asset_id: 9, network_id: 9 },
    coin_moves: { ...move, move_id: MOVE },
    provider_transfers: { move_id: MOVE, key: MOVE },
  },
  calls: [`SELECT outcome || ' ' || coalesce(attempt::text, 'never') AS said FROM ask_transfer('${MOVE}', 2, 10)`],
  cases: {
    'for the first time': [{}, 'go 1'],
    again: [{ provider_transfers: { attempts: 1 } }, 'go 2'],
    'when it was not handed over': [{ provider_transfers: null }, 'ended never'],
    'when it is done': [{ coin_moves: { state: 'done' } }, 'ended 0'],
    'when it is dead': [{ coin_moves: { state: 'dead' } }, 'ended 0'],
    'when the provider has accepted it': [{ provider_transfers: { provider_state: 'submitted' } }, 'ended 0'],
    'when people decide': [{ provider_transfers: { held_at: 'now' } }, 'ended 0'],
    'after a cancellation was requested': [{ coin_moves: { cancel_wanted_at: 'now' } }, 'unwanted 0'],
    'again, after a cancellation was requested': [
      { coin_moves: { cancel_wanted_at: 'now' }, provider_transfers: { attempts: 1 } },
      'go 2',
    ],
    'while everything is paused': [pause('all'), 'paused 0'],
    'while all blockchains are paused': [pause('chain'), 'paused 0'],
    'while this one is paused': [pause('chain:SOME-CHAIN'), 'paused 0'],
    'while another one is paused': [pause('chain:OTHER-CHAIN'), 'go 1'],
    'while nothing new is accepted': [pause('all', 'accepting'), 'go 1'],
    'again, while everything is paused': [{ ...pause('all'), provider_transfers: { attempts: 1 } }, 'go 2'],
    'with one before it': [queued(submitted), 'go 1'],
    'with two before it': [queued(submitted, submitted), 'full 0'],
    'with two before it that were requested': [queued({ transfer: {} }, { transfer: {} }), 'full 0'],
    'with one of two that was not requested': [queued(submitted, { transfer: { attempts: 0 } }), 'go 1'],
    'with one of two that is held': [queued(submitted, { transfer: { held_at: 'now' } }), 'go 1'],
    'with one of two that is on the chain': [
      queued(submitted, { transfer: { provider_state: 'sent', tx_hash: '0x1' } }),
      'go 1',
    ],
    'with one of two that is sent and not named': [
      queued(submitted, { transfer: { provider_state: 'sent' } }),
      'full 0',
    ],
    'with one of two of another wallet': [queued(submitted, { ...submitted, move: { wallet_id: OTHER } }), 'go 1'],
    'with one of two of another token': [queued(submitted, { ...submitted, move: { asset_id: 8 } }), 'go 1'],
    'with one of two that has ended': [queued(submitted, { ...submitted, move: { state: 'done' } }), 'go 1'],
    'up to the limit of a day': [signed(5), 'go 1'],
    'beyond the limit of a day': [signed(6), 'over 0'],
    'beyond the limit, with what was signed almost a day ago': [signed(6, 24), 'over 0'],
    'with what was signed more than a day ago': [signed(6, 26), 'go 1'],
    'beyond the limit, of another token': [{ signed_hours: { ...signed(6).signed_hours, asset_id: 8 } }, 'go 1'],
    'beyond the limit, when it was counted before': [
      { ...signed(6), provider_transfers: { counted_at: 'now' } },
      'go 1',
    ],
    'beyond the limit, for a settlement': [
      { ...signed(6), coin_moves: { purpose: 'settlement', settlement_id: ID, to_wallet: OTHER } },
      'go 1',
    ],
  },
  waitsFor: ['when it is dead', 'when people decide', 'after a cancellation was requested'],
};

const waiting: Decision = {
  of: 'whether a send waits: payment_waits',
  rows: { payments: { payment_id: ID, state: 'INITIATED' } },
  calls: ['SELECT payment_waits(p) AS said FROM payments p'],
  cases: {
    'for nothing': [{}, NO],
    'for a time in the future': [{ payments: { not_before: 'tomorrow' } }, YES],
    'for a time in the past': [{ payments: { not_before: 'yesterday' } }, NO],
    'for approvals': [{ payments: { approvals_needed: 2 } }, YES],
    'for nothing, once it is approved': [
      { payments: { approvals_needed: 2 }, payment_events: { payment_id: ID, state: 'CLEARED' } },
      NO,
    ],
    'for its time, once it is approved': [
      {
        payments: { approvals_needed: 2, not_before: 'tomorrow' },
        payment_events: { payment_id: ID, state: 'CLEARED' },
      },
      YES,
    ],
    'for approvals, while another one is approved': [
      { payments: { approvals_needed: 2 }, payment_events: { payment_id: OTHER, state: 'CLEARED' } },
      YES,
    ],
    'for approvals, whatever else has happened': [
      { payments: { approvals_needed: 2 }, payment_events: { payment_id: ID, state: 'INITIATED' } },
      YES,
    ],
  },
};

/** Signatures last two hours. */
const NOTED = Date.parse('2020-01-03T00:00:00Z') / 1_000;
const forgetting: Decision = {
  of: 'whether something older may have been signed: may_be_signed',
  rows: { restores: { noted_at: '2020-01-03T00:00:00Z' }, chain_cursors: { network_id: 9, block_seconds: NOTED } },
  calls: [`SELECT may_be_signed(9::smallint, '2020-01-02T00:00:00Z') AS said`],
  cases: {
    'before a restore': [{}, YES],
    'without a restore': [{ restores: null }, NO],
    'after the restore': [{ restores: { noted_at: '2020-01-01T00:00:00Z' } }, NO],
    'at the moment of the restore': [{ restores: { noted_at: '2020-01-02T00:00:00Z' } }, NO],
    'until signatures have expired': [{ chain_cursors: { block_seconds: NOTED + 7_200 } }, YES],
    'when signatures have expired': [{ chain_cursors: { block_seconds: NOTED + 7_201 } }, NO],
    'on a chain that was never read': [{ chain_cursors: null }, YES],
    'on another chain': [{ chain_cursors: { network_id: 8, block_seconds: NOTED + 7_201 } }, YES],
  },
};
const forgettingSends: Decision = {
  ...forgetting,
  of: 'whether a send, which clients repeat, may have been signed: may_be_signed',
  calls: ['SELECT may_be_signed(9::smallint, NULL) AS said'],
  cases: {
    'whenever it was accepted': [{}, YES],
    'without a restore': [{ restores: null }, NO],
    'when signatures have expired': [{ chain_cursors: { block_seconds: NOTED + 7_201 } }, NO],
    'when those from before the last restore have not': [
      { chain_cursors: { block_seconds: NOTED + 7_201 }, 'restores 2': { noted_at: '2020-01-03T00:00:01Z' } },
      YES,
    ],
  },
};

const held = {
  transfer_id: MOVE,
  kind: 'hold',
  debit_account: 1,
  credit_account: 2,
  amount: 5,
  asset_id: 9,
  debit_held: 5,
};
const ending: Decision = {
  of: 'whether an unstarted move ends: end_unstarted',
  rows: { coin_moves: { ...move, move_id: MOVE, reserved: 5 }, holdings: { asset_id: 9, wallet_id: WALLET } },
  calls: [
    `SELECT end_unstarted('${MOVE}') AS said`,
    `SELECT coalesce((SELECT state || ' ' || reserved FROM coin_moves), 'none') AS said`,
  ],
  cases: {
    'while it is open': [{}, 'dead 0'],
    'after it was started': [{ coin_moves: { started_at: 'now' } }, 'open 5'],
    'after its end': [{ coin_moves: { state: 'done', reserved: 0 } }, 'done 0'],
    'when there is no such move': [{ coin_moves: null }, 'none'],
    'unless it may have been signed before a restore': [
      { assets: { asset_id: 9, network_id: 9 }, transfers: held, restores: { noted_at: 'tomorrow' } },
      /before this database was restored/,
    ],
    'unless its client may have repeated it after a restore': [
      { assets: { asset_id: 9, network_id: 9 }, transfers: held, restores: { noted_at: '2020-01-01' } },
      /before this database was restored/,
    ],
    'unless its client may have repeated it, although it waits for approvals': [
      {
        assets: { asset_id: 9, network_id: 9 },
        transfers: { ...held, created_at: '2020-01-02' },
        payments: { payment_id: MOVE, state: 'INITIATED', wallet_id: WALLET, approvals_needed: 2 },
        wallets: { wallet_id: WALLET, kind: 'treasury', provider: 'local', address: `0x${'1'.repeat(40)}` },
        restores: { noted_at: '2020-01-01' },
      },
      /before this database was restored/,
    ],
    'when another one may have been signed before a restore': [
      {
        assets: { asset_id: 9, network_id: 9 },
        transfers: { ...held, transfer_id: ID },
        restores: { noted_at: 'tomorrow' },
      },
      'dead 0',
    ],
    'when a payment to a person may have been made before a restore': [
      {
        assets: { asset_id: 9, network_id: 9 },
        transfers: { ...held, kind: 'user', debit_held: null, credit_entry: 1, credit_available: 1 },
        restores: { noted_at: 'tomorrow' },
      },
      'dead 0',
    ],
    'unless it may have been handed over before a restore': [
      {
        restores: { noted_at: 'now' },
        payments: { payment_id: MOVE, state: 'QUEUED', wallet_id: WALLET },
        wallets: { wallet_id: WALLET, kind: 'treasury', provider: 'circle_send', address: `0x${'1'.repeat(40)}` },
      },
      /before this database was restored/,
    ],
    'unless a provider that is not registered may have it': [
      {
        restores: { noted_at: 'now' },
        payments: { payment_id: MOVE, state: 'QUEUED', wallet_id: WALLET },
        wallets: { wallet_id: WALLET, kind: 'treasury', provider: 'unheard_of', address: `0x${'1'.repeat(40)}` },
      },
      /before this database was restored/,
    ],
    'when a provider would have signed it': [
      {
        restores: { noted_at: 'now' },
        payments: { payment_id: MOVE, state: 'QUEUED', wallet_id: WALLET },
        wallets: { wallet_id: WALLET, kind: 'treasury', provider: 'circle', address: `0x${'1'.repeat(40)}` },
      },
      'dead 0',
    ],
    'when its own keys would have signed it': [
      {
        restores: { noted_at: 'now' },
        payments: { payment_id: MOVE, state: 'QUEUED', wallet_id: WALLET },
        wallets: { wallet_id: WALLET, kind: 'treasury', provider: 'local', address: `0x${'1'.repeat(40)}` },
      },
      'dead 0',
    ],
  },
};

const guardingEnds: Decision = {
  of: 'whether a move of a provider may end: guard_provider_end',
  rows: {
    assets: { asset_id: 9, network_id: 9 },
    wallets: { wallet_id: WALLET, kind: 'treasury', provider: 'other', address: `0x${'1'.repeat(40)}` },
    coin_moves: { ...move, move_id: MOVE, to_address: '0xAb' },
    provider_transfers: { move_id: MOVE, key: KEY, provider_state: 'failed', ended_head: 100 },
    chain_cursors: { network_id: 9, block_number: 100 },
  },
  hasTriggers: true,
  calls: [`UPDATE coin_moves SET state = 'dead' WHERE move_id = '${MOVE}' RETURNING 'ended' AS said`],
  cases: {
    'when it failed and final blocks do not have it': [{}, 'ended'],
    'when it was cancelled': [{ provider_transfers: { provider_state: 'cancelled' } }, 'ended'],
    'when it was never handed over': [{ provider_transfers: null }, 'ended'],
    'while blocks of that moment are not final': [{ provider_transfers: { ended_head: 101 } }, /may still make/],
    'while the chain was never read': [{ chain_cursors: null }, /may still make/],
    'while it was only requested': [
      { provider_transfers: { provider_state: 'new', ended_head: null } },
      /may still make/,
    ],
    'while it is sent': [{ provider_transfers: { provider_state: 'sent', ended_head: null } }, /may still make/],
    'while a log that may be it is held': [
      { held_logs: { asset_id: 9, from_wallet: WALLET, amount: 5, to_address: '0xaB' } },
      /may still make/,
    ],
    'while a log of another amount is held': [
      { held_logs: { asset_id: 9, from_wallet: WALLET, amount: 6, to_address: '0xaB' } },
      'ended',
    ],
    'while a log to another address is held': [
      { held_logs: { asset_id: 9, from_wallet: WALLET, amount: 5, to_address: '0xaC' } },
      'ended',
    ],
    'while a log of another wallet is held': [
      { held_logs: { asset_id: 9, from_wallet: OTHER, amount: 5, to_address: '0xaB' } },
      'ended',
    ],
  },
};

export const askingDecisions: readonly Decision[] = [
  asking,
  waiting,
  forgetting,
  forgettingSends,
  ending,
  guardingEnds,
];
