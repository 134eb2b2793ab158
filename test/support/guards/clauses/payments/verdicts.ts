/** Decisions that operators make about money: lost transfers, unexplained coins, corrections and debts. */
import { loginOf } from '../../../operators.ts';
import { asOperator } from '../asOperator.ts';
import { accepted, FROM, hold, move, post, release, TO } from '../custodyWorld.ts';
import type { Decision, Rows } from '../decide.ts';
import { ID, KEY, MOVE, OTHER, WALLET } from '../ids.ts';

const [ANNA, RITA] = [loginOf('anna'), loginOf('rita')] as const;
const YOURS = `0x${'3'.repeat(40)}`;
export const operators: Rows = {
  operators: { name: ANNA, role: 'admin', added_at: '2020-01-01' },
  'operators 2': { name: RITA, role: 'admin', added_at: '2020-01-01' },
};
const NOT_ALLOWED = /which may not do this/;
const UNNAMED = /not an operator who may approve/;

const held = {
  ...{ move_id: ID, key: ID, provider: 'local', provider_id: null, provider_state: 'submitted', attempts: 1 },
  held_at: '2020-01-02',
};
const proposal = {
  ...{ decision_id: KEY, move_id: ID, verdict: 'adopt', provider_id: 'q', reason: 'x' },
  ...{ proposed_by: RITA, proposed_at: '2020-01-03' },
};
const TRANSFER = `SELECT provider_state || coalesce(' ' || provider_id, '') || CASE WHEN held_at IS NULL THEN '' ELSE ' held' END AS said FROM provider_transfers`;
const proposing: Decision = {
  of: 'whether an end of a transfer is proposed: propose_transfer_end',
  rows: { ...operators, provider_transfers: held },
  calls: [asOperator('anna', `SELECT propose_transfer_end('${KEY}', '${ID}', 'never_made', NULL, 'x') AS said`)],
  cases: {
    'that is held': [{}, 'proposed'],
    'that is not held': [{ provider_transfers: { held_at: null } }, 'unknown'],
    'that has failed': [{ provider_transfers: { provider_state: 'failed', ended_head: 1 } }, 'unknown'],
    'of another move': [{ provider_transfers: { move_id: OTHER } }, 'unknown'],
    'by support': [{ operators: { role: 'support' } }, UNNAMED],
  },
};
const adopting: Decision = {
  of: 'whether an end of a transfer is decided: approve_transfer_end',
  rows: { ...operators, provider_transfers: held, transfer_decisions: proposal },
  calls: [asOperator('anna', `SELECT approve_transfer_end('${KEY}') AS said`, TRANSFER)],
  cases: {
    'that was adopted': [{}, 'decided, submitted q'],
    'that was never made': [
      { transfer_decisions: { verdict: 'never_made', provider_id: null } },
      'decided, submitted held',
    ],
    'that was decided before': [
      { transfer_decisions: { approved_by: 'x', decided_at: 'now' } },
      'unknown, submitted held',
    ],
    'that is not proposed': [{ transfer_decisions: { decision_id: OTHER } }, 'unknown, submitted held'],
    'that was proposed before it was held': [
      { transfer_decisions: { proposed_at: '2020-01-01' }, 'operators 2': { added_at: '2019-01-01' } },
      'unknown, submitted held',
    ],
    'that is no longer held': [{ provider_transfers: { held_at: null } }, 'unknown, submitted'],
    'that has failed': [{ provider_transfers: { provider_state: 'failed', ended_head: 1 } }, 'unknown, failed held'],
    'after another decision': [
      { 'transfer_decisions 2': { ...proposal, decision_id: OTHER, approved_by: 'x', decided_at: '2020-01-04' } },
      /already been decided by two operators/,
    ],
    'after a decision before it was held': [
      { 'transfer_decisions 2': { ...proposal, decision_id: OTHER, approved_by: 'x', decided_at: '2020-01-01' } },
      'decided, submitted q',
    ],
    'that was proposed by the same operator': [{ transfer_decisions: { proposed_by: ANNA } }, /two_people/],
    'that was proposed by support': [{ 'operators 2': { role: 'support' } }, UNNAMED],
    'by support': [{ operators: { role: 'support' } }, UNNAMED],
  },
  waitsFor: ['that was decided before', 'that is no longer held'],
};

