/**
 * Providers of wallets: the type of an adapter (`adapters/wallets/providers.ts` lists them), and the ports for
 * transfers.
 */
import type { KeyObject } from 'node:crypto';
import type { Keyring, ProviderAnswer, WalletSource } from './ports.ts';
import type { Arrival, ArrivalPage, Balance, ProviderTransfer, SearchSpan, Taken } from './providerSays.ts';

type Answer<T> = ProviderAnswer<T, string>;

/** How coins leave wallets: the wallet signs and our relayers broadcast (`eip3009`), or the provider sends by itself. */
export type RailName = 'eip3009' | 'provider';

/** Creates the wallets of one provider. */
export interface WalletMaker extends Pick<WalletSource, 'create' | 'referenceOf' | 'perSecond'> {
  readonly provider: string;
}

/** One outside party that holds keys. It may offer several providers: wallets that sign, and wallets that it sends from. */
export interface ProviderAdapter<Config> {
  /** Its folder, its webhook's path and its rate limits have this name. */
  readonly name: string;
  /** For messages to people. */
  readonly title: string;
  /** The providers that it offers, as `wallets.provider` names them, and the rail of each. */
  readonly rails: Readonly<Record<string, RailName>>;
  /** The most queries per second that the party answers, for all our processes together. */
  readonly lookupsPerSecond: number;
  /** The variables that choose the account, for messages to operators. */
  readonly accountVariables: string;
  /** Undefined: the party sends no messages, and is only asked. */
  readonly webhook?: ProviderWebhook;
  open(config: Config, app: AdapterApp): OpenAdapter;
  /** For `florin doctor`: returns a description of what works. Throws an error that `describeFault` can describe. */
  check(config: Config): Promise<string>;
  /** Describes a fault between the signer and this party; undefined for any other error. Never shows a key. */
  describeFault(error: unknown): ProviderFault | undefined;
}

export interface ProviderFault {
  readonly says: string;
  readonly fix: string;
  /** Waiting does not help: someone has to change something. */
  readonly isLasting: boolean;
}

export interface AdapterApp {
  /** All networks of the signer's configuration. */
  readonly networks: readonly { readonly blockchain: string; readonly chainId: number }[];
  /** Distinguishes installations that share an account at the party. */
  readonly seedFingerprint: string;
  /** Resolves when the rate limiter allows a query. Throws `service.unavailable` when too many wait. */
  takeLookup(priority: 'first' | 'yielding'): Promise<void>;
}

/** The parts of a configured party that the signer uses. Records are keyed by provider. */
export interface OpenAdapter {
  readonly keyrings: Readonly<Record<string, Keyring>>;
  readonly senders: Readonly<Record<string, ProviderSender>>;
  /** Wallets whose keys the signer cannot use and that settlements may go to. */
  readonly others: Readonly<Record<string, Pick<WalletSource, 'list'>>>;
  /** On blockchains that our nodes read. */
  readonly makers: Readonly<Record<string, WalletMaker>>;
  /** On unwatched chains, one per family of addresses. */
  readonly unwatchedMakers: readonly WalletMaker[];
  /** Finds a key that the party signs webhooks with, DER. Rejected: the party has no such key. */
  findWebhookKey?(keyId: string): Promise<ProviderAnswer<{ readonly publicKey: Buffer }, string>>;
  /**
   * Returns the account at the party that contains all our wallets. `known`: the account that the database is bound to;
   * then the party need not answer. Called before any other method.
   */
  choose(known: string | undefined, onMessage: (message: string) => void): Promise<string>;
}

/** Messages of a party that something has happened to a transfer. Their signatures are checked over the raw bytes. */
export interface ProviderWebhook {
  /** Undefined: the message is not signed. `invalid`: no signature can look like this. */
  readSignature(
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): WebhookSignature | 'invalid' | undefined;
  isSignedBy(key: KeyObject, signature: string, body: Uint8Array): boolean;
  /** Undefined: the message is about something else. */
  readTransfer(body: Uint8Array): { readonly provider: string; readonly providerId: string } | undefined;
}

interface WebhookSignature {
  readonly keyId: string;
  readonly signature: string;
}

/**
 * Sends transfers. Two parties implement this: a provider, to which the signer passes the whole request, and the
 * signer, to which a worker passes only the id of a committed move. *Unknown*: the request may have been received.
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
  /** Finds this request's transfer within `span`. Rejected if there is none. Unknown also while the search continues. */
  search(request: TransferRequest, span?: SearchSpan): Promise<Answer<ProviderTransfer> | Taken>;
  /** Returns a page of the coins that arrived since this time, oldest first, starting after `after`. */
  listArrivals(blockchain: string, since: string, after?: string): Promise<Answer<ArrivalPage>>;
  /** Rejected: the provider does not know this id, or it is not an arrival. */
  findArrival(blockchain: string, providerId: string): Promise<Answer<Arrival>>;
  /** Returns the wallet's balance of this token, as the provider reports it. */
  readBalance(wallet: Omit<TransferRequest, 'key' | 'to' | 'amount'>): Promise<Answer<Balance>>;
}
