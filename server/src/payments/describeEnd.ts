import type { PaymentState } from '../core/payment.ts';

/**
 * What customers read about an unpaid end. The stored reasons are what the chain, the signer or a provider has said, or
 * an operator's own words, and are for operators. A reason that is not listed gets the general words of its state.
 */
const WORDS: readonly (readonly [stored: RegExp, shown: string])[] = [
  [/^cancelled before anything was signed$/, 'cancelled before anything was signed'],
  [/^cancelled on chain$/, 'cancelled on chain'],
  [/^cancelled; what was signed has lapsed unused$/, 'cancelled; what was signed has lapsed unused'],
  [/^cancelled by the provider of the wallet$/, 'cancelled by the provider of the wallet'],
  [/^the destination is blacklisted by the token$/, 'the token refuses payments to this address'],
  [/^the (?:funding )?wallet is blacklisted by the token$/, 'the token refuses payments from this wallet'],
  [
    /^(?:it could not be carried in time|its chain transaction ran out of gas)$/,
    'the blockchain did not take it in time',
  ],
  [/^(?:the signer refused|it was never signed)/, 'it could not be signed'],
  [/^the provider of the wallet could not send it/, 'the provider of the wallet could not send it'],
];

const GENERAL: Readonly<Partial<Record<PaymentState, string>>> = {
  FAILED: 'it could not be sent',
  DENIED: 'the operator of this service has denied it',
  CANCELLED: 'it was cancelled',
};

export const describeEnd = (state: PaymentState, stored: string | null): string | null =>
  stored === null ? null : (WORDS.find(([pattern]) => pattern.test(stored))?.[1] ?? GENERAL[state] ?? null);