const coins = {
  ...{ asset_id: 9, tx_hash: '0x1', log_index: 3, wallet_id: WALLET, to_address: TO, amount: 4 },
  ...{ block_number: 7, block_hash: '0x2' },
};
const SETTLES = Buffer.concat([Buffer.from('florin-settle-01'), Buffer.from(MOVE.replaceAll('-', ''), 'hex')]);
const nonce = (value: Buffer): Rows => ({
  forgotten_nonces: { asset_id: 9, tx_hash: '0x1', log_index: 3, nonce: value, kind: 'used' },
});
const toUs = { to_address: YOURS, to_wallet: OTHER, ordinal: 0, deposit_id: KEY };
const lost: Rows = {
  ...accepted,
  ...operators,
  transfers: null,
  payments: null,
  accounts: { ...accepted.accounts, held: 0, available: 9 },
  'accounts 3': { account_id: 9003, asset_id: 9, kind: 'loss', tier: 0 },
  'accounts 4': { account_id: 9004, asset_id: 9, kind: 'treasury', tier: 0 },
  unexplained_moves: coins,
  pauses: { scope: 'chain:HERE', cause: 'unexplained', stops: 'accepting and signing' },
};
/** Balances of the person, the chain, losses and the treasury, what explains the coins, and whether sends are paused. */
const BOOKS = `SELECT (SELECT string_agg(available::text, ' ' ORDER BY account_id) FROM accounts WHERE account_id > 9000)
  || coalesce((SELECT ', ' || CASE imported_as WHEN '${ID}' THEN 'paid' WHEN '${MOVE}' THEN 'settled' ELSE 'booked' END FROM unexplained_moves WHERE imported_as IS NOT NULL), '')
  || CASE WHEN EXISTS (SELECT FROM pauses) THEN ', paused' ELSE '' END || coalesce((SELECT ', owes ' || amount FROM debts), '') AS said`;
