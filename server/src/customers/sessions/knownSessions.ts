import type { Lane, Statement } from '../../db/openLane.ts';
import type { Caller } from './sessions.ts';

/** Whose access token this is: that cannot change. Whether they may still act can. */
export interface KnownCaller extends Caller {
  readonly accessToken: string;
  /** When the token's time is over, by this process's own clock, which never goes backwards. */
  readonly untilMs: number;
  /** Something has happened to the session: who it is has to be asked anew. */
  isChanged: boolean;
}

/**
 * What one process remembers of sessions, by their tokens as they come: hashing them for every call took as long as
 * everything else about a session. They are in memory for as long as they are good for, and nowhere else.
 */
export interface KnownSessions {
  find(accessToken: string): KnownCaller | undefined;
  /** The caller to go on with; undefined when something has happened since it was read, and it must be read again. */
  remember(epoch: string, read: Omit<KnownCaller, 'isChanged'>): KnownCaller | undefined;
  /** Everything that is remembered and not `isChanged` is true as of this epoch of `ledger_state`. */
  readonly epoch: string | undefined;
  /** Learns what has happened since. */
  catchUp(lane: Lane): Promise<void>;
}

const READ_CHANGES: Statement = {
  name: 'read_session_changes',
  text: `SELECT l.sessions_epoch, s.session_id
           FROM ledger_state l LEFT JOIN sessions s ON s.changed_epoch > $1::bigint AND l.sessions_epoch > $1::bigint
          LIMIT 10001`,
};
const MAX_CHANGES = 10_000;
const MAX_KEPT = 100_000;

export function createKnownSessions(): KnownSessions {
  const kept = new Map<string, KnownCaller>();
  const bySession = new Map<string, KnownCaller[]>();
  let epoch: bigint | undefined;

  function forget(caller: KnownCaller): void {
    caller.isChanged = true;
    kept.delete(caller.accessToken);
    const others = bySession.get(caller.sessionId)?.filter((one) => one !== caller) ?? [];
    if (others.length > 0) bySession.set(caller.sessionId, others);
    else bySession.delete(caller.sessionId);
  }

  function forgetAll(): void {
    for (const caller of kept.values()) caller.isChanged = true;
    kept.clear();
    bySession.clear();
  }

  return {
    find(accessToken) {
      const caller = kept.get(accessToken);
      if (!caller || performance.now() < caller.untilMs) return caller;
      forget(caller);
      return undefined;
    },
    remember(seenText, read) {
      const seen = BigInt(seenText);
      epoch ??= seen;
      // Read before the last catching up: what ended in between would stay unnoticed for ever.
      if (seen < epoch) return undefined;
      const known = kept.get(read.accessToken);
      if (known) return known;
      if (kept.size >= MAX_KEPT) forget(kept.values().next().value as KnownCaller);
      const caller = { ...read, isChanged: false };
      kept.set(caller.accessToken, caller);
      bySession.set(caller.sessionId, [...(bySession.get(caller.sessionId) ?? []), caller]);
      return caller;
    },
    get epoch() {
      return epoch?.toString();
    },
    async catchUp(lane) {
      const since = epoch ?? 0n;
      const rows = await lane.run(READ_CHANGES, [String(since)]);
      const seen = BigInt(rows[0]![0]!);
      // Another lane has been faster, and knows at least as much.
      if (epoch !== undefined && epoch > since && seen <= epoch && seen >= since) return;
      // A database that was restored is behind us, and too many changes are not worth reading.
      if (seen < since || rows.length > MAX_CHANGES) forgetAll();
      else for (const [, sessionId] of rows) for (const caller of bySession.get(sessionId ?? '') ?? []) forget(caller);
      epoch = seen;
    },
  };
}
