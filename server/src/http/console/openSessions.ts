/**
 * The sessions of the operator console. They are only in the memory of this process: an operator's password is part of
 * the database connection that a session holds, and both are gone when the session or the process ends.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../db/database.ts';

/** Why there is no session any more. */
export type Ending = 'idle' | 'expired' | 'removed' | 'ended';

export interface ConsoleSession {
  readonly operator: string;
  readonly identity: { readonly issuer: string; readonly subject: string };
  /** The client's address. The cookie works nowhere else, and the session does not end when a thief tries. */
  readonly address: string;
  readonly sinceMs: number;
  usedAtMs: number;
  /** The operator's own connection; undefined until they have given their password. */
  readonly db: Db | undefined;
}

export interface SessionRules {
  readonly idleSeconds: number;
  readonly longestSeconds: number;
}

export interface ConsoleSessions {
  /** Returns the secret of the cookie. */
  begin(session: Pick<ConsoleSession, 'operator' | 'identity' | 'address' | 'db'>): string;
  find(secret: string, address: string): ConsoleSession | Ending | undefined;
  /** Closes the connection. */
  end(secret: string, why: Ending): Promise<void>;
  close(): Promise<void>;
}

/** An operator who has not given a password does not hold a session for longer. */
const PASSWORD_SECONDS = 300;
const SWEEP_MS = 10_000;
/** How many ended sessions are remembered, so that their pages can say why. */
const REMEMBERED = 1_000;

export function openSessions(rules: SessionRules): ConsoleSessions {
  const sessions = new Map<string, ConsoleSession>();
  const ended = new Map<string, Ending>();

  async function end(key: string, why: Ending): Promise<void> {
    const session = sessions.get(key);
    if (!session) return;
    sessions.delete(key);
    ended.set(key, why);
    if (ended.size > REMEMBERED) ended.delete(ended.keys().next().value!);
    await session.db?.close();
  }

  function findEnd({ sinceMs, usedAtMs, db }: ConsoleSession): Ending | undefined {
    const nowMs = Date.now();
    if (nowMs - sinceMs >= rules.longestSeconds * 1000) return 'expired';
    const idleSeconds = db ? rules.idleSeconds : Math.min(PASSWORD_SECONDS, rules.idleSeconds);
    return nowMs - usedAtMs >= idleSeconds * 1000 ? 'idle' : undefined;
  }

  const sweeper = setInterval(() => {
    for (const [key, session] of sessions) {
      const why = findEnd(session);
      if (why) void end(key, why);
    }
  }, SWEEP_MS).unref();

  return {
    begin(session) {
      const secret = randomBytes(32).toString('base64url');
      const nowMs = Date.now();
      sessions.set(keyOf(secret), { ...session, sinceMs: nowMs, usedAtMs: nowMs });
      return secret;
    },
    find(secret, address) {
      const key = keyOf(secret);
      const session = sessions.get(key);
      if (!session) return ended.get(key);
      const why = findEnd(session);
      if (why) void end(key, why);
      return why ?? (session.address === address ? session : undefined);
    },
    end: (secret, why) => end(keyOf(secret), why),
    async close() {
      clearInterval(sweeper);
      await Promise.all([...sessions.keys()].map((key) => end(key, 'ended')));
    },
  };
}

/** A dump of this process's memory does not contain usable cookies of ended requests. */
const keyOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