const STAYS = '9 0 0 0, paused';
const another: Rows = { 'unexplained_moves 2': { ...coins, log_index: 4 } };
const shared = (said: string, unknown: string): Decision['cases'] => ({
  'that left without an explanation': [{}, said],
  'while others have none': [another, `${said}, paused`],
  'while others of another blockchain have none': [
    {
      'networks 2': { network_id: 8, blockchain: 'THERE' },
      'assets 2': { asset_id: 8, network_id: 8, symbol: 'USDC' },
      'unexplained_moves 2': { ...coins, asset_id: 8 },
    },
    said,
  ],
  'that are not known': [{ unexplained_moves: { tx_hash: '0x9' } }, `${unknown}, ${STAYS}`],
  'of another log': [{ unexplained_moves: { log_index: 9 } }, `${unknown}, ${STAYS}`],
});
const bearing: Decision = {
  of: 'whether the service bears the loss of coins: explain_loss',
  rows: lost,
  hasTriggers: true,
  calls: [asOperator('anna', `SELECT explain_loss(9::smallint, '0x1', 3) AS said`, BOOKS)],
  cases: {
    ...shared('true, 9 4 -4 0, booked', 'false'),
    'that were imported': [{ unexplained_moves: { imported_as: MOVE } }, 'false, 9 0 0 0, settled, paused'],
    'that went to a wallet of ours': [{ unexplained_moves: toUs }, `false, ${STAYS}`],
    'that were a settlement': [nonce(SETTLES), `false, ${STAYS}`],
    'under a nonce of a payment': [nonce(Buffer.alloc(32, 1)), 'true, 9 4 -4 0, booked'],
    'by an operator of risk': [{ operators: { role: 'risk' } }, NOT_ALLOWED],
  },
  waitsFor: ['that were imported'],
};
const settling: Decision = {
  of: 'whether coins were a settlement: explain_settlement',
  rows: { ...lost, unexplained_moves: { ...coins, ...toUs } },
  hasTriggers: true,
  calls: [
    asOperator(
      'anna',
      `SELECT explain_settlement(9::smallint, '0x1', 3) AS said`,
      `${BOOKS.replace(' AS said', '')} || coalesce((SELECT ', ' || rail || ' ' || state FROM coin_moves), '') AS said`,
    ),
  ],
  cases: {
    'to a wallet of ours': [{}, 'true, 9 0 0 0, booked, provider done'],
    'to a wallet of ours, under its nonce': [nonce(SETTLES), 'true, 9 0 0 0, settled, eip3009 done'],
    'to an address': [
      { unexplained_moves: { to_address: TO, to_wallet: null, ordinal: null, deposit_id: null } },
      `false, ${STAYS}`,
    ],
    'that were imported': [{ unexplained_moves: { imported_as: ID } }, 'false, 9 0 0 0, paid, paused'],
    'by an operator of risk': [{ operators: { role: 'risk' } }, NOT_ALLOWED],
  },
};
const PAYMENT = `${BOOKS.replace(' AS said', '')} || coalesce((SELECT ', ' || state || ' ' || tx_hash FROM payments), '') AS said`;
const importing: Decision = {
  of: 'whether coins are imported as a payment: import_payment',
  rows: lost,
  hasTriggers: true,
  calls: [
    asOperator(
      'anna',
      `SELECT outcome || coalesce(' ' || (details->>'owes'), '') AS said FROM import_payment('${ID}', gen_random_uuid(), 9::smallint, '0x1', 3)`,
      PAYMENT,
    ),
  ],
  cases: {
    ...shared('applied, 5 4 0 0, paid', 'unknown'),
    'that left without an explanation': [{}, 'applied, 5 4 0 0, paid, COMPLETE 0x1'],
    'while others have none': [another, 'applied, 5 4 0 0, paid, paused, COMPLETE 0x1'],
    'while others of another blockchain have none': [
      {
        'networks 2': { network_id: 8, blockchain: 'THERE' },
        'assets 2': { asset_id: 8, network_id: 8, symbol: 'USDC' },
        'unexplained_moves 2': { ...coins, asset_id: 8 },
      },
      'applied, 5 4 0 0, paid, COMPLETE 0x1',
    ],
    'beyond the balance': [{ accounts: { available: 1 } }, 'applied 3, 0 4 -3 0, paid, owes 3, COMPLETE 0x1'],
    'of the treasury': [
      { wallets: { kind: 'treasury', user_id: null }, 'wallets 2': null, 'accounts 4': { available: 9 } },
      'applied, 9 4 0 5, paid, COMPLETE 0x1',
    ],
    'that went to a wallet of ours': [{ unexplained_moves: toUs }, 'applied, 5 0 0 4, paid, COMPLETE 0x1'],
    'that went to a wallet that is still read': [{ unexplained_moves: { to_address: YOURS } }, `waits, ${STAYS}`],
    'that went to a wallet that is still read, and were credited': [
      {
        unexplained_moves: { to_address: YOURS },
        deposits: {
          ...{ asset_id: 9, tx_hash: '0x1', wallet_id: OTHER, ordinal: 0, amount: 4, log_index: 3 },
          from_address: FROM,
        },
      },
      'applied, 5 4 0 0, paid, COMPLETE 0x1',
    ],
    'that were a settlement': [nonce(SETTLES), `settlement, ${STAYS}`],
    'that were imported': [{ unexplained_moves: { imported_as: MOVE } }, 'applied, 9 0 0 0, settled, paused'],
    'by an operator of risk': [{ operators: { role: 'risk' } }, NOT_ALLOWED],
  },
  waitsFor: ['that were imported'],
};

