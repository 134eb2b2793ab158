/** The types of the parties across a network. An adapter is a function that returns one of these objects. */

/** What an issuer vouches for. `issuer` is the name under which we keep its people; see `IssuerRule.identity`. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
}

interface Vouched {
  readonly identity: Identity;
  /** When nobody takes the token any more. */
  readonly expiresAt: Date;
}

export interface IdTokens {
  /** Throws `auth.invalid` with a reason, or `service.unavailable` when the issuer's keys cannot be had. */
  verify(idToken: string): Promise<Vouched>;
}

/**
 * Who a wallet belongs to, in words that outlive any database: a person of an issuer, or the service itself. Relayers
 * pay the gas of carriers and never hold USDC; they are numbered, so that there can be several.
 */
export type WalletOwner =
  | { readonly kind: 'user'; readonly issuer: string; readonly subject: string }
  | { readonly kind: 'treasury' }
  | { readonly kind: 'relayer'; readonly number: number };

export interface ProviderWallet {
  /** Who keeps its key. */
  readonly provider: string;
  /** What the provider needs to find the key again. */
  readonly reference: string;
  /** EIP-55 checksummed. */
  readonly address: Hex;
}

export interface Wallets {
  /** The same owner always gets the same wallet, however often and wherever this is called. */
  create(owner: WalletOwner): Promise<ProviderWallet>;
  /** The wallets behind references that a database remembers: what a restored one must agree with. */
  list(references: readonly string[]): Promise<readonly ProviderWallet[]>;
  /** Names the key material without revealing it; a database remembers which one it belongs to. */
  readonly fingerprint: string;
}

type Signed<T> = ProviderAnswer<T, string>;

/** Signs for wallets whose coins we carry ourselves. Whoever asks commits what was signed before anybody else sees it. */
export interface Signer {
  /** The 65 bytes r, s, v. Refuses an authorization whose `from` is not the wallet of that reference. */
  signAuthorization(
    reference: string,
    domain: TokenDomain,
    authorization: Authorization,
  ): Promise<Signed<{ readonly signature: Hex }>>;
  /** Signs away an authorization that was not used yet. */
  signCancellation(
    reference: string,
    domain: TokenDomain,
    authorizer: Hex,
    nonce: Hex,
  ): Promise<Signed<{ readonly signature: Hex }>>;
  /** The raw bytes to commit and then broadcast, and the hash they will have on chain. */
  signCarrier(reference: string, carrier: Carrier): Promise<Signed<SignedCarrier>>;
}

/** A transfer of a wallet whose provider sends by itself. */
export interface TransferRequest {
  /** The idempotency key: one transfer per key, however often it is asked for. */
  readonly key: string;
  readonly blockchain: string;
  readonly token: Hex;
  /** Of the wallet, as `ProviderWallet.reference`. */
  readonly reference: string;
  readonly to: Hex;
  readonly amount: bigint;
}

/** What the provider says about a transfer. `done`, too, is only its word: paid is what a final log says. */
export interface ProviderTransfer {
  readonly providerId: string;
  readonly state: 'submitted' | 'sent' | 'done' | 'failed' | 'cancelled';
  /** Undefined while the provider does not tell. It may name another one later. */
  readonly txHash: Hex | undefined;
  /** Why it failed. */
  readonly error: string | undefined;
}

/** A provider that makes transfers by itself. *Unknown* means that it may have heard us: it is asked again, same key. */
export interface Transfers {
  /** Rejected: nothing was ever made under this key, and nothing will be. */
  submit(request: TransferRequest): Promise<ProviderAnswer<ProviderTransfer, string>>;
  /** Rejected: the provider does not know it. */
  find(providerId: string): Promise<ProviderAnswer<ProviderTransfer, string>>;
  /** Accepted: it will try. Whether the transfer was stopped is what `find` says later. */
  cancel(providerId: string, key: string): Promise<ProviderAnswer<object, string>>;
  /** Asks for a higher fee. */
  accelerate(providerId: string, key: string): Promise<ProviderAnswer<object, string>>;
  /** Which transfer a webhook is about. Throws `auth.required` or `auth.invalid` unless the provider sent it. */
  parseWebhook(
    headers: Readonly<Record<string, string | string[] | undefined>>,
    body: Uint8Array,
  ): { readonly providerId: string | undefined };
}

