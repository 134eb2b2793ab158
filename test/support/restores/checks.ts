import type { Person, Stage } from './stage.ts';

const USDC = 1_000_000n;

/** Returns the difference, if there is one. */
export function compare(what: string, found: readonly unknown[], expected: readonly unknown[]): string[] {
  const [one, other] = [found.map(String).join(' '), expected.map(String).join(' ')];
  return one === other ? [] : [`${what}: ${one} instead of ${other}`];
}

interface Send {
  readonly from: Person;
  /** Before it, in whole USDC. */
  readonly had: bigint;
  readonly destination: string;
  /** In whole USDC. */
  readonly amount: bigint;
  readonly paymentId: string;
}

export const checkPaidOnce = async (stage: Stage, { from, had, destination, amount, paymentId }: Send) => [
  ...compare('state', [await stage.stateOf(paymentId)], ['COMPLETE']),
  ...compare('available', await stage.available(from), [(had - amount) * USDC]),
  ...compare('transfers', await stage.paidTo(destination), [amount * USDC]),
];

export const checkUnpaid = async (stage: Stage, { from, had, destination, paymentId }: Omit<Send, 'amount'>) => [
  ...compare('state', [await stage.stateOf(paymentId)], ['CANCELLED']),
  ...compare('available', await stage.available(from), [had * USDC]),
  ...compare('transfers', await stage.paidTo(destination), []),
];