const correction = {
  correction_id: KEY,
  asset_id: 9,
  wallet_id: null,
  amount: 4,
  reason: 'x',
  proposed_by: RITA,
  proposed_at: '2020-01-02',
};
const booked = { ...correction, correction_id: OTHER, wallet_id: WALLET, approved_by: 'x', booked_at: 'now' };
const MAKES_A_DIFFERENCE = /would create a difference/;
const correcting: Decision = {
  of: 'how a correction of 4 is booked: book_correction',
  rows: {
    ...lost,
    ...{ unexplained_moves: null, pauses: null },
    holdings: { asset_id: 9, wallet_id: WALLET, coins: 9 },
    corrections: correction,
  },
  hasTriggers: true,
  calls: [
    asOperator(
      'anna',
      `SELECT book_correction('${KEY}', EXISTS (SELECT FROM corrections WHERE reason = 'forced')) AS said`,
      `${BOOKS.replace(' AS said', '')} || (SELECT ', coins ' || coins FROM holdings WHERE wallet_id = '${WALLET}') AS said`,
    ),
  ],
  cases: {
    'without a wallet': [{}, 'booked, 9 -4 4 0, coins 9'],
    'of the whole difference': [{ holdings: { coins: 4 } }, 'booked, 9 -4 4 0, coins 4'],
    'of more than the difference': [{ holdings: { coins: 3 } }, MAKES_A_DIFFERENCE],
    'of more than the difference, forced': [
      { holdings: { coins: 3 }, corrections: { reason: 'forced' } },
      'booked, 9 -4 4 0, coins 3',
    ],
    'in the other direction': [{ corrections: { amount: -4 } }, MAKES_A_DIFFERENCE],
    'in the other direction, forced': [{ corrections: { amount: -4, reason: 'forced' } }, 'booked, 9 4 -4 0, coins 9'],
    'of a person, a second time': [
      { corrections: { wallet_id: WALLET }, 'corrections 2': booked },
      /repeats another one/,
    ],
    'of a person, a second time, forced': [
      { corrections: { wallet_id: WALLET, reason: 'forced' }, 'corrections 2': booked },
      'booked, 13 0 -4 0, coins 9',
    ],
    'of a person, after another amount': [
      { corrections: { wallet_id: WALLET }, 'corrections 2': { ...booked, amount: 5 } },
      'booked, 13 0 -4 0, coins 9',
    ],
    'of a person, while the same waits': [
      { corrections: { wallet_id: WALLET }, 'corrections 2': { ...booked, approved_by: null, booked_at: null } },
      'booked, 13 0 -4 0, coins 9',
    ],
    'of a person': [{ corrections: { wallet_id: WALLET } }, 'booked, 13 0 -4 0, coins 9'],
    'against a person': [{ corrections: { wallet_id: WALLET, amount: -4 } }, 'booked, 5 0 4 0, coins 9'],
    'against a person who has less': [
      { corrections: { wallet_id: WALLET, amount: -4 }, accounts: { available: 3 } },
      'insufficient, 3 0 0 0, coins 9',
    ],
    'of a person, with coins that were found': [
      {
        corrections: { wallet_id: WALLET },
        drifts: { asset_id: 9, subject: `wallet ${WALLET}`, difference: 4, looks: 2 },
      },
      'booked, 13 -4 0 0, coins 13',
    ],
    'of a person, with coins that were found once': [
      {
        corrections: { wallet_id: WALLET },
        drifts: { asset_id: 9, subject: `wallet ${WALLET}`, difference: 4, looks: 1 },
      },
      'booked, 13 0 -4 0, coins 9',
    ],
    'that was booked before': [{ corrections: { approved_by: 'x', booked_at: 'now' } }, 'unknown, 9 0 0 0, coins 9'],
    'that is not proposed': [{ corrections: { correction_id: OTHER } }, 'unknown, 9 0 0 0, coins 9'],
    'that was proposed by the same operator': [{ corrections: { proposed_by: ANNA } }, /two_people/],
    'that was proposed by support': [{ 'operators 2': { role: 'support' } }, UNNAMED],
    'by support': [{ operators: { role: 'support' } }, UNNAMED],
  },
  waitsFor: ['that was booked before', 'of a person'],
};

