/**
 * The ports: types of the parties that we reach over a network. `providers.ts` has those of wallet providers. An adapter
 * is a function that returns an object of such a type.
 */
import type { Family } from './families.ts';
import type { NodeStanding } from './nodes.ts';

/**
 * A person whose identity an issuer has confirmed. `issuer` is our own name for the issuer; see `IssuerRule.identity`.
 */
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
 * The owner of a wallet: a person of an issuer, or the service. It has no database ids, so keys can be derived even if
 * the database is lost. Relayers pay the gas of relay transactions and never hold USDC; there can be several.
 */
export type WalletOwner =
  | { readonly kind: 'user'; readonly issuer: string; readonly subject: string }
  | { readonly kind: 'treasury' }
  | { readonly kind: 'relayer'; readonly number: number };

export interface AnyWallet {
  readonly provider: string;
  /** The format of the address. One address serves all networks of a family. */
  readonly family: Family;
  /** Identifies the key at the provider. */
  readonly reference: string;
  /** On an EVM chain: EIP-55 checksummed. */
  readonly address: string;
}

/** A wallet that signs. Only EVM wallets do. */
export interface ProviderWallet extends AnyWallet {
  readonly family: 'evm';
  readonly address: Hex;
}

/** Creates and lists the wallets of one key holder. */
export interface WalletSource {
  /**
   * The same owner always gets the same wallet. Like `list`, throws `service.unavailable` if the provider is silent.
   */
  create(owner: WalletOwner): Promise<AnyWallet>;
  /** The reference that this owner's wallet has or will have. */
  referenceOf(owner: WalletOwner): string;
  /** Returns the wallets with these references. A text that cannot be a reference is left out. */
  list(references: readonly string[]): Promise<readonly AnyWallet[]>;
  /** The most signatures and new wallets per second that a provider accepts; undefined: our own keys, no limit. */
  readonly perSecond?: number;
  /** Identifies the key material without revealing it. The database stores it, to detect a mismatch. */
  readonly fingerprint: string;
}

type Signed<T> = ProviderAnswer<T, string>;

/**
 * The keys of wallets whose coins we move ourselves: our own seed, or a provider that signs for us. Only the signer
 * process has one. A keyring signs whatever it receives; `custody/signing` decides first what may be signed.
 */
export interface Keyring extends WalletSource {
  create(owner: WalletOwner): Promise<ProviderWallet>;
  list(references: readonly string[]): Promise<readonly ProviderWallet[]>;
  /** Returns 65 bytes: r, s, v. Refuses an authorization whose `from` is not the wallet with that reference. */
  signAuthorization(
    reference: string,
    domain: TokenDomain,
    authorization: Authorization,
  ): Promise<Signed<{ readonly signature: Hex }>>;
  /** Signs the cancellation of an authorization that has not been used. */
  signCancellation(
    reference: string,
    domain: TokenDomain,
    authorizer: Hex,
    nonce: Hex,
  ): Promise<Signed<{ readonly signature: Hex }>>;
  /** Returns the raw bytes to commit and then broadcast, and the hash that they will have on chain. */
  signRelayTx(reference: string, relayTx: RelayTx): Promise<Signed<SignedRelayTx>>;
}

/** The price that a relay transaction offers per unit of gas. */
export interface Bid {
  readonly maxFeeWei: bigint;
  readonly priorityFeeWei: bigint;
}

export type Hex = `0x${string}`;

/** The EIP-712 domain of a token contract. The name differs between chains, so it is read from the contract. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Hex;
}

/** An unsigned EIP-3009 `transferWithAuthorization`. It can execute when validAfter < time < validBefore. */
interface Authorization {
  readonly from: Hex;
  readonly to: Hex;
  readonly amount: bigint;
  readonly validAfterSeconds: bigint;
  readonly validBeforeSeconds: bigint;
  /** 32 bytes: the hash of the payment's id. */
  readonly nonce: Hex;
}

export interface SignedAuthorization extends Authorization {
  readonly signature: Hex;
}

