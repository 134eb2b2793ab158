/** The arguments of `ledger_pay_batch`, built from payments as `payUsers` in server/src/payments/users builds them. */
import type { Value } from '../value.ts';

export interface PaymentBetween {
  readonly id: string;
  readonly debit: bigint;
  readonly credit: bigint;
  readonly amount: bigint;
  readonly from: string;
  readonly to: string;
  readonly keyed: boolean;
}

export function batchOf(asset: bigint, payments: readonly PaymentBetween[]): Record<string, Value> {
  const accounts = [...new Set(payments.flatMap(({ debit, credit }) => [debit, credit]))].sort((a, b) =>
    a < b ? -1 : 1,
  );
  const placeOf = (account: bigint): bigint => BigInt(accounts.indexOf(account) + 1);
  const sum = (of: (payment: PaymentBetween, account: bigint) => bigint): bigint[] =>
    accounts.map((account) => payments.reduce((total, payment) => total + of(payment, account), 0n));
  const out = sum(({ debit, amount }, account) => (debit === account ? amount : 0n));
  const into = sum(({ credit, amount }, account) => (credit === account ? amount : 0n));
  const sends = sum(({ debit }, account) => (debit === account ? 1n : 0n));
  const receives = sum(({ credit }, account) => (credit === account ? 1n : 0n));
  return {
    p_sessions: null,
    p_sessions_random: null,
    p_asset: asset,
    p_names: { sql: '(SELECT names_epoch FROM ledger_state)' },
    p_names_random: { sql: '(SELECT names_random FROM ledger_state)' },
    p_accounts: accounts,
    p_net: accounts.map((_, i) => into[i]! - out[i]!),
    p_out: out,
    p_sends: sends,
    p_touches: accounts.map((_, i) => sends[i]! + receives[i]!),
    p_lasts: accounts.map((account) =>
      BigInt(payments.findLastIndex(({ debit, credit }) => debit === account || credit === account) + 1),
    ),
    p_ids: payments.map(({ id }) => id),
    p_keyed: payments.map(({ keyed }) => keyed),
    p_debits: payments.map(({ debit }) => placeOf(debit)),
    p_credits: payments.map(({ credit }) => placeOf(credit)),
    p_amounts: payments.map(({ amount }) => amount),
    p_froms: payments.map(({ from }) => from),
    p_tos: payments.map(({ to }) => to),
    p_typed: payments.map(() => null),
  };
}
