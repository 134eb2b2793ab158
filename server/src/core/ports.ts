/** The types of the parties across a network. An adapter is a function that returns one of these objects. */
import type { Family } from './families.ts';
import type { NodeStanding } from './nodes.ts';
import type { Arrival, ArrivalPage, Balance, HandedOver, ProviderTransfer, SearchSpan, Taken } from './providerSays.ts';

/** A person, as an issuer confirmed them. `issuer` is our own name for the issuer; see `IssuerRule.identity`. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
}

interface VerifiedToken {
  readonly identity: Identity;
  readonly expiresAt: Date;
}

export interface IdTokens {
  /** Throws `auth.invalid` with a reason, or `service.unavailable` when the issuer's keys cannot be fetched. */
  verify(idToken: string): Promise<VerifiedToken>;
}

/**
 * Who a wallet belongs to: a person of an issuer, or the service itself. No database ids, so that keys can be derived
 * from it even if the database is lost. Relayers pay the gas of carriers and never hold USDC; there can be several.
 */
export type WalletOwner =
  | { readonly kind: 'user'; readonly issuer: string; readonly subject: string }
  | { readonly kind: 'treasury' }
  | { readonly kind: 'relayer'; readonly number: number };

export interface AnyWallet {
  readonly provider: string;
  /** What its addresses look like; one address serves all networks of a family. */
  readonly family: Family;
  /** What the provider needs to find the key again. */
  readonly reference: string;
  /** Of an EVM chain: EIP-55 checksummed. */
  readonly address: string;
}

/** Of a wallet that signs: only those of EVM chains do. */
export interface ProviderWallet extends AnyWallet {
  readonly family: 'evm';
  readonly address: Hex;
}

/** Where wallets come from: whoever holds their keys. */
export interface WalletSource {
  /** The same owner always gets the same wallet. Throws `service.unavailable`, as `list` does, when a provider is silent. */
  create(owner: WalletOwner): Promise<AnyWallet>;
  /** The reference that this owner's wallet has or will have. */
  referenceOf(owner: WalletOwner): string;
  /** The wallets of these references; one that cannot be a reference is left out. */
  list(references: readonly string[]): Promise<readonly AnyWallet[]>;
  /** How often a provider signs, and how often it makes a wallet, at most; undefined: our own keys, which do not mind. */
  readonly perSecond?: number;
  /** Identifies the key material without revealing it; the database stores it, so that both are known to fit. */
  readonly fingerprint: string;
}

type Signed<T> = ProviderAnswer<T, string>;

/**
 * Keys of wallets whose coins we carry ourselves: our own seed, or a provider that signs for us. Only the signer's process
 * has one. It signs what it is given: what may be signed at all is decided before (`custody/signing`).
 */
export interface Keyring extends WalletSource {
  create(owner: WalletOwner): Promise<ProviderWallet>;
  list(references: readonly string[]): Promise<readonly ProviderWallet[]>;
  /** Answers 65 bytes: r, s, v. Refuses an authorization whose `from` is not the wallet of that reference. */
  signAuthorization(
    reference: string,
    domain: TokenDomain,
    authorization: Authorization,
  ): Promise<Signed<{ readonly signature: Hex }>>;
  /** Signs the cancellation of an authorization that was not used yet. */
  signCancellation(
    reference: string,
    domain: TokenDomain,
    authorizer: Hex,
    nonce: Hex,
  ): Promise<Signed<{ readonly signature: Hex }>>;
  /** The raw bytes to commit and then broadcast, and the hash they will have on chain. */
  signCarrier(reference: string, carrier: Carrier): Promise<Signed<SignedCarrier>>;
}

/** What a carrier offers per unit of gas. */
export interface Bid {
  readonly maxFeeWei: bigint;
  readonly priorityFeeWei: bigint;
}

/** A transfer of a wallet whose provider sends by itself. */
export interface TransferRequest {
  /** The idempotency key: one transfer per key, however often it is asked for. */
  readonly key: string;
  readonly blockchain: string;
  /** The token's contract, as the blockchain writes it. */
  readonly token: string;
  /** Of the wallet, as `AnyWallet.reference`. */
  readonly reference: string;
  readonly to: string;
  readonly amount: bigint;
}

/** What a worker asks for about transfers that a provider makes by itself. *Unknown* means that it may have been heard. */
export interface Transfers {
  /** Rejected: nothing was ever made under this key, and nothing will be. */
  submit(request: TransferRequest): Promise<ProviderAnswer<ProviderTransfer, string>>;
  /** Rejected: the provider does not know it. */
  find(transfer: HandedOver): Promise<ProviderAnswer<ProviderTransfer, string>>;
  /** Accepted: it will try. Whether the transfer was stopped is what `find` says later. */
  cancel(transfer: HandedOver): Promise<ProviderAnswer<object, string>>;
  /** Asks for a higher fee, for the first, second, … time. */
  accelerate(transfer: HandedOver, time: number): Promise<ProviderAnswer<object, string>>;
}

/** *Later*: the provider has certainly done nothing about it now, and may do it when it is asked again. */
type Submitted = ProviderAnswer<ProviderTransfer, string> | { readonly outcome: 'later'; readonly cause: unknown };

