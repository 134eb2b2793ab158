import { hash } from 'node:crypto';
import { PayError } from '../core/errors.ts';
import { type Lane, openLane, type Statement } from '../db/openLane.ts';
import { createBatcher } from '../ledger/createBatcher.ts';
import type { Caller } from './sessions.ts';

/** A caller who was known a moment ago. Whoever acts for them has `tokenHash` confirmed in the statement that acts. */
export interface RecalledCaller extends Caller {
  /** Hexadecimal. */
  readonly tokenHash: string;
  /** It was not confirmed: the next call looks it up. */
  forget(): void;
}

export interface Callers {
  /** Who sends this access token, as PostgreSQL says now. Throws `auth.invalid`. */
  get(accessToken: string): Promise<Caller>;
  /** Who sent it before, from memory; a token that was not seen yet is looked up. Throws `auth.invalid`. */
  recall(accessToken: string): RecalledCaller | Promise<RecalledCaller>;
  close(): Promise<void>;
}

const FIND: Statement = {
  name: 'find_callers',
  text: `SELECT encode(t.hash, 'hex'), s.user_id, s.session_id, t.expires_at <= now(), s.ended_at IS NOT NULL
           FROM session_tokens t JOIN sessions s USING (session_id)
          WHERE t.hash = ANY ($1::bytea[]) AND t.kind = 'access'`,
};

type Found = Caller | 'unknown' | 'expired' | 'revoked';

/** By hash; those that are not in the answer are unknown. */
export async function findCallers(lane: Lane, hashes: readonly string[]): Promise<Map<string, Found>> {
  const rows = await lane.run(FIND, [renderHashes(hashes)]);
  const found = new Map<string, Found>();
  for (const [tokenHash, userId, sessionId, expired, ended] of rows) {
    const caller = { userId: userId!, sessionId: sessionId! };
    found.set(tokenHash!, ended === 't' ? 'revoked' : expired === 't' ? 'expired' : caller);
  }
  return found;
}

/** As an array of `bytea`. */
export const renderHashes = (hashes: readonly string[]): string =>
  `{${hashes.map((tokenHash) => `"\\\\x${tokenHash}"`).join(',')}}`;

const MAX_KEPT = 100_000;

/**
 * Looks up everybody who calls at the same moment in one statement, as payments are batched. What decides is never
 * kept: a cache of a second would be a second in which a session that was ended still pays, and there would be every
 * other process to tell. Only whose token it is, which cannot change, is remembered, for calls that ask PostgreSQL
 * about the session in the same statement in which they act. `bench/p2p.ts` states what that costs.
 */
export function openCallers(databaseUrl: string): Callers {
  const lane = openLane(databaseUrl, { applicationName: 'florin-callers' });
  const kept = new Map<string, RecalledCaller>();
  const batcher = createBatcher<string, Found>({
    lanes: 1,
    isConflict: () => false,
    // Nothing has been asked for yet: a client is told at once that the database is away.
    giveUpAfterMs: 0,
    run: async (_, hashes) => {
      const found = await findCallers(lane, hashes);
      return hashes.map((tokenHash) => found.get(tokenHash) ?? 'unknown');
    },
  });

  async function find(tokenHash: string): Promise<Caller> {
    const found = await batcher.submit(tokenHash);
    if (typeof found === 'string') throw new PayError('auth.invalid', { reason: found });
    return found;
  }

  async function remember(tokenHash: string): Promise<RecalledCaller> {
    const caller = { ...(await find(tokenHash)), tokenHash, forget: () => void kept.delete(tokenHash) };
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value as string);
    kept.set(tokenHash, caller);
    return caller;
  }

  return {
    get: (accessToken) => find(hash('sha256', accessToken)),
    recall(accessToken) {
      const tokenHash = hash('sha256', accessToken);
      return kept.get(tokenHash) ?? remember(tokenHash);
    },
    async close() {
      await batcher.close();
      await lane.close();
    },
  };
}