const collecting: Decision = {
  of: 'how much of a debt of 5 is collected: collect_debt',
  rows: { ...lost, unexplained_moves: null, pauses: null, debts: { payment_id: ID, account_id: 9001, amount: 5 } },
  calls: [
    asOperator(
      'anna',
      `SELECT collect_debt('${ID}') AS said`,
      `${BOOKS.replace(' AS said', '')} || (SELECT ', collected ' || collected FROM debts) AS said`,
    ),
  ],
  cases: {
    'of a person who has more': [{}, '5, 4 0 5 0, owes 5, collected 5'],
    'of a person who has less': [{ accounts: { available: 3 } }, '3, 0 0 3 0, owes 5, collected 3'],
    'of a person who has nothing': [{ accounts: { available: 0 } }, '0, 0 0 0 0, owes 5, collected 0'],
    'that is collected in part': [{ debts: { collected: 3 } }, '2, 7 0 2 0, owes 5, collected 5'],
    'that is collected': [{ debts: { collected: 5 } }, '0, 9 0 0 0, owes 5, collected 5'],
    'that does not exist': [{ debts: { payment_id: OTHER } }, ', 9 0 0 0, owes 5, collected 0'],
    'by an operator of risk': [{ operators: { role: 'risk' } }, NOT_ALLOWED],
  },
  waitsFor: ['that is collected in part', 'of a person who has less'],
};

const releasing = (state: string, cases: Decision['cases']): Decision => ({
  of: `whether an operator ends a payment as ${state}: payment_release`,
  rows: { ...accepted, ...operators, accounts: { ...accepted.accounts, available: 9, entries: 7 } },
  hasTriggers: true,
  calls: [
    asOperator(
      'anna',
      `SELECT payment_release('${ID}', '${KEY}', '${state}', 'why', NULL) AS said`,
      `SELECT (SELECT state || coalesce(' ' || error_reason, '') FROM payments) || (SELECT ', ' || available || ' ' || held FROM accounts WHERE account_id = 9001) AS said`,
    ),
  ],
  cases: {
    'that waits': [{}, `applied, ${state} why, 14 0`],
    'that was released before': [{ 'transfers 2': release, payments: { state: 'FAILED' } }, 'ended, FAILED, 9 5'],
    'that was paid': [{ 'transfers 2': post, payments: { state: 'COMPLETE' } }, 'ended, COMPLETE, 9 5'],
    'whose move is open': [{ coin_moves: move, 'holdings 2': null }, /may still be paid/],
    'whose id is used': [
      {
        'transfers 2': {
          ...hold,
          transfer_id: KEY,
          kind: 'user',
          debit_held: null,
          credit_entry: 1,
          credit_available: 1,
          seq: -2,
          debit_entry: 2,
        },
      },
      `applied, ${state} why, 14 0`,
    ],
    ...cases,
  },
});
const releasings: readonly Decision[] = [
  releasing('FAILED', { 'by an operator of risk': [{ operators: { role: 'risk' } }, NOT_ALLOWED] }),
  releasing('DENIED', {
    'by an operator of risk': [{ operators: { role: 'risk' } }, 'applied, DENIED why, 14 0'],
    'by an operator of support': [{ operators: { role: 'support' } }, NOT_ALLOWED],
  }),
  releasing('CANCELLED', {
    'by an operator of support': [{ operators: { role: 'support' } }, 'applied, CANCELLED why, 14 0'],
  }),
];

export const verdictDecisions: readonly Decision[] = [
  proposing,
  adopting,
  bearing,
  settling,
  importing,
  correcting,
  collecting,
  ...releasings,
];
