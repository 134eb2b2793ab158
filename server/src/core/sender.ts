/** The ports of transfers that a provider sends by itself. */
import type { ProviderAnswer } from './ports.ts';
import type { Arrival, ArrivalPage, Balance, ProviderTransfer, SearchSpan, Taken } from './providerSays.ts';

type Answer<T> = ProviderAnswer<T, string>;

/**
 * Sends transfers by itself. Two parties do: a provider, to which the signer passes the whole request, and the signer,
 * to which a worker passes only the id of a committed move. *Unknown*: it may have received the request.
 */
export interface Sender<Request, Sent = Request> {
  /**
   * Rejected: no transfer was ever made under this key, and none will be. Unknown with `isUndone`: nothing was done
   * yet, and the same request may be accepted later.
   */
  submit(transfer: Request): Promise<Answer<ProviderTransfer> | Undone>;
  /** Returns the current report. Rejected: the provider does not know the transfer, or its id belongs to another one. */
  find(transfer: Sent): Promise<Answer<ProviderTransfer>>;
  /** Accepted: the provider will try. `find` reports later whether the transfer was stopped. */
  cancel(transfer: Sent): Promise<Answer<object>>;
  /** Requests a higher fee. */
  accelerate(transfer: Sent): Promise<Answer<object>>;
}

interface Undone {
  readonly outcome: 'unknown';
  readonly cause: unknown;
  readonly isUndone: true;
}

/** A transfer as the signer requests it from a provider. */
export interface TransferRequest {
  /** The idempotency key: one transfer per key, no matter how often it is requested. */
  readonly key: string;
  readonly blockchain: string;
  /** The token's contract, in the blockchain's own notation. */
  readonly token: string;
  /** The wallet's reference, as in `AnyWallet.reference`. */
  readonly reference: string;
  readonly to: string;
  readonly amount: bigint;
}

/** A transfer that the provider has accepted. */
export interface SentTransfer extends TransferRequest {
  readonly providerId: string;
  /** The idempotency keys of these commands. A repeated command has the same key, the next command another one. */
  readonly cancelKey: string;
  readonly accelerateKey: string;
}

/**
 * A provider that sends by itself, as the signer calls it. Only the signer has its keys. It makes no decisions: see
 * `custody/signing`. Its methods may throw `service.unavailable` before anything was requested.
 */
export interface ProviderSender extends Sender<TransferRequest, SentTransfer> {
  /** The most commands per second that the provider accepts. */
  readonly perSecond: { readonly posts: number };
  /** How long the provider remembers a key. After that, the same key may create a second transfer. */
  readonly keyLifeMs: number;
  /** How many transfers from one wallet the provider accepts before the first of them is in a block. */
  queueOf(blockchain: string): number;
  /** Finds this request's transfer within `span`. Rejected: there is none. Unknown, too, while the search goes on. */
  search(request: TransferRequest, span?: SearchSpan): Promise<Answer<ProviderTransfer> | Taken>;
  /** Returns a page of the coins that arrived since this time, oldest first, starting after `after`. */
  listArrivals(blockchain: string, since: string, after?: string): Promise<Answer<ArrivalPage>>;
  /** Rejected: the provider does not know this id, or it is not an arrival. */
  findArrival(blockchain: string, providerId: string): Promise<Answer<Arrival>>;
  /** Returns the wallet's balance of this token, as the provider reports it. */
  readBalance(wallet: Omit<TransferRequest, 'key' | 'to' | 'amount'>): Promise<Answer<Balance>>;
}