/**
 * A provider that sends by itself, as the signer asks it, which alone has its keys. It decides nothing: see
 * `custody/signing`. Its methods may throw `service.unavailable`, before anything was asked for.
 */
export interface Sender {
  /** How often it may be told to do something, and how often it may be asked something, at most. */
  readonly perSecond: { readonly posts: number; readonly lookups: number };
  /** It remembers a key for so long; after that the same key may make a second transfer. */
  readonly keyLifeMs: number;
  /** How many transfers of one wallet it takes before the first of them is in a block. */
  queueOf(blockchain: string): number;
  submit(request: TransferRequest): Promise<Submitted>;
  /** The transfer that was made of this request within `span`. Rejected: none. Unknown, too, while the search goes on. */
  search(request: TransferRequest, span?: SearchSpan): Promise<ProviderAnswer<ProviderTransfer, string> | Taken>;
  /** Rejected: the provider does not know it, or has something else under this id. */
  find(request: TransferRequest, providerId: string): Promise<ProviderAnswer<ProviderTransfer, string>>;
  cancel(providerId: string, key: string): Promise<ProviderAnswer<object, string>>;
  accelerate(providerId: string, key: string): Promise<ProviderAnswer<object, string>>;
  /** Coins that arrived from this time on, oldest first: a page of them, after the one that `after` names. */
  listArrivals(blockchain: string, since: string, after?: string): Promise<ProviderAnswer<ArrivalPage, string>>;
  /** Rejected: the provider does not know it, or it is nothing that arrived. */
  findArrival(blockchain: string, providerId: string): Promise<ProviderAnswer<Arrival, string>>;
  /** What of this token a wallet has, by the provider's word. */
  readBalance(wallet: Omit<TransferRequest, 'key' | 'to' | 'amount'>): Promise<ProviderAnswer<Balance, string>>;
}

export type Hex = `0x${string}`;

/** The EIP-712 domain of a token's contract. The name differs between chains, so it is read from the contract. */
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

export interface SignedCarrier {
  readonly raw: Hex;
  readonly hash: Hex;
}

export interface Block {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timeSeconds: bigint;
}

/** A token that we hold on a blockchain: one whose contract speaks like Circle's USDC. */
export interface Token {
  readonly symbol: string;
  /** EIP-55 checksummed. */
  readonly contract: Hex;
}

interface TokenLogPlace {
  /** The contract that said it, checksummed. */
  readonly token: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly txHash: Hex;
  /** Position in the block. It moves when a reorg moves the chain transaction. */
  readonly logIndex: number;
}

/** An event of a token's contract. Addresses are checksummed. */
export type TokenLog = TokenLogPlace &
  (
    | { readonly kind: 'transfer'; readonly from: Hex; readonly to: Hex; readonly amount: bigint }
    | { readonly kind: 'used' | 'canceled'; readonly authorizer: Hex; readonly nonce: Hex }
  );

export interface ChainTx {
  readonly hash: Hex;
  readonly from: Hex;
  readonly nonce: number;
  /** Undefined while it waits in a pool. */
  readonly blockHash: Hex | undefined;
  readonly blockNumber: bigint | undefined;
}

export interface Receipt {
  readonly hash: Hex;
  /** Who sent it, and paid for it. */
  readonly from: Hex;
  readonly isSuccess: boolean;
  readonly blockHash: Hex;
  readonly blockNumber: bigint;
  readonly gasUsed: bigint;
  /** Everything the sender paid, in wei; on a rollup including the fee of the layer below. */
  readonly feeWei: bigint;
  /** Only those of our tokens, in order. */
  readonly logs: readonly TokenLog[];
}

export type BroadcastRefusal =
  | 'nonce_too_low'
  | 'nonce_too_high'
  | 'replacement_underpriced'
  | 'underpriced'
  | 'fee_below_base'
  | 'insufficient_funds'
  /** The node itself does not pass on what costs that much. */
  | 'fee_cap'
  | 'gas_limit'
  | 'pool_full'
  | 'invalid';

/**
 * What the nodes answered to a broadcast. It proves nothing about the payment: `rejected` means that most nodes did not
 * take these bytes into their pools now; `unknown` means that one may have.
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

/** Undefined for a call that failed; the other calls of the same multicall still count. */
export type CallResult = Hex | undefined;

/**
 * One blockchain and our tokens on it, asked through one or more nodes. Unless a method says otherwise, its answer is
 * *decisive*: ⌊n/2⌋+1 of n nodes say the same (1 of 1, 2 of 2, 2 of 3), and a silent node agrees with nobody; short of that
 * it throws `service.unavailable`, and the cause tells what each node said. Methods that only help us on work with any node
 * that answers, and bound what a single one can do.
 */
export interface RefusalLogs {
  readonly blacklisted: readonly Hex[];
  /** What the last log about it said; undefined: there was none. */
  readonly isPaused: boolean | undefined;
}

