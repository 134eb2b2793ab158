/** The records of the Circle double, one row each. Dates are written the way Circle writes them. */
export interface WalletSet {
  readonly id: string;
  readonly name: string;
  readonly createDate: string;
  readonly updateDate: string;
}

export interface Wallet {
  readonly id: string;
  readonly walletSetId: string;
  readonly blockchain: string;
  readonly address: string;
  readonly accountType: AccountType;
  /** The index of its key in the wallet set. Wallets of EVM chains with the same index have the same address. */
  readonly index: number;
  readonly name: string;
  readonly refId: string;
  readonly createDate: string;
  readonly updateDate: string;
}

export type AccountType = 'EOA' | 'SCA';

export const STATES = [
  'INITIATED',
  'CLEARED',
  'QUEUED',
  'SENT',
  'STUCK',
  'CONFIRMED',
  'COMPLETE',
  'FAILED',
  'DENIED',
  'CANCELLED',
] as const;
export type State = (typeof STATES)[number];

const FINAL: readonly State[] = ['COMPLETE', 'FAILED', 'DENIED', 'CANCELLED'];
export const isFinal = (state: State): boolean => FINAL.includes(state);
/** Waiting to get into a block: Circle's limits per sender count these. */
export const isPending = (state: State): boolean => !isFinal(state) && state !== 'CONFIRMED';

export interface Transaction {
  readonly id: string;
  /** Order of creation: dates have only whole seconds. */
  readonly number: number;
  readonly transactionType: 'INBOUND' | 'OUTBOUND';
  readonly operation: 'TRANSFER' | 'CONTRACT_EXECUTION';
  readonly state: State;
  readonly blockchain: string;
  readonly walletId: string;
  readonly tokenId: string;
  /** Decimals, as the caller wrote them. */
  readonly amounts: readonly string[];
  readonly sourceAddress: string;
  readonly destinationAddress: string;
  readonly contractAddress: string;
  readonly refId: string;
  readonly feeLevel: string;
  readonly txHash: string;
  readonly userOpHash: string;
  readonly blockHash: string;
  readonly blockHeight: number;
  readonly networkFee: string;
  readonly errorReason: string;
  readonly errorDetails: string | null;
  readonly firstConfirmDate: string;
  readonly createDate: string;
  readonly updateDate: string;
  /** The details of its execution, which the API never shows. Inbound transactions have none. */
  readonly work: Work | null;
}

interface Work {
  /** Undefined off the EVM. Numbers are decimal text. */
  readonly call: { readonly to: string; readonly data: string; readonly value: string } | null;
  readonly fee: Fee;
  /** The outcome that a switch has chosen. */
  readonly fate: { readonly state: 'STUCK' | 'DENIED' | 'FAILED'; readonly reason: string } | null;
  readonly nonce: number | null;
  /** Chain transactions under its nonce, each replacing the one before. Stored before they are broadcast. */
  readonly versions: readonly Version[];
  readonly sentAtHead: number;
}

export interface Version {
  readonly raw: string;
  readonly hash: string;
  readonly isCancellation: boolean;
}

/** In wei, as decimal text. */
export interface Fee {
  readonly gasLimit: string | null;
  readonly maxFee: string | null;
  readonly priorityFee: string;
}

export interface Subscription {
  readonly id: string;
  readonly name: string;
  readonly endpoint: string;
  readonly enabled: boolean;
  readonly notificationTypes: readonly string[];
  readonly createDate: string;
  readonly updateDate: string;
}

/** The answer to a request with an idempotency key, which is this row's id. */
export interface KeptAnswer {
  readonly id: string;
  readonly requestHash: string;
  readonly status: number;
  readonly data: unknown;
  /** When the answer was given, in milliseconds. */
  readonly at?: number;
}

/** Balances of wallets whose chain does not run here, in the smallest unit; the id is the wallet's. */
export interface OffChainCoins {
  readonly id: string;
  readonly usdc: string;
  readonly native: string;
}

export interface WebhookKey {
  readonly id: string;
  readonly privateKey: string;
  readonly createDate: string;
}

/** There is one row, `secrets`. */
export interface Secrets {
  readonly id: string;
  readonly apiKey: string;
  /** 32 bytes in hex, as the SDK expects it. */
  readonly entitySecret: string;
  readonly rsaPrivateKey: string;
  /** All keys of wallets are derived from it. */
  readonly seed: string;
  readonly walletSetId: string;
}

/** The last final block of a chain that was searched for incoming transfers. The id is the blockchain. */
export interface Cursor {
  readonly id: string;
  readonly block: number;
}

/** Circle writes dates without a fraction. */
export const stamp = (at = new Date()): string => `${at.toISOString().slice(0, 19)}Z`;

/** Values that are not known yet are empty. */
export function newTransaction(id: string, number: number) {
  const date = stamp();
  return {
    id,
    number,
    operation: 'TRANSFER' as const,
    state: 'INITIATED' as const,
    contractAddress: '',
    refId: '',
    feeLevel: '',
    txHash: '',
    userOpHash: '',
    blockHash: '',
    blockHeight: 0,
    networkFee: '',
    errorReason: '',
    errorDetails: null,
    firstConfirmDate: '',
    createDate: date,
    updateDate: date,
    work: null,
  };
}
