import type { KnownCaller, KnownSessions } from '../../customers/sessions/knownSessions.ts';
import { type NameCache, ownKey } from './nameCache.ts';
import type { PageCache } from './pageCache.ts';
import type { HistoryPosition } from './readPayments.ts';

export interface PageAsked {
  /** Lower-cased, and a possible name. */
  readonly name: string;
  /** Set when people may read only their own history: the name must belong to this person. A cached session. */
  readonly caller?: KnownCaller | undefined;
  readonly limit: number;
  readonly after?: HistoryPosition | undefined;
}

/** The caches of a process for pages of history. */
export interface Memory {
  readonly known: NameCache;
  readonly kept: PageCache;
  readonly sessions: KnownSessions;
  /** The generation of the names on the cached pages. */
  generation: number;
}

export const keyOf = ({ caller, name }: PageAsked): string => (caller ? ownKey(caller.userId, name) : name);

export function forgetRenamed(memory: Memory): void {
  if (memory.generation === memory.known.generation) return;
  memory.generation = memory.known.generation;
  memory.kept.clear();
}