export type Hex = `0x${string}`;

/** The EIP-712 domain of a USDC contract. The name differs from chain to chain: it is read, never assumed. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Hex;
}

/** An EIP-3009 `transferWithAuthorization`, before its signature. It executes when validAfter < time < validBefore. */
interface Authorization {
  readonly from: Hex;
  readonly to: Hex;
  readonly amount: bigint;
  readonly validAfterSeconds: bigint;
  readonly validBeforeSeconds: bigint;
  /** 32 bytes; the payment's id, hashed. */
  readonly nonce: Hex;
}

export interface SignedAuthorization extends Authorization {
  readonly signature: Hex;
}

/** A chain transaction of a relayer. */
interface Carrier {
  readonly chainId: number;
  readonly nonce: number;
  readonly to: Hex;
  readonly data: Hex;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

interface SignedCarrier {
  readonly raw: Hex;
  readonly hash: Hex;
}

export interface Block {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timeSeconds: bigint;
}

interface TokenLogPlace {
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly txHash: Hex;
  /** Position in the block. It moves when a reorg moves the chain transaction. */
  readonly logIndex: number;
}

/** What the USDC contract said. Addresses are checksummed. */
export type TokenLog = TokenLogPlace &
  (
    | { readonly kind: 'transfer'; readonly from: Hex; readonly to: Hex; readonly amount: bigint }
    | { readonly kind: 'used' | 'canceled'; readonly authorizer: Hex; readonly nonce: Hex }
  );

interface ChainTx {
  readonly hash: Hex;
  readonly from: Hex;
  readonly nonce: number;
  /** Undefined while it waits in a pool. */
  readonly blockHash: Hex | undefined;
  readonly blockNumber: bigint | undefined;
}

export interface Receipt {
  readonly hash: Hex;
  readonly isSuccess: boolean;
  readonly blockHash: Hex;
  readonly blockNumber: bigint;
  readonly gasUsed: bigint;
  /** Everything the sender paid, in wei; on a rollup with its share of the layer below. */
  readonly feeWei: bigint;
  /** Those of the USDC contract, in order. */
  readonly logs: readonly TokenLog[];
}

export type BroadcastRefusal =
  | 'nonce_too_low'
  | 'nonce_too_high'
  | 'replacement_underpriced'
  | 'underpriced'
  | 'fee_below_base'
  | 'insufficient_funds'
  | 'gas_limit'
  | 'pool_full'
  | 'invalid';

/**
 * What the nodes said about raw bytes. None of it proves anything about a payment: `rejected` means that no pool we
 * know took these bytes now; `unknown` means that somebody may have them.
 */
export type Broadcast =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'rejected'; readonly reason: BroadcastRefusal; readonly message: string }
  | { readonly outcome: 'unknown'; readonly message: string };

export interface Fees {
  readonly baseFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** Enough for six full blocks of rising base fee. */
  readonly maxFeePerGas: bigint;
}

export interface ContractCall {
  readonly to: Hex;
  readonly data: Hex;
}

/** Failed calls of a multicall are undefined, their neighbours are not. */
export type CallResult = Hex | undefined;

/**
 * One blockchain and its USDC. Whatever cannot be answered throws `service.unavailable`; nothing here is retried
 * beyond asking every configured endpoint once.
 */
