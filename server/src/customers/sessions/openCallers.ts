import { hash } from 'node:crypto';
import { PayError } from '../../core/errors.ts';
import { createBatcher } from '../../db/createBatcher.ts';
import { type DedicatedConnection, openDedicatedConnection, type Statement } from '../../db/openDedicatedConnection.ts';
import { seeEpoch } from '../../ledger/epoch.ts';
import { createKnownSessions, type KnownCaller, type KnownSessions } from './knownSessions.ts';
import { type WatchCaller, watchCallers } from './watchCallers.ts';

export interface Callers {
  /** Finds the owner of this access token in PostgreSQL. Throws `auth.invalid`. */
  get(accessToken: string): Promise<KnownCaller>;
  /**
   * The same from memory; a token that is not cached is read. Only for calls whose own statement compares
   * `sessions_epoch`. Throws `auth.invalid`.
   */
  recall(accessToken: string): KnownCaller | Promise<KnownCaller>;
  readonly sessions: KnownSessions;
  readonly watch: WatchCaller;
  close(): Promise<void>;
}

/** One snapshot for the epoch and the sessions. After a restore, sessions from before it count as ended. */
const FIND: Statement = {
  name: 'find_callers',
  text: `SELECT l.sessions_epoch, l.sessions_random, encode(t.hash, 'hex'), s.user_id, s.session_id,
                s.ended_at IS NOT NULL OR s.created_at < (SELECT credentials_from('sessions')),
                extract(epoch FROM t.expires_at - now()), t.generation > 0 AND t.used_at IS NULL
           FROM ledger_state l, session_tokens t JOIN sessions s USING (session_id)
          WHERE t.hash = ANY ($1::bytea[]) AND t.kind = 'access'`,
};

/**
 * From now on the refresh that issued these tokens cannot be repeated. If two processes run this concurrently, one of
 * them writes.
 */
const NOTE_USE: Statement = {
  name: 'note_token_use',
  text: `UPDATE session_tokens SET used_at = now() WHERE hash IN (
           SELECT hash FROM session_tokens WHERE hash = ANY ($1::bytea[]) AND used_at IS NULL FOR UPDATE SKIP LOCKED)`,
};

const toHashes = (hexes: readonly string[]): string => `{${hexes.map((hex) => `"\\\\x${hex}"`).join(',')}}`;

type Refusal = 'unknown' | 'expired' | 'revoked';

/** Returns the callers in the order of the tokens. Caches valid sessions. */
export async function findCallers(
  connection: DedicatedConnection,
  sessions: KnownSessions,
  accessTokens: readonly string[],
): Promise<(KnownCaller | Refusal)[]> {
  const tokens = new Map(accessTokens.map((accessToken) => [hash('sha256', accessToken), accessToken]));
  for (;;) {
    const rows = await connection.run(FIND, [toHashes([...tokens.keys()])]);
    const found = new Map<string, KnownCaller | Refusal | undefined>();
    const unnoted: string[] = [];
    for (const [counter, random, hex, userId, sessionId, ended, secondsLeft, isUnnoted] of rows as string[][]) {
      const accessToken = tokens.get(hex!)!;
      const leftMs = Number.parseFloat(secondsLeft!) * 1000;
      const refusal = ended === 't' ? 'revoked' : leftMs <= 0 ? 'expired' : undefined;
      const read = { userId: userId!, sessionId: sessionId!, accessToken, untilMs: performance.now() + leftMs };
      if (!refusal && isUnnoted === 't') unnoted.push(hex!);
      found.set(accessToken, refusal ?? sessions.remember(seeEpoch(counter!, random!), read));
    }
    if (unnoted.length > 0) await connection.run(NOTE_USE, [toHashes(unnoted)]);
    if (![...found.values()].includes(undefined)) {
      return accessTokens.map((accessToken) => found.get(accessToken) ?? 'unknown');
    }
    // The epoch may have changed in the meantime, or commits were lost. In the latter case this clears the cache.
    await sessions.catchUp(connection);
  }
}

/**
 * Looks up all concurrent callers in one statement, as payments are batched. The cache alone never authorizes a call:
 * with a cache of one second, an ended session could pay for another second. `bench/p2p.ts` states the cost.
 */
export function openCallers(databaseUrl: string): Callers {
  const connection = openDedicatedConnection(databaseUrl, { applicationName: 'florin-callers' });
  const sessions = createKnownSessions();
  const batcher = createBatcher<string, KnownCaller | Refusal>({
    concurrency: 1,
    isConflict: () => false,
    run: (_, accessTokens) => findCallers(connection, sessions, accessTokens),
  });

  async function find(accessToken: string): Promise<KnownCaller> {
    const found = await batcher.submit(accessToken);
    if (typeof found === 'string') throw new PayError('auth.invalid', { reason: found });
    return found;
  }

  const { watch, stop } = watchCallers(() => sessions.catchUp(connection), find);
  return {
    get: find,
    recall: (accessToken) => sessions.find(accessToken) ?? find(accessToken),
    sessions,
    watch,
    async close() {
      stop();
      await batcher.close();
      await connection.close();
    },
  };
}
