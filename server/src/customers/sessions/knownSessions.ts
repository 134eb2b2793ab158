import type { DedicatedConnection, Statement } from '../../db/openDedicatedConnection.ts';
import { type Epoch, isSameEpoch, seeEpoch } from '../../ledger/epoch.ts';
import { noteLoss } from '../../operators/noteLoss.ts';
import type { Caller } from './sessions.ts';

/** The owner of an access token, which never changes, and whether the session may have ended. */
export interface KnownCaller extends Caller {
  readonly accessToken: string;
  /** When the token expires, by this process's monotonic clock. */
  readonly untilMs: number;
  /** The session has changed since it was read. It must be read again before use. */
  isChanged: boolean;
}

/**
 * A cache of sessions, keyed by the header with the plain token: hashing the token for every call took as long as all
 * other work for a session. Tokens are kept in memory only, and only while they are valid.
 */
export interface KnownSessions {
  find(accessToken: string): KnownCaller | undefined;
  /** The same by the whole Authorization header, so that callers need not extract the token first. */
  findHeader(authorization: string): KnownCaller | undefined;
  /** Returns the caller of this token, or undefined when the session has changed and must be read again. */
  remember(epoch: Epoch, read: Omit<KnownCaller, 'isChanged'>): KnownCaller | undefined;
  /** Every cached session that is not `isChanged` is valid as of this epoch of `ledger_state`. */
  readonly epoch: Epoch | undefined;
  /** Marks the sessions that have changed since then, or all sessions if the database has never been in that epoch. */
  catchUp(connection: DedicatedConnection): Promise<void>;
}

const READ_CHANGES: Statement = {
  name: 'read_session_changes',
  text: `SELECT l.sessions_epoch, l.sessions_random, ledger_epoch_standing('sessions', $1, $2), s.session_id
           FROM ledger_state l LEFT JOIN sessions s ON s.changed_epoch > $1::bigint AND l.sessions_epoch > $1::bigint
          LIMIT 10001`,
};
const MAX_CHANGES = 10_000;
const MAX_KEPT = 100_000;

const headerOf = (accessToken: string): string => `Bearer ${accessToken}`;

export function createKnownSessions(): KnownSessions {
  /** Keyed by header. */
  const kept = new Map<string, KnownCaller>();
  const bySession = new Map<string, KnownCaller[]>();
  let epoch: Epoch | undefined;

  function forget(caller: KnownCaller): void {
    caller.isChanged = true;
    kept.delete(headerOf(caller.accessToken));
    const others = bySession.get(caller.sessionId)?.filter((one) => one !== caller) ?? [];
    if (others.length > 0) bySession.set(caller.sessionId, others);
    else bySession.delete(caller.sessionId);
  }

  function forgetAll(): void {
    for (const caller of kept.values()) caller.isChanged = true;
    kept.clear();
    bySession.clear();
  }

  function findHeader(authorization: string): KnownCaller | undefined {
    const caller = kept.get(authorization);
    if (!caller || performance.now() < caller.untilMs) return caller;
    forget(caller);
    return undefined;
  }

  return {
    find: (accessToken) => findHeader(headerOf(accessToken)),
    findHeader,
    remember(seen, read) {
      epoch ??= seen;
      // Read before the last update of the epoch: if the session ended in between, we would never notice. The same
      // counter with different random bits means that commits were lost.
      if (BigInt(seen.counter) < BigInt(epoch.counter)) return undefined;
      if (seen.counter === epoch.counter && seen.random !== epoch.random) return undefined;
      const header = headerOf(read.accessToken);
      const known = kept.get(header);
      if (known) return known;
      if (kept.size >= MAX_KEPT) forget(kept.values().next().value as KnownCaller);
      // Written out field by field: V8 did not know the shape of an object made by a spread, which made every payment
      // read it slowly.
      const { userId, sessionId, accessToken, untilMs } = read;
      const caller: KnownCaller = { userId, sessionId, accessToken, untilMs, isChanged: false };
      kept.set(header, caller);
      bySession.set(caller.sessionId, [...(bySession.get(caller.sessionId) ?? []), caller]);
      return caller;
    },
    get epoch() {
      return epoch;
    },
    async catchUp(connection) {
      const since = epoch;
      const rows = await connection.run(READ_CHANGES, [since?.counter ?? null, since?.random ?? null]);
      const [counter, random, standing] = rows[0]!;
      if (since && standing === 'lost') await noteLoss(connection, 'sessions', since);
      // Another connection has caught up in the meantime.
      if (epoch !== since) return;
      if (standing !== 'held' || rows.length > MAX_CHANGES) forgetAll();
      else {
        for (const [, , , sessionId] of rows) for (const caller of bySession.get(sessionId ?? '') ?? []) forget(caller);
      }
      const seen = seeEpoch(counter!, random!);
      if (!isSameEpoch(epoch, seen)) epoch = seen;
    },
  };
}
