/** The signer's interface for the other processes. */

import type { Bid, Hex, ProviderAnswer, SignedRelayTx } from './ports.ts';
import type { Arrival, ArrivalPage, Balance } from './providerSays.ts';
import type { Sender } from './providers.ts';

type Answer<T> = ProviderAnswer<T, string>;

/** Why the signer did not sign one of the requested items. */
export interface SigningRefusal {
  readonly id: string;
  readonly reason: string;
  /** A pause or a limit prevents signing now. It may be signed later. */
  readonly isForNow: boolean;
  /** It only waits for the provider's rate limiter. It may be requested again immediately. */
  readonly isNext?: true;
}

/**
 * The only process that holds keys. It takes ids, never destinations or amounts: it reads what was committed under
 * them, checks it against its rules, signs it, and commits the signature before it answers. *Unknown* means that it may
 * have signed. Asking again is safe, because it signs nothing else.
 */
export interface Signer {
  /** Checks that the signer is running and able to sign. */
  check(): Promise<Answer<object>>;
  /** Creates the wallet of a person, or finds the existing one. */
  makeWallet(userId: string): Promise<Answer<{ readonly walletId: string; readonly address: string }>>;
  /** Returns the wallet of the relayer with this number. */
  findRelayer(number: number): Promise<Answer<{ readonly reference: string; readonly address: Hex }>>;
  /**
   * The signatures are valid until this chain time, which the signer limits. Every move that is not refused is signed,
   * or another process has signed or ended it in the meantime.
   */
  signAuthorizations(
    moveIds: readonly string[],
    validBeforeSeconds: bigint,
  ): Promise<Answer<{ readonly refused: readonly SigningRefusal[] }>>;
  signCancellations(moveIds: readonly string[]): Promise<Answer<{ readonly refused: readonly SigningRefusal[] }>>;
  /**
   * Signs the current content of the relay transaction at this bid, which the signer limits. `headNumber` is only
   * recorded.
   */
  signRelayTx(relayTxId: string, bid: Bid, headNumber: bigint): Promise<Answer<SignedRelayTx>>;
  /**
   * Has the providers of wallets send committed moves, given by their ids. The signer first searches for a transfer that
   * may have been sent before. It cancels only moves whose cancellation was requested.
   */
  readonly transfers: Sender<string>;
  /** On an unwatched chain: lists the arrivals since this time, page by page. */
  listArrivals(blockchain: string, since: string, after?: string): Promise<Answer<ArrivalPage>>;
  findArrival(blockchain: string, providerId: string): Promise<Answer<Arrival>>;
  /** Returns the balance of our wallet there. */
  readBalance(blockchain: string, currency: string, walletId: string): Promise<Answer<Balance>>;
  /** Fetches a key that the party of an adapter signs webhooks with, and stores it. Rejected: it has no such key. */
  fetchWebhookKey(adapter: string, keyId: string): Promise<Answer<object>>;
}

/**
 * The signer's protocol: one JSON call per method of the port (`submitTransfer`: `transfers.submit`), and the processes
 * that may call it.
 */
export const SIGNER_CALLS = {
  check: ['server', 'worker'],
  makeWallet: ['server', 'worker'],
  findRelayer: ['worker'],
  signAuthorizations: ['worker'],
  signCancellations: ['worker'],
  signCarrier: ['worker'],
  submitTransfer: ['worker'],
  findTransfer: ['worker'],
  cancelTransfer: ['worker'],
  accelerateTransfer: ['worker'],
  listArrivals: ['worker'],
  findArrival: ['worker'],
  readBalance: ['worker'],
  fetchWebhookKey: ['server'],
} as const satisfies Record<string, readonly SignerCaller[]>;

/** Each caller has its own token. */
export type SignerCaller = 'server' | 'worker';

export const MAX_IDS_PER_CALL = 200;
/** Limits requests and answers. Enough for some hundred ids, or for the bytes of a full relay transaction. */
export const MAX_CALL_BYTES = 1_048_576;
