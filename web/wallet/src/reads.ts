/** The reads of screens, each under one name, so that an event refreshes the data wherever it is shown. */
import type { BackendTypes, Transaction } from '@florin/client';
import { seed, useResource } from './resource.ts';
import { florin } from './session.ts';

const take = async <T>(items: AsyncIterable<T>, most: number): Promise<T[]> => {
  const taken: T[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= most) break;
  }
  return taken;
};

const readOverview = () => florin.overview();
export const useOverview = () => useResource('overview', readOverview);
/** The first overview comes with the session. */
export const seedOverview = (overview: BackendTypes['schemas']['OwnOverview']): void =>
  seed('overview', readOverview, overview);
export const useMe = () => useResource('me', () => florin.me());
export const useRecipients = () => useResource('recipients', () => take(florin.recipients({ limit: 20 }), 20));
export const useSessions = () => useResource('sessions', () => florin.sessions.list());
export const usePasskeys = () => useResource('passkeys', () => florin.passkeys.list());
export const useKeys = () => useResource('keys', () => florin.keys.list());
export const usePayment = (id: string) => useResource(`payment ${id}`, () => florin.getTransaction(id));
/** The answer to a payment shows it immediately, however slow the network is. */
export const seedPayment = (payment: Transaction): void => {
  const { transaction_id: id } = payment;
  seed(`payment ${id}`, () => florin.getTransaction(id), payment);
};
export const useRequest = (id: string) => useResource(`request ${id}`, () => florin.requests.get(id));

export const useOpenRequests = () =>
  useResource('requests open', () => take(florin.requests.list({ direction: 'incoming', state: 'open' }), 50));
export const useRequests = (direction: 'incoming' | 'outgoing') =>
  useResource(`requests ${direction}`, () => take(florin.requests.list({ direction }), 100));
