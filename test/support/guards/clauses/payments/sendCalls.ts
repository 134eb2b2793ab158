/** Decisions of the service's own functions about sends: what a key stands for, who cancels, and what a log ends. */
import { PayError } from '../../../../../server/src/core/errors.ts';
import { idFromKey } from '../../../../../server/src/core/ids.ts';
import type { Usdc } from '../../../../../server/src/core/money.ts';
import type { Hex } from '../../../../../server/src/core/ports.ts';
import { nonceOf } from '../../../../../server/src/custody/eip3009/authorizations.ts';
import type { Db } from '../../../../../server/src/db/database.ts';
import { cancelPayment } from '../../../../../server/src/payments/sends/cancelPayment.ts';
import { endId } from '../../../../../server/src/payments/sends/finishPayment.ts';
import type { SendCommand, SendToAddress } from '../../../../../server/src/payments/sends/sendCommand.ts';
import { sendToAddress } from '../../../../../server/src/payments/sends/sendToAddress.ts';
import { type AssetLogs, applyLogs } from '../../../../../server/src/payments/tracking/applyLogs.ts';
import { ELSEWHERE, hold, move, networkOf, TO, wallet, world } from '../custodyWorld.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID, ME, MOVE, OTHER, WALLET } from '../ids.ts';

const KEY = { caller: 'somebody', route: 'POST /send', text: 'a key' };
const [PAID, NONCE] = [
  idFromKey(KEY.caller, KEY.route, KEY.text),
  Buffer.from(nonceOf(idFromKey(KEY.caller, KEY.route, KEY.text)).slice(2), 'hex'),
];
const request: SendToAddress = {
  destination: TO,
  amount: 5n as Usdc,
  blockchain: 'HERE',
  currency: 'USDC',
  walletId: WALLET,
  key: KEY,
};
const codeOf = (error: unknown): string => (error instanceof PayError ? error.code : String(error));

/** The outcome of the statement that accepts sends is this; `seen` hears what was submitted. */
const sendAs = (
  db: Db,
  wanted: SendToAddress,
  outcome: 'known' | 'paid',
  seen: (command: SendCommand) => void = () => {},
) =>
  sendToAddress(
    {
      db,
      sends: {
        submit: async (command) => {
          seen(command);
          return { outcome };
        },
        mustAsk: () => false,
        close: async () => {},
      },
    },
    wanted,
  );

const at = { asset_id: 9, tx_hash: '0x1', log_index: 3 };
const recognizing: Decision = {
  of: 'whether a repeated key is the payment that the chain has made: sendToAddress',
  rows: {
    ...world,
    users: { user_id: ME },
    accounts: { account_id: 9001, asset_id: 9, kind: 'user', user_id: ME, tier: 0, available: 9 },
    'accounts 2': { account_id: 9002, asset_id: 9, kind: 'chain', tier: 0 },
    'accounts 3': { account_id: 9003, asset_id: 9, kind: 'loss', tier: 0 },
    forgotten_nonces: { ...at, nonce: NONCE, kind: 'used' },
    unexplained_moves: { ...at, wallet_id: WALLET, to_address: TO, amount: 5, block_number: 7 },
    'wallets 2': { ...wallet, wallet_id: OTHER, user_id: OTHER, address: ELSEWHERE, reference: 'yours' },
  },
  hasTriggers: true,
  calls: [
    async (db) => {
      const answer = await sendAs(db, request, 'paid').catch(codeOf);
      if (typeof answer === 'string') return answer;
      const id = 'result' in answer && 'answer' in answer.result ? answer.result.answer : 'refused';
      return id === PAID ? 'the payment' : id === MOVE ? 'the imported one' : id;
    },
  ],
  cases: {
    'from this wallet': [{}, 'the payment'],
    'from another wallet': [{ unexplained_moves: { wallet_id: OTHER } }, 'idempotency.mismatch'],
    'to another address': [{ unexplained_moves: { to_address: ELSEWHERE } }, 'idempotency.mismatch'],
    'to the same address in other letters': [
      { unexplained_moves: { to_address: `0x${'A'.repeat(40)}` } },
      'the payment',
    ],
    'of another amount': [{ unexplained_moves: { amount: 4 } }, 'idempotency.mismatch'],
    'that was imported': [{ unexplained_moves: { imported_as: MOVE } }, 'the imported one'],
    'that was imported from another wallet': [
      { unexplained_moves: { imported_as: MOVE, wallet_id: OTHER } },
      'idempotency.mismatch',
    ],
    'whose block was replaced': [{ unexplained_moves: { log_index: -4 } }, 'idempotency.in_progress'],
    'under another nonce': [{ forgotten_nonces: { nonce: Buffer.alloc(32, 9) } }, 'idempotency.in_progress'],
  },
};