export interface Chain {
  readonly blockchain: string;
  readonly chainId: number;
  readonly tokens: readonly Token[];
  /**
   * Checks the chain id and of every token decimals, name and domain separator; throws an Error for the operator if one
   * is wrong. The domains are in the order of `tokens`.
   */
  check(): Promise<readonly TokenDomain[]>;
  /** What is known against each node since this process began. */
  nodes(): readonly NodeStanding[];
  /** Not decisive: the newest block that most nodes have, or while too few answer, that those who do have. */
  getHead(): Promise<Block>;
  /** The highest block that a majority calls final by this chain's rule. */
  getFinalized(): Promise<Block>;
  /** By number: a block of the current canonical chain. By hash: any block that a node knows. Undefined: most have none. */
  findBlock(at: bigint | Hex): Promise<Block | undefined>;
  /**
   * Transfers of all tokens from and to these wallets, and their used or cancelled authorizations, from block `from` to
   * block `to` inclusive, in order. Only a node that has `to` as its canonical block counts: one that lags behind would
   * silently leave out the end. Decisive only with `isDecisive`; otherwise any node will do.
   */
  listTokenLogs(range: {
    readonly from: bigint;
    readonly to: Block;
    /** `all`: whoever they are from or to; the caller picks. It costs as much as the token is used, not as we are. */
    readonly wallets: readonly Hex[] | 'all';
    readonly isDecisive?: boolean;
  }): Promise<TokenLog[]>;
  /**
   * The same of exactly this block, asked for by its hash, so that it may be of any branch. A node that cannot be asked
   * by hash is asked by number instead, and counts only while this is its block of that number.
   */
  listBlockLogs(block: Block, wallets: readonly Hex[] | 'all'): Promise<TokenLog[]>;
  /** The log that used or cancelled one authorization, in anyone's chain transaction. */
  findAuthorizationLog(range: {
    readonly from: bigint;
    readonly to: Block;
    readonly token: Hex;
    readonly authorizer: Hex;
    readonly nonce: Hex;
  }): Promise<TokenLog | undefined>;
  /** How much of the token each wallet has at exactly that block. */
  readBalances(token: Hex, wallets: readonly Hex[], at: Block): Promise<bigint[]>;
  /** True for each one that was used or cancelled, at exactly that block. */
  readAuthorizationStates(
    token: Hex,
    authorizations: readonly { readonly authorizer: Hex; readonly nonce: Hex }[],
    at: Block,
  ): Promise<boolean[]>;
  /**
   * Is the token paused, and which of these addresses has it blacklisted, now? Yes is decisive. Short of a majority the
   * answer is no: the token itself will refuse, and a single node must not stop anybody.
   */
  readRefusals(
    token: Hex,
    addresses: readonly Hex[],
  ): Promise<{ readonly isPaused: boolean; readonly blacklisted: readonly boolean[] }>;
  /**
   * Whom the token has put on its blacklist in these blocks, and whether it was paused after them, as its logs tell.
   * Decisive. Who was taken off the list again is there too.
   */
  listRefusals(range: { readonly from: bigint; readonly to: Block; readonly token: Hex }): Promise<RefusalLogs>;
  /** Not decisive. Reads any contracts in one call, at the head or at exactly that block. */
  multicall(calls: readonly ContractCall[], options?: { at?: Block; timeoutMs?: number }): Promise<CallResult[]>;
  /** In wei of the native coin. Not decisive: the middle of what the nodes say. */
  getGasBalance(address: Hex): Promise<bigint>;
  /**
   * How many chain transactions of this sender are mined (`latest`), final (a block), or known to the pool. Decisive at a
   * block; otherwise the middle of what the nodes say, so that carrying goes on while most are silent.
   */
  getNonce(address: Hex, at: 'latest' | 'pending' | Block): Promise<number>;
  /** Not decisive: of base fee and tip the middle of what the nodes say, so that one alone cannot drain or stop us. */
  getFees(): Promise<Fees>;
  /** Undefined when a majority does not know it. Otherwise it may still be mined; in a block only if most have it there. */
  findChainTx(hash: Hex): Promise<ChainTx | undefined>;
  /** A receipt is decisive: most nodes have the same. Undefined proves nothing: most have none yet, or too few answer. */
  findReceipt(hash: Hex): Promise<Receipt | undefined>;
  /** To every node. Commit the bytes to the database before calling this. */
  broadcast(raw: Hex): Promise<Broadcast>;
}

/** `price` is a decimal string: what one unit of the pair's first currency costs in the second. */
export interface Rate {
  readonly pair: string;
  readonly price: string;
  readonly asOf: Date;
  /** Older than this is stale. */
  readonly maxAgeSeconds: number;
  readonly source: string;
}

export interface Rates {
  /** Leaves out a rate that cannot be read, and reports it to `onFault`. */
  read(onFault: (pair: string, fault: Error) => void): Promise<Rate[]>;
}

/**
 * A provider's answer to a request. *Unknown* (no answer, or one that does not say) is asked again and never treated
 * as refused.
 */
export type ProviderAnswer<T, Reason extends string> =
  | ({ readonly outcome: 'accepted' } & T)
  | { readonly outcome: 'rejected'; readonly reason: Reason }
  | { readonly outcome: 'unknown'; readonly cause: unknown };
