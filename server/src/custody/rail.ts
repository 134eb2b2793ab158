/**
 * `custody` is how coins move and where they sit. A wish to move coins is a row of `coin_moves`; how it is carried out is
 * the business of a *rail*. `coins/` is where coins sit: holdings, reservations, settlement, deposits, reconciliation.
 * `eip3009/` is the rail on which wallets sign and we carry; `provider/` the one on which the wallet's provider sends by
 * itself. `watch/` reads the chains. `signing/` is what the signer's process does, which alone has keys.
 *
 * It writes `holdings`, `kept_positions`, `asset_positions`, `settlements`, `coin_moves`, `deposits`, `pending_deposits`,
 * `drifts`, `chain_cursors`, `chain_blocks`, `held_logs`, `unexplained_moves`, `wallet_rescans`; for EIP-3009
 * `authorizations`, `signatures`, `cancellations`, `signed_hours`, `provider_turns`,
 * `relayers`, `carriers` with their attempts and calls, `forgotten_nonces`; for providers `provider_transfers`,
 * `transfer_decisions`, `circle_webhook_keys`, `arrivals`, `open_arrivals`, `arrival_cursors`. The ledger moves only through `ledger`. `payments` and the worker process call it; the server only reads, reserves nothing, and
 * wants things cancelled.
 *
 * Start here, then `coins/reserveSend`, `eip3009/eip3009Rail`, `watch/matchLogs`, `coins/moveCoins`.
 *
 * Locks are taken in one order everywhere: payments, accounts, wallets (`holdings`), each by id; then moves.
 */
import type { Hex, TokenLog, Transfers } from '../core/ports.ts';
import type { Signer } from '../core/signer.ts';
import type { Db, Queryable, Tx } from '../db/database.ts';
import type { KnownMove } from './coins/moves.ts';
import type { Network, NetworkAsset } from './network.ts';

export type RailName = 'eip3009' | 'provider';

/** What a worker works with. */
export interface CustodyApp {
  readonly db: Db;
  readonly signer: Signer;
  /** By provider, for wallets whose provider sends by itself. */
  readonly transfers: Readonly<Record<string, Transfers>>;
  readonly rails: Rails;
}

/** The rail of every provider's wallets. */
export type Rails = Readonly<Record<string, Rail>>;

/** One way to carry out moves. It has no ports of its own: what it needs comes with `app`. */
export interface Rail {
  readonly name: RailName;
  /**
   * Starts what is reserved; while `mayStart` is false only what stops something. Apart from `advance`, because whoever
   * holds the keys may be slow, and what was started must not wait for that.
   */
  start(app: CustodyApp, network: Network, options: { readonly mayStart: boolean }): Promise<void>;
  /**
   * Follows what was started, and stops what is to be cancelled. While `mayStart` is false nothing goes out for the first
   * time. Answers how far open moves have come.
   */
  advance(app: CustodyApp, network: Network, options: { readonly mayStart: boolean }): Promise<Progress[]>;
  /**
   * Writes down what final logs of one token say that no move of this database accounts for: it may have been restored.
   * `wallets` are ours, by lower-case address. Answers the ids of moves that it wrote down as ended: ledger and coins have
   * not followed them yet.
   */
  learn(
    tx: Tx,
    asset: NetworkAsset,
    logs: readonly TokenLog[],
    wallets: ReadonlyMap<string, string>,
  ): Promise<readonly string[]>;
  /** Which of its moves these logs of one token are. `providers`: whose wallets are on this rail. */
  identify(
    db: Queryable,
    asset: NetworkAsset,
    logs: readonly TokenLog[],
    providers: readonly string[],
  ): Promise<Identified>;
  /** What the chain took per payment of a chain transaction, in millionths of the chain's coin, where we paid it. */
  readFees(app: Pick<CustodyApp, 'db'>, network: Network, logs: readonly TokenLog[]): Promise<ReadonlyMap<Hex, bigint>>;
  /** Moves that can never happen any more, by proof. */
  findDead(app: CustodyApp, network: Network): Promise<DeadMove[]>;
  /** Blocks after `after` were replaced: these moves, which were done in them, are open again and have to happen again. */
  reopen(tx: Tx, network: Network, after: bigint, moveIds: readonly string[]): Promise<void>;
  /** What happened to a move on its way, for the timeline of its payment. */
  readSteps(db: Queryable, moveId: string): Promise<MoveStep[]>;
}

/** A move that is on its way to the chain. */
export interface Progress {
  readonly moveId: string;
  readonly txHash: string | undefined;
  /** No block has taken it for long. */
  readonly isStuck: boolean;
}

/** Logs are named by their places: see `placeOf`. */
export interface Identified {
  readonly yes: ReadonlyMap<string, KnownMove>;
  /** May be an open move; it is not known yet. */
  readonly maybe: ReadonlySet<string>;
  /** Moves that the chain has cancelled, for good if the logs are final. */
  readonly canceled: readonly { readonly move: KnownMove; readonly txHash: Hex }[];
}

/** Where a log stands; it moves when a reorg moves its chain transaction. */
export const placeOf = (log: Pick<TokenLog, 'blockHash' | 'logIndex'>): string => `${log.blockHash}:${log.logIndex}`;

export interface DeadMove {
  readonly moveId: string;
  readonly reason: string;
  /** It ended by a cancellation, also when this database knows of none. */
  readonly isCancelled: boolean;
  /** Somebody refused to move the coins: those that hold the keys, or the chain. */
  readonly isRefused: boolean;
  /** Asked again when the move is locked: does the proof still hold? */
  holds(tx: Tx): Promise<boolean>;
}

export interface MoveStep {
  readonly at: Date;
  readonly txHash: string | null;
  readonly note: string;
}

export const distinctRails = (rails: Rails): Rail[] => [...new Set(Object.values(rails))];

/** Whose wallets are on it. */
export const providersOf = (rails: Rails, rail: Rail): string[] =>
  Object.keys(rails).filter((provider) => rails[provider] === rail);

/** For functions of the database, which know rails by name: {"local": "eip3009"}. */
export const nameRails = (rails: Rails): string =>
  JSON.stringify(Object.fromEntries(Object.entries(rails).map(([provider, { name }]) => [provider, name])));
