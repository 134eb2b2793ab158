import type { Transaction } from '@florin/client';
import { isolate, t } from '../text/text.ts';
import { isAddress, shorten } from './addresses.ts';

type Party = Transaction['from'];

let serviceName: string | undefined;
/** The page says at its start what the service is called. */
export const setServiceName = (name: string): void => {
  serviceName = name;
};
const nameService = (): string => serviceName ?? t('service');

interface Described {
  readonly isIncoming: boolean;
  /** The other side: a username without its @, an address, or empty. */
  readonly other: string;
  readonly title: string;
  readonly isOpen: boolean;
  /** The payment did not happen: the amount was returned. */
  readonly isVoid: boolean;
  /** A booking by the service; no one paid anyone. */
  readonly isBooking: boolean;
  /** It gives another payment back, in whole or in part. */
  readonly isRefund: boolean;
}

/** New coins come from the zero address, which belongs to no one. */
const ZERO_ADDRESS = /^0x0{40}$/;

const nameOf = (party: Party): string =>
  ('username' in party ? (party.username ?? '') : 'address' in party ? (party.address ?? '') : '').replace(
    ZERO_ADDRESS,
    '',
  );

export const showParty = (name: string): string =>
  name === '' ? t('someone') : isolate(isAddress(name) ? shorten(name) : `@${name}`);

/** Bookings of the service without a payment: its own side is an address that is null. */
const isBooking = ({ kind }: Transaction): boolean => kind === 'correction' || kind === 'debt';

export function describePayment(payment: Transaction, own: string | null): Described {
  const isIncoming = isBooking(payment)
    ? 'address' in payment.from
    : payment.kind === 'deposit' ||
      ('username' in payment.to && payment.to.username === own && nameOf(payment.from) !== own);
  const side = isIncoming ? payment.from : payment.to;
  const other = nameOf(side);
  const isVoid = ['FAILED', 'DENIED', 'CANCELLED'].includes(payment.state);
  return {
    isIncoming,
    other,
    title: 'service' in side && side.service ? nameService() : titleOf(payment, other),
    isOpen: !isVoid && payment.state !== 'COMPLETE',
    isVoid,
    isBooking: isBooking(payment),
    isRefund: payment.refund_of !== undefined,
  };
}

function titleOf({ kind }: Transaction, other: string): string {
  if (kind === 'correction' || kind === 'debt') return t(kind);
  return other === '' && kind === 'deposit' ? t('deposit') : showParty(other);
}

/** One side of a payment, as a receipt names it: the service, a person, or a whole address. */
export function showSide(side: Party, { kind }: Transaction): string {
  if ('service' in side && side.service) return nameService();
  const name = nameOf(side);
  if (name !== '') return isAddress(name) ? name : showParty(name);
  if (kind === 'deposit') return t('deposit');
  return kind === 'correction' || kind === 'debt' ? nameService() : t('someone');
}

/** A few words about the state of a payment. */
export function describeState(payment: Transaction, isIncoming: boolean): string {
  if (payment.state === 'COMPLETE') {
    if (payment.kind === 'deposit') return t('state.deposit');
    if (payment.refund_of !== undefined) return t(isIncoming ? 'state.refunded' : 'state.gaveBack');
    if (isBooking(payment)) return t(isIncoming ? 'state.credited' : 'state.debited');
    return t(isIncoming ? 'state.received' : 'state.paid');
  }
  return t(`state.${payment.state}`);
}