/** A relayer's chain transaction. */
interface RelayTx {
  readonly chainId: number;
  readonly nonce: number;
  readonly to: Hex;
  readonly data: Hex;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface SignedRelayTx {
  readonly raw: Hex;
  readonly hash: Hex;
}

export interface Block {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timeSeconds: bigint;
}

/** A token that we hold on a blockchain. Its contract has the interface of Circle's USDC. */
export interface Token {
  /** Its currency. */
  readonly symbol: string;
  readonly decimals: number;
  /** EIP-55 checksummed. */
  readonly contract: Hex;
}

interface TokenLogPosition {
  /** The contract that emitted the log, checksummed. */
  readonly token: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly txHash: Hex;
  /** Position in the block. It can change when a reorg moves the chain transaction. */
  readonly logIndex: number;
}

/** An event that a token contract emitted. Addresses are checksummed. */
export type TokenLog = TokenLogPosition &
  (
    | { readonly kind: 'transfer'; readonly from: Hex; readonly to: Hex; readonly amount: bigint }
    | { readonly kind: 'used' | 'canceled'; readonly authorizer: Hex; readonly nonce: Hex }
  );

export interface ChainTx {
  readonly hash: Hex;
  readonly from: Hex;
  readonly nonce: number;
  /** Undefined while the chain transaction is in a node's pool. */
  readonly blockHash: Hex | undefined;
  readonly blockNumber: bigint | undefined;
}

export interface Receipt {
  readonly hash: Hex;
  /** The address that sent it and paid for it. */
  readonly from: Hex;
  readonly isSuccess: boolean;
  readonly blockHash: Hex;
  readonly blockNumber: bigint;
  readonly gasUsed: bigint;
  /** Everything that the sender paid, in wei. On a rollup this includes the fee of the underlying layer. */
  readonly feeWei: bigint;
  /** Only the logs of our tokens, in order. */
  readonly logs: readonly TokenLog[];
}

export type BroadcastRefusal =
  | 'nonce_too_low'
  | 'nonce_too_high'
  | 'replacement_underpriced'
  | 'underpriced'
  | 'fee_below_base'
  | 'insufficient_funds'
  /** The node itself does not forward chain transactions that cost this much. */
  | 'fee_cap'
  | 'gas_limit'
  | 'pool_full'
  | 'invalid';

/**
 * The nodes' answer to a broadcast. It proves nothing about the payment: `rejected` means that most nodes did not add
 * these bytes to their pools now; `unknown` means that one node may have.
 */
export type Broadcast =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'rejected'; readonly reason: BroadcastRefusal; readonly message: string }
  | { readonly outcome: 'unknown'; readonly message: string };

export interface Fees {
  readonly baseFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** Sufficient for six full blocks of rising base fee. */
  readonly maxFeePerGas: bigint;
}

export interface ContractCall {
  readonly to: Hex;
  readonly data: Hex;
}

/** Undefined for a call that failed. The other calls of the same multicall are still valid. */
export type CallResult = Hex | undefined;

/** The token's blacklist and pause logs in a range of blocks. */
export interface RefusalLogs {
  readonly blacklisted: readonly Hex[];
  /** The state after the last pause or unpause log; undefined if there was no such log. */
  readonly isPaused: boolean | undefined;
}

/**
 * One blockchain and our tokens on it, read through one or more nodes. Unless a method says otherwise, its answer is
 * *decisive*: ⌊n/2⌋+1 of n nodes give the same answer (1 of 1, 2 of 2, 2 of 3). A silent node does not count towards
 * the majority. Without a majority the method throws `service.unavailable`, and the cause contains each node's answer.
 * Answers that are not decisive come from any nodes that answer, and the damage a single node can do is limited.
 */
