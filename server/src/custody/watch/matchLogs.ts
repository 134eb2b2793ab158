import type { Hex, TokenLog } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';
import type { KnownMove } from '../coins/moves.ts';
import type { NetworkAsset } from '../network.ts';
import { distinctRails, type Identified, placeOf, providersOf, type Rails } from '../rail.ts';

type TransferLog = Extract<TokenLog, { kind: 'transfer' }>;

/** One transfer of coins from or to one of our wallets, with everything we know about it. */
export interface SeenTransfer {
  readonly log: TransferLog;
  readonly fromWallet: string | undefined;
  readonly toWallet: string | undefined;
  /** Our move that it belongs to. */
  readonly move: KnownMove | undefined;
  /** It may be an open move; only its provider knows. The transfer is held until the provider reports it. */
  readonly isHeld: boolean;
  /** Counts the transfers to the same wallet in the same chain transaction. */
  readonly ordinal: number;
}

interface CanceledMove {
  readonly move: KnownMove;
  readonly txHash: Hex;
}

export interface Matched {
  readonly seen: readonly SeenTransfer[];
  readonly canceled: readonly CanceledMove[];
}

/** A transfer before a rail has identified it. */
export type RawTransfer = Pick<SeenTransfer, 'log' | 'fromWallet' | 'toWallet' | 'ordinal'>;

/**
 * Matches the logs of one token with the moves of every rail. `held` are earlier transfers that no rail could identify:
 * they are tried again, before the new ones. `earlier` are logs of the first log's chain transaction that were applied
 * before: the ordinals continue from them.
 */
export async function matchLogs(
  db: Queryable,
  rails: Rails,
  asset: NetworkAsset,
  logs: readonly TokenLog[],
  wallets: ReadonlyMap<string, string>,
  held: readonly RawTransfer[] = [],
  earlier: readonly TokenLog[] = [],
): Promise<Matched> {
  const all = [...held.map(({ log }) => log), ...logs];
  const said: Identified[] = [];
  for (const rail of distinctRails(rails)) {
    said.push(await rail.identify(db, asset, all, providersOf(rails, rail)));
  }
  const name = (raw: RawTransfer): SeenTransfer => {
    const place = placeOf(raw.log);
    const move = said.map(({ yes }) => yes.get(place)).find((one) => one !== undefined);
    return { ...raw, move, isHeld: !move && said.some(({ maybe }) => maybe.has(place)) };
  };
  return {
    seen: [...held, ...findTransfers([...earlier, ...logs], wallets).slice(countTransfers(earlier))].map(name),
    canceled: said.flatMap(({ canceled }) => canceled),
  };
}

const countTransfers = (logs: readonly TokenLog[]): number => logs.filter((log) => log.kind === 'transfer').length;

function findTransfers(logs: readonly TokenLog[], wallets: ReadonlyMap<string, string>): RawTransfer[] {
  const ordinals = new Map<string, number>();
  return logs
    .filter((log) => log.kind === 'transfer')
    .map((log) => {
      const toWallet = wallets.get(log.to.toLowerCase());
      const counter = `${log.txHash}:${toWallet}`;
      const ordinal = ordinals.get(counter) ?? 0;
      ordinals.set(counter, ordinal + 1);
      return { log, fromWallet: wallets.get(log.from.toLowerCase()), toWallet, ordinal };
    });
}

/**
 * Coins that arrived and belong to the wallet's owner: from outside, or by a send that we know. A settlement credits no
 * one. An unknown transfer from one of our wallets may be a settlement, so it credits no one until an operator imports
 * it.
 */
export const isDeposit = (seen: SeenTransfer): boolean =>
  seen.toWallet !== undefined &&
  !seen.isHeld &&
  seen.move?.purpose !== 'settlement' &&
  !isUnexplained(seen) &&
  seen.log.amount > 0n;

/** Coins left one of our wallets, and no move of ours explains it. */
export const isUnexplained = ({ fromWallet, move, isHeld, log }: SeenTransfer): boolean =>
  fromWallet !== undefined && !isHeld && move === undefined && log.amount > 0n;
