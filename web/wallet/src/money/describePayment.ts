import type { Transaction } from '@florin/client';
import { isolate, t } from '../text/text.ts';
import { isAddress, shorten } from './addresses.ts';

type Party = Transaction['from'];

interface Described {
  readonly isIncoming: boolean;
  /** The other side: a username without its @, an address, or empty. */
  readonly other: string;
  readonly title: string;
  readonly isOpen: boolean;
  /** It did not happen: the amount is back. */
  readonly isVoid: boolean;
}

/** New coins come from the zero address: from nobody. */
const NOBODY = /^0x0{40}$/;

const nameOf = (party: Party): string =>
  ('username' in party ? (party.username ?? '') : 'address' in party ? (party.address ?? '') : '').replace(NOBODY, '');

export const showParty = (name: string): string =>
  name === '' ? t('somebody') : isolate(isAddress(name) ? shorten(name) : `@${name}`);

export function describePayment(payment: Transaction, own: string | null): Described {
  const isIncoming =
    payment.kind === 'deposit' ||
    ('username' in payment.to && payment.to.username === own && nameOf(payment.from) !== own);
  const other = nameOf(isIncoming ? payment.from : payment.to);
  const isVoid = ['FAILED', 'DENIED', 'CANCELLED'].includes(payment.state);
  return {
    isIncoming,
    other,
    title: other === '' && payment.kind === 'deposit' ? t('deposit') : showParty(other),
    isOpen: !isVoid && payment.state !== 'COMPLETE',
    isVoid,
  };
}

/** A few words about where a payment is. */
export function describeState(payment: Transaction, isIncoming: boolean): string {
  if (payment.state === 'COMPLETE') {
    if (payment.kind === 'deposit') return t('state.deposit');
    return t(isIncoming ? 'state.received' : 'state.paid');
  }
  return t(`state.${payment.state}`);
}
