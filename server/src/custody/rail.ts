/**
 * `custody` moves coins and records where they are. A request to move coins is a row of `coin_moves`; a *rail* executes
 * it. `coins/` has holdings, reservations, settlement, deposits and reconciliation. `eip3009/` is the rail on which
 * wallets sign and we relay; `provider/` is the rail on which the wallet's provider sends by itself. `watch/` reads the
 * chains, and `unwatchedChains/` reads providers' reports about the other chains. `books/` audits the ledger.
 * `signing/` is the work of the signer process, which alone has keys.
 *
 * It alone writes `holdings`, `kept_positions`, `asset_positions`, `settlements`, `coin_moves`, `deposits`,
 * `pending_deposits`, `drifts`, `chain_cursors`, `chain_blocks`, `held_logs`, `unexplained_moves`, `wallet_rescans`,
 * `ever_blacklisted`, `blacklist_reads`, `node_faults`, `book_audits`, `book_faults`; for EIP-3009 `authorizations`,
 * `signatures`, `cancellations`, `signed_hours`, `provider_turns`, `relayers`, `carriers` with their attempts and
 * calls, `forgotten_nonces`; for providers `provider_transfers`, `transfer_decisions`, `provider_webhook_keys`,
 * `arrivals`, `open_arrivals`, `arrival_cursors`. It changes money only through `ledger`. `payments`, `http` and `bin`
 * may call it. Only the worker process reserves and moves coins; the server only reads, and requests cancellations.
 *
 * Start here, then read `coins/reserveSend`, `eip3009/eip3009Rail`, `watch/matchLogs`, `coins/moveCoins`.
 *
 * Locks are taken in one order everywhere: people (`users`), money requests, payments, accounts, sessions, wallets
 * (`holdings`), each by id; then moves. The row of `ledger_state` comes last. People are locked `FOR NO KEY UPDATE` or
 * `FOR SHARE`, never `FOR UPDATE`: writing a row that refers to a person can take a key lock on that person at any
 * time, even for an account that is updated twice, and this lock must not wait. `test/db/lockOrder.test.ts` checks the
 * order in all functions.
 */
import type { Hex, TokenLog } from '../core/ports.ts';
import type { RailName } from '../core/providers.ts';
import type { Signer } from '../core/signer.ts';
import type { Db, Queryable, Tx } from '../db/database.ts';
import type { KnownMove } from './coins/moves.ts';
import type { Network, NetworkAsset } from './network.ts';

/** The dependencies of a worker. */
export interface CustodyApp {
  readonly db: Db;
  readonly signer: Signer;
  readonly rails: Rails;
  /** Logs that the signer refuses a relay transaction, once for each reason. */
  readonly onRefusal?: (reason: string) => void;
}

/** The rail of each provider's wallets. */
export type Rails = Readonly<Record<string, Rail>>;

/** One way to execute moves. It has no ports of its own: it gets them with `app`. */
export interface Rail {
  readonly name: RailName;
  /**
   * Starts moves whose coins are reserved; while `mayStart` is false, only cancellations. Separate from `advance`,
   * because the key holder may be slow, and started moves must not wait for that.
   */
  start(app: CustodyApp, network: Network, options: { readonly mayStart: boolean }): Promise<void>;
  /**
   * Follows started moves, and stops those that are to be cancelled. While `mayStart` is false, nothing is sent for the
   * first time. Returns the progress of open moves.
   */
  advance(app: CustodyApp, network: Network, options: { readonly mayStart: boolean }): Promise<Progress[]>;
  /**
   * Records final logs of one token that no move of this database explains, because it may have been restored.
   * `wallets` are ours, by lower-case address. Returns the ids of moves that it recorded as ended; they are not applied
   * to ledger and coins yet.
   */
  recoverFromLogs(
    tx: Tx,
    asset: NetworkAsset,
    logs: readonly TokenLog[],
    wallets: ReadonlyMap<string, string>,
  ): Promise<readonly string[]>;
  /**
   * Returns which of its moves these logs of one token belong to. `providers`: the providers whose wallets are on this
   * rail.
   */
  identify(
    db: Queryable,
    asset: NetworkAsset,
    logs: readonly TokenLog[],
    providers: readonly string[],
  ): Promise<Identified>;
  /** Returns the chain's fee per payment of a chain transaction, in millionths of the chain's coin, if we paid it. */
  readFees(app: Pick<CustodyApp, 'db'>, network: Network, logs: readonly TokenLog[]): Promise<ReadonlyMap<Hex, bigint>>;
  /** Returns moves that provably can never happen. */
  findDead(app: CustodyApp, network: Network): Promise<DeadMove[]>;
  /** Blocks after `after` were replaced. These moves, which were done in them, are open again and must happen again. */
  reopen(tx: Tx, network: Network, after: bigint, moveIds: readonly string[]): Promise<void>;
  /** Returns the steps of a move, for the timeline of its payment. */
  readSteps(db: Queryable, moveId: string): Promise<MoveStep[]>;
}

/** A move on its way to the chain. */
export interface Progress {
  readonly moveId: string;
  readonly txHash: string | undefined;
  /** It has not been in a block for a long time. */
  readonly isStuck: boolean;
}

/** Logs are identified by their positions: see `placeOf`. */
export interface Identified {
  readonly yes: ReadonlyMap<string, KnownMove>;
  /** May be an open move; this is not known yet. */
  readonly maybe: ReadonlySet<string>;
  /** Moves that the chain has cancelled; permanently if the logs are final. */
  readonly canceled: readonly { readonly move: KnownMove; readonly txHash: Hex }[];
}

/** The position of a log. It changes when a reorg moves its chain transaction. */
export const placeOf = (log: Pick<TokenLog, 'blockHash' | 'logIndex'>): string => `${log.blockHash}:${log.logIndex}`;

export interface DeadMove {
  readonly moveId: string;
  readonly reason: string;
  /** It ended by a cancellation, even one that this database does not know. */
  readonly isCancelled: boolean;
  /** The key holder or the chain refused to move the coins. */
  readonly isRefused: boolean;
  /** Called again when the move is locked: does the proof still hold? */
  holds(tx: Tx): Promise<boolean>;
}

export interface MoveStep {
  readonly at: Date;
  readonly txHash: string | null;
  /** In words for customers. */
  readonly note: string;
  /** The same for operators, if they need to know more. */
  readonly detail?: string;
}

export const distinctRails = (rails: Rails): Rail[] => [...new Set(Object.values(rails))];

/** Returns the providers whose wallets are on this rail. */
export const providersOf = (rails: Rails, rail: Rail): string[] =>
  Object.keys(rails).filter((provider) => rails[provider] === rail);

/** For database functions, which use the names of rails: {"local": "eip3009"}. */
export const nameRails = (rails: Rails): string =>
  JSON.stringify(Object.fromEntries(Object.entries(rails).map(([provider, { name }]) => [provider, name])));
