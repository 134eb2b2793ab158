/** The signer, as the other processes know it. */

import type { Bid, Hex, ProviderAnswer, SignedCarrier } from './ports.ts';
import type { Arrival, ArrivalPage, Balance, ProviderTransfer } from './providerSays.ts';

/** Who may hold the keys of wallets that sign and whose coins we carry: our own seed, or Circle. */
export const SIGNING_PROVIDERS = ['local', 'circle'] as const;
/** Circle, when it sends by itself: the signer asks it, and we carry nothing. */
export const SENDING_PROVIDERS = ['circle_send'] as const;
export const WALLET_PROVIDERS = [...SIGNING_PROVIDERS, ...SENDING_PROVIDERS] as const;
export type WalletProvider = (typeof WALLET_PROVIDERS)[number];

type Answer<T> = ProviderAnswer<T, string>;

/** Why one of the things that the signer was asked for is not signed. */
export interface SigningRefusal {
  readonly id: string;
  readonly reason: string;
  /** It may be signed later: a pause or a limit stands in its way. */
  readonly isForNow: boolean;
  /** It only waits for its turn at a provider: it may be asked for again at once. */
  readonly isNext?: true;
}

/**
 * The process that alone holds keys. It takes ids and never destinations or amounts: it reads from the database what was
 * committed under them, checks it against its rules, signs that, and commits the signature before it answers. *Unknown*
 * means that it may have signed; asking again is safe, because it signs nothing else.
 */
export interface Signer {
  /** Whether it is there and can work. */
  check(): Promise<Answer<object>>;
  /** Makes the wallet of a person, or finds it. */
  makeWallet(userId: string): Promise<Answer<{ readonly walletId: string; readonly address: string }>>;
  /** The wallet of the relayer with this number. */
  findRelayer(number: number): Promise<Answer<{ readonly reference: string; readonly address: Hex }>>;
  /**
   * Good until this time of the chain, which the signer bounds. What is not refused is signed, or somebody else has signed
   * or ended it meanwhile.
   */
  signAuthorizations(
    moveIds: readonly string[],
    validBeforeSeconds: bigint,
  ): Promise<Answer<{ readonly refused: readonly SigningRefusal[] }>>;
  signCancellations(moveIds: readonly string[]): Promise<Answer<{ readonly refused: readonly SigningRefusal[] }>>;
  /** What the carrier carries now, at this bid, which the signer bounds; `headNumber` is only written down. */
  signCarrier(carrierId: string, bid: Bid, headNumber: bigint): Promise<Answer<SignedCarrier>>;
  /**
   * Has the provider of the move's wallet send it, under the move's id; what may have been sent before is looked for first.
   * Rejected: the provider has never made it and never will.
   */
  submitTransfer(moveId: string): Promise<Answer<ProviderTransfer>>;
  /** What the provider says about it now. */
  findTransfer(moveId: string): Promise<Answer<ProviderTransfer>>;
  /** Only of a move that is to be cancelled. */
  cancelTransfer(moveId: string): Promise<Answer<object>>;
  accelerateTransfer(moveId: string, time: number): Promise<Answer<object>>;
  /** Where only a provider reads the chain: what has arrived there from this time on, page by page. */
  listArrivals(blockchain: string, since: string, after?: string): Promise<Answer<ArrivalPage>>;
  findArrival(blockchain: string, providerId: string): Promise<Answer<Arrival>>;
  /** What a wallet of ours has there. */
  readBalance(blockchain: string, walletId: string): Promise<Answer<Balance>>;
  /** Asks Circle for one of the keys that it signs webhooks with, and keeps it. Rejected: it has no such key. */
  fetchWebhookKey(keyId: string): Promise<Answer<object>>;
}

/** How the processes speak to it: one JSON call per method of the port, and who may use which. */
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

/** Each has a token of its own. */
export type SignerCaller = 'server' | 'worker';

export const MAX_IDS_PER_CALL = 200;
/** Requests and answers: some hundred ids, or the bytes of a full carrier. */
export const MAX_CALL_BYTES = 1_048_576;