/** Whether it counts as the same request under one key, and as the same payment. */
const same = (change: Partial<SendToAddress>, said: string): Decision => ({
  of: `what a request with another ${Object.keys(change)} (${JSON.stringify(Object.values(change), (_, value) => (typeof value === 'bigint' ? String(value) : value))}) is: sendToAddress`,
  rows: {},
  calls: [
    async (db) => {
      const commands: SendCommand[] = [];
      for (const one of [request, { ...request, ...change }]) await sendAs(db, one, 'known', (it) => commands.push(it));
      const [first, second] = commands.map(({ hash, paymentId }) => ({
        hash: Buffer.from(hash ?? []).toString('hex'),
        paymentId,
      }));
      return `${first!.hash === second!.hash ? 'the same' : 'another'} request for ${first!.paymentId === second!.paymentId ? 'the same' : 'another'} payment`;
    },
  ],
  cases: { 'under a key': [{}, said] },
});
const [SAME, ANOTHER] = ['the same request for the same payment', 'another request for the same payment'] as const;
const requests: readonly Decision[] = [
  same({}, SAME),
  same({ destination: TO.toUpperCase().replace('X', 'x') }, SAME),
  same({ walletId: WALLET.toUpperCase() }, SAME),
  same({ sessionId: OTHER }, SAME),
  same({ serviceKeyId: OTHER }, SAME),
  same({ destination: ELSEWHERE }, ANOTHER),
  same({ amount: 6n as Usdc }, ANOTHER),
  same({ blockchain: 'THERE' }, ANOTHER),
  same({ walletId: OTHER }, ANOTHER),
  same({ walletId: undefined }, ANOTHER),
  same({ walletUsername: 'alice' }, ANOTHER),
  same({ key: { ...KEY, text: 'another key' } }, 'the same request for another payment'),
  same({ key: { ...KEY, caller: 'another caller' } }, 'the same request for another payment'),
  same({ key: { ...KEY, route: 'POST /other' } }, 'the same request for another payment'),
];

const ended = (kind: 'post' | 'release'): Rows => ({
  'transfers 2': {
    ...{ ...hold, transfer_id: endId(kind, ID), kind, hold_id: ID, seq: -2, debit_entry: 2 },
    ...(kind === 'post' ? { credit_entry: 1, credit_available: 1 } : {}),
  },
});
const accepted: Rows = {
  ...world,
  users: { user_id: ME },
  accounts: { account_id: 9001, asset_id: 9, kind: 'user', user_id: ME, tier: 0, held: 5, entries: 7 },
  'accounts 2': { account_id: 9002, asset_id: 9, kind: 'chain', tier: 0, entries: 7 },
  transfers: hold,
  payments: { payment_id: ID, state: 'QUEUED', destination: TO, wallet_id: WALLET, amount: 5 },
};
const NOT_STARTED = { ...move, started_at: null };
const cancelling = (by: string | undefined, unknown: string): Decision => {
  const own = (said: string): string => (unknown === '' ? said : unknown);
  return {
    of: `whether ${by === ME ? 'the payer' : by ? 'another person' : 'an operator'} cancels a payment: cancelPayment`,
    rows: accepted,
    calls: [
      async (db) => {
        const said = await db
          .tx((tx) => cancelPayment(tx, { paymentId: ID, payerId: by, actor: 'service:test' }))
          .catch(codeOf);
        const [row] = await db.query<{ state: string }>('SELECT state FROM payments');
        return `${said}, ${row?.state}`;
      },
    ],
    cases: {
      'that has no move': [{}, own('released, CANCELLED')],
      'whose move is not started': [
        { coin_moves: NOT_STARTED, holdings: { asset_id: 9, wallet_id: WALLET, coins: 5, reserved: 5 } },
        own('released, CANCELLED'),
      ],
      'whose move is started': [
        { coin_moves: move, authorizations: { move_id: ID, nonce: NONCE } },
        own('asked, QUEUED'),
      ],
      'whose cancellation is requested': [
        { coin_moves: { ...move, cancel_wanted_at: 'now' }, authorizations: { move_id: ID, nonce: NONCE } },
        own('before, QUEUED'),
      ],
      'that was cancelled': [
        { ...ended('release'), payments: { state: 'CANCELLED' } },
        own('before, CANCELLED').replace('QUEUED', 'CANCELLED'),
      ],
      'that is complete': [
        { ...ended('post'), payments: { state: 'COMPLETE' } },
        own('payment.ended, COMPLETE').replace('QUEUED', 'COMPLETE'),
      ],
      'that has failed': [
        { ...ended('release'), payments: { state: 'FAILED' } },
        own('payment.ended, FAILED').replace('QUEUED', 'FAILED'),
      ],
      'of the treasury': [
        { accounts: { kind: 'treasury', user_id: null } },
        by ? 'transaction.unknown, QUEUED' : 'released, CANCELLED',
      ],
      'that does not exist': [{ transfers: null, payments: null }, 'transaction.unknown, undefined'],
    },
  };
};