export interface Chain {
  readonly blockchain: string;
  readonly chainId: number;
  readonly usdcAddress: Hex;
  /** Chain id, decimals, name and domain separator are as expected, or it throws an Error for the operator. */
  check(): Promise<TokenDomain>;
  getHead(): Promise<Block>;
  /** The newest block that is final by this chain's rule. */
  getFinalized(): Promise<Block>;
  /** A block of today's canonical chain, by number; or any block a node knows, by hash. */
  findBlock(at: bigint | Hex): Promise<Block | undefined>;
  /**
   * Transfers from and to these wallets and what became of their authorizations, from block `from` to block `to`
   * inclusive, in order. Only a node that has `to` as its canonical block is believed: one that lags would silently
   * leave out the end. `isDecisive`: money moves by them, so two nodes have to say the same where there are several.
   */
  listTokenLogs(range: {
    readonly from: bigint;
    readonly to: Block;
    readonly wallets: readonly Hex[];
    readonly isDecisive?: boolean;
  }): Promise<TokenLog[]>;
  /** The same for one authorization, whoever carried it. */
  findAuthorizationLog(range: {
    readonly from: bigint;
    readonly to: Block;
    readonly authorizer: Hex;
    readonly nonce: Hex;
  }): Promise<TokenLog | undefined>;
  /** USDC of each wallet at exactly that block. */
  readBalances(wallets: readonly Hex[], at: Block): Promise<bigint[]>;
  /** Used or cancelled, at exactly that block. */
  readAuthorizationStates(
    authorizations: readonly { readonly authorizer: Hex; readonly nonce: Hex }[],
    at: Block,
  ): Promise<boolean[]>;
  /** Would the token refuse these addresses, or everybody, right now? */
  readRefusals(
    addresses: readonly Hex[],
  ): Promise<{ readonly isPaused: boolean; readonly blacklisted: readonly boolean[] }>;
  /** Reads of any contract in one call, at the head or at exactly that block. */
  multicall(calls: readonly ContractCall[], options?: { at?: Block; timeoutMs?: number }): Promise<CallResult[]>;
  /** The native coin, for gas. */
  getGasBalance(address: Hex): Promise<bigint>;
  /** How many chain transactions of this sender are mined (`latest`), final (a block), or known to the pool. */
  getNonce(address: Hex, at: 'latest' | 'pending' | Block): Promise<number>;
  getFees(): Promise<Fees>;
  findChainTx(hash: Hex): Promise<ChainTx | undefined>;
  findReceipt(hash: Hex): Promise<Receipt | undefined>;
  /** Only bytes that are committed somewhere go in here. */
  broadcast(raw: Hex): Promise<Broadcast>;
}

/** One price. `price` is a decimal string: what one unit of the first costs in the second. */
export interface Rate {
  readonly pair: string;
  readonly price: string;
  readonly asOf: Date;
  /** Older than this is stale. */
  readonly maxAgeSeconds: number;
  readonly source: string;
}

export interface Rates {
  /** Those that can be had now; one that cannot is left out and told to `onFault`. */
  read(onFault: (pair: string, fault: Error) => void): Promise<Rate[]>;
}

/**
 * What an outside party made of a request. *Unknown* (no answer, or one that tells nothing) is asked again and never
 * treated as refused.
 */
type ProviderAnswer<T, Reason extends string> =
  | ({ readonly outcome: 'accepted' } & T)
  | { readonly outcome: 'rejected'; readonly reason: Reason }
  | { readonly outcome: 'unknown'; readonly cause: unknown };

/** Where a check of a person's identity stands at the provider. Whether an approval was taken back is ours to know. */
export interface KycVerdict {
  readonly status: 'started' | 'pending' | 'needs_input' | 'approved' | 'rejected';
  /** Of a rejection: may the person try again? */
  readonly canRetry: boolean;
  /** Sentences that the person may read. */
  readonly reasons: readonly string[];
}

export interface KycSubject {
  readonly applicantId: string;
  readonly userId: string;
  /** The set of checks that was asked for; passing another one is no approval. */
  readonly level: string;
}

export interface Kyc {
  /** The level of new checks. */
  readonly level: string;
  /** The same person always gets the same applicant, so an unanswered call may be repeated. */
  createApplicant(userId: string): Promise<ProviderAnswer<{ readonly applicantId: string }, 'refused'>>;
  /** A short-lived token with which the person's browser talks to the provider. */
  accessToken(
    userId: string,
    level: string,
  ): Promise<ProviderAnswer<{ readonly token: string; readonly expiresInSeconds: number }, 'refused'>>;
  /** `gone`: the provider no longer has this applicant. */
  getStatus(subject: KycSubject): Promise<ProviderAnswer<KycVerdict, 'gone' | 'refused'>>;
  /** Which applicant a webhook is about. Throws `auth.required` or `auth.invalid` unless the provider sent it. */
  parseWebhook(headers: Readonly<Record<string, string | string[] | undefined>>, body: Uint8Array): KycNotice;
}

/** Only that something happened: what happened is asked of the provider, never taken from a message. */
export interface KycNotice {
  readonly applicantId: string | undefined;
  readonly type: string;
}
