import type { Hex, TokenLog } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';
import type { KnownMove } from '../coins/moves.ts';
import type { NetworkAsset } from '../network.ts';
import { distinctRails, type Identified, placeOf, providersOf, type Rails } from '../rail.ts';

type TransferLog = Extract<TokenLog, { kind: 'transfer' }>;

/** One transfer of coins from or to a wallet of ours, with what we know about it. */
export interface SeenTransfer {
  readonly log: TransferLog;
  readonly fromWallet: string | undefined;
  readonly toWallet: string | undefined;
  /** The move of ours that it is. */
  readonly move: KnownMove | undefined;
  /** It may be an open move; only its provider knows. Until it tells, the transfer is held. */
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

/** A transfer before anybody has said whose it is. */
export type RawTransfer = Pick<SeenTransfer, 'log' | 'fromWallet' | 'toWallet' | 'ordinal'>;

/**
 * Joins what one token said with the moves of every rail. `held` are transfers of earlier looks that no rail could name
 * yet: they are asked about again, before the new ones. `earlier` are logs of the first one's chain transaction that were
 * applied before: ordinals count on.
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

/** Coins that came in and are not a settlement: they belong to the wallet's owner. */
export const isDeposit = ({ toWallet, move, isHeld, log }: SeenTransfer): boolean =>
  toWallet !== undefined && !isHeld && move?.purpose !== 'settlement' && log.amount > 0n;

/** Coins of ours that went away, and no move of ours explains it. */
export const isUnexplained = ({ fromWallet, move, isHeld, log }: SeenTransfer): boolean =>
  fromWallet !== undefined && !isHeld && move === undefined && log.amount > 0n;