const ofMove = {
  moveId: ID,
  purpose: 'send' as const,
  walletId: WALLET,
  toWallet: null,
  funds: null,
  settlementId: null,
  amount: 5n,
  state: 'open' as const,
};
const log = { kind: 'transfer' as const, txHash: '0x7' as Hex, amount: 5n, to: TO as Hex, blockNumber: 9n };
const apply = (logs: Partial<AssetLogs>): Decision['calls'] => [
  async (db) => {
    const none = {
      asset: { assetId: 9 },
      heldBefore: [],
      heldNow: [],
      seen: [],
      canceled: [],
      recovered: new Set<string>(),
    };
    await db.tx((tx) => applyLogs(tx, networkOf({}), [{ ...none, ...logs } as unknown as AssetLogs], new Map()));
    const [row] = await db.query<{ said: string }>(
      `SELECT (SELECT state || coalesce(' ' || tx_hash, '') FROM payments) || coalesce((SELECT ', paused: ' || regexp_replace(reason, ':.*', '') FROM pauses), '') AS said`,
    );
    return row!.said;
  },
];
const paying: Decision = {
  of: 'what a final transfer means for its payment: applyLogs',
  rows: { ...accepted, payments: { ...accepted.payments, state: 'SENT' }, coin_moves: move },
  calls: apply({ seen: [{ move: ofMove, log, isHeld: false, ordinal: 0 } as unknown as AssetLogs['seen'][number]] }),
  cases: {
    'that is sent': [{}, 'COMPLETE 0x7'],
    'that is complete': [{ ...ended('post'), payments: { state: 'COMPLETE', tx_hash: '0x7' } }, 'COMPLETE 0x7'],
    'whose hold was released': [
      { ...ended('release'), payments: { state: 'CANCELLED' } },
      'CANCELLED, paused: paid although its hold was released',
    ],
  },
};
const uncertain: Decision = {
  of: 'what a final cancellation means for its payment: applyLogs',
  rows: {
    ...accepted,
    payments: { ...accepted.payments, state: 'SENT' },
    coin_moves: { ...move, state: 'dead', reserved: 0 },
  },
  calls: apply({ canceled: [{ move: ofMove, txHash: '0x7' }] }),
  cases: {
    'that is sent': [{}, 'CANCELLED 0x7'],
    'whose hold was posted': [
      { ...ended('post'), payments: { state: 'COMPLETE' } },
      'COMPLETE, paused: cancelled on chain although it was paid',
    ],
  },
};

export const sendCallDecisions: readonly Decision[] = [
  recognizing,
  ...requests,
  cancelling(ME, ''),
  cancelling(undefined, ''),
  cancelling(OTHER, 'transaction.unknown, QUEUED'),
  paying,
  uncertain,
];