export interface Chain {
  readonly blockchain: string;
  readonly chainId: number;
  readonly tokens: readonly Token[];
  /**
   * Checks chain id, decimals, name and domain separator; throws an Error for the operator. In the order of `tokens`.
   */
  check(): Promise<readonly TokenDomain[]>;
  /** The faults of each node since this process started. */
  nodes(): readonly NodeStanding[];
  /** Not decisive: the newest block of most nodes or, while too few answer, of those that do. */
  getHead(): Promise<Block>;
  /** The highest block that a majority considers final by this chain's rule. */
  getFinalized(): Promise<Block>;
  /** By number: a canonical block. By hash: any block that a node knows. Undefined: most nodes do not have it. */
  findBlock(at: bigint | Hex): Promise<Block | undefined>;
  /**
   * Returns the transfers of all tokens from and to these wallets, and their used or cancelled authorizations, from
   * block `from` to block `to` inclusive, in order. Only nodes that have `to` as a canonical block count: a lagging
   * node would silently leave out the end. Decisive only with `isDecisive`; otherwise any node's answer will do.
   */
  listTokenLogs(range: {
    readonly from: bigint;
    readonly to: Block;
    /** `all`: all addresses; the caller filters. The cost grows with the use of the token, not with ours. */
    readonly wallets: readonly Hex[] | 'all';
    readonly isDecisive?: boolean;
  }): Promise<TokenLog[]>;
  /**
   * Returns the same logs for exactly this block, by hash, so it may be on any branch. A node without requests by hash
   * is asked by number, and counts only while this is its block with that number.
   */
  listBlockLogs(block: Block, wallets: readonly Hex[] | 'all'): Promise<TokenLog[]>;
  /** Finds the log that used or cancelled one authorization, in any sender's chain transaction. */
  findAuthorizationLog(range: {
    readonly from: bigint;
    readonly to: Block;
    readonly token: Hex;
    readonly authorizer: Hex;
    readonly nonce: Hex;
  }): Promise<TokenLog | undefined>;
  /** Returns each wallet's balance of the token at exactly that block. */
  readBalances(token: Hex, wallets: readonly Hex[], at: Block): Promise<bigint[]>;
  /** Returns true for each authorization that was used or cancelled, at exactly that block. */
  readAuthorizationStates(
    token: Hex,
    authorizations: readonly { readonly authorizer: Hex; readonly nonce: Hex }[],
    at: Block,
  ): Promise<boolean[]>;
  /**
   * Reports whether the token is paused now, and which of these addresses it has blacklisted. Yes is decisive. Without
   * a majority the answer is no: the token itself will refuse, and a single node must not be able to stop payments.
   */
  readRefusals(
    token: Hex,
    addresses: readonly Hex[],
  ): Promise<{ readonly isPaused: boolean; readonly blacklisted: readonly boolean[] }>;
  /** Decisive. Returns the addresses blacklisted in these blocks, even if unlisted later, and the last pause state. */
  listRefusals(range: { readonly from: bigint; readonly to: Block; readonly token: Hex }): Promise<RefusalLogs>;
  /** Not decisive. Reads any contracts in one call, at the head or at exactly that block. */
  multicall(calls: readonly ContractCall[], options?: { at?: Block; timeoutMs?: number }): Promise<CallResult[]>;
  /** In wei of the native coin. Not decisive: the median of the nodes' answers. */
  getGasBalance(address: Hex): Promise<bigint>;
  /**
   * Counts this sender's chain transactions: mined (`latest`), final (a block), or known to the pool. Decisive at a
   * block; otherwise the median of the nodes' answers, so that relaying continues while most nodes are silent.
   */
  getNonce(address: Hex, at: 'latest' | 'pending' | Block): Promise<number>;
  /** Not decisive: the medians of base fee and tip, so that one node can neither drain our gas nor stop us. */
  getFees(): Promise<Fees>;
  /** Undefined: a majority does not know it. Otherwise it may be mined; in a block only if most nodes have it there. */
  findChainTx(hash: Hex): Promise<ChainTx | undefined>;
  /** A receipt is decisive. Undefined proves nothing: most nodes have no receipt yet, or too few answer. */
  findReceipt(hash: Hex): Promise<Receipt | undefined>;
  /** Sends the bytes to every node. Commit them to the database before calling this. */
  broadcast(raw: Hex): Promise<Broadcast>;
}

/** `price` is a decimal string: the price of one unit of the pair's first currency in the second. */
export interface Rate {
  readonly pair: string;
  readonly price: string;
  readonly asOf: Date;
  /** A rate older than this is stale. */
  readonly maxAgeSeconds: number;
  readonly source: string;
}

export interface Rates {
  /** Leaves out each rate that cannot be read, and reports it to `onFault`. */
  read(onFault: (pair: string, fault: Error) => void): Promise<Rate[]>;
}

/** A provider's answer. *Unknown*: no answer, or an unclear one; we ask again and never treat it as refused. */
export type ProviderAnswer<T, Reason extends string> =
  | ({ readonly outcome: 'accepted' } & T)
  | { readonly outcome: 'rejected'; readonly reason: Reason }
  | { readonly outcome: 'unknown'; readonly cause: unknown };
