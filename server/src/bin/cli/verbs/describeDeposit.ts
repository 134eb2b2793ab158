import { formatUsdc } from '../../../core/money.ts';
import type { FoundDeposit } from '../../../custody/watch/findDeposits.ts';
import { renderTime, renderUsdc } from '../../program/render.ts';

const STATES: Readonly<Record<FoundDeposit['state'], string>> = {
  credited: 'credited',
  pending: 'seen; it is credited when its block is final',
  held: 'final; it is credited when the provider of the sending wallet has identified it',
  gone: 'its block is no longer part of the chain; the credit stands until an operator decides',
  lost: 'its block was replaced and the deposit is gone',
};

export const describeDeposit = (one: FoundDeposit): (readonly [string, string | undefined])[] => [
  ['deposit', one.paymentId ?? 'not credited yet'],
  ['state', STATES[one.state]],
  ['amount', `${renderUsdc(one.amount)} on ${one.blockchain}`],
  [
    'to',
    `${one.toAddress}, ${one.userId ? `${one.username ?? 'without a username'}, user ${one.userId}` : 'the treasury'}`,
  ],
  ['from', one.fromAddress],
  ['hash', one.txHash],
  // On blockchains that our nodes do not read, there is no block number.
  ['block', one.blockNumber > 0n ? String(one.blockNumber) : undefined],
  ['credited', one.creditedAt ? renderTime(one.creditedAt) : undefined],
];

export const depositToJson = (one: FoundDeposit) => ({
  transaction_id: one.paymentId,
  state: one.state,
  blockchain: one.blockchain,
  amount: formatUsdc(one.amount),
  from_address: one.fromAddress,
  to_address: one.toAddress,
  wallet_id: one.walletId,
  user_id: one.userId,
  username: one.username,
  tx_hash: one.txHash,
  block_number: one.blockNumber > 0n ? String(one.blockNumber) : null,
  credited_at: one.creditedAt,
});
