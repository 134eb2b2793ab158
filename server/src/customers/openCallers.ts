import { PayError } from '../core/errors.ts';
import { openLane, type Statement } from '../db/openLane.ts';
import { createBatcher } from '../ledger/createBatcher.ts';
import { type Caller, hashOf } from './sessions.ts';

export interface Callers {
  /** Who sends this access token. Throws `auth.invalid`. */
  get(accessToken: string): Promise<Caller>;
  close(): Promise<void>;
}

const FIND: Statement = {
  name: 'find_callers',
  text: `SELECT encode(t.hash, 'hex'), s.user_id, s.session_id, t.expires_at <= now(), s.ended_at IS NOT NULL
           FROM session_tokens t JOIN sessions s USING (session_id)
          WHERE t.hash = ANY ($1::bytea[]) AND t.kind = 'access'`,
};

type Found = Caller | 'unknown' | 'expired' | 'revoked';

/**
 * Looks up everybody who calls at the same moment in one statement, as payments are batched. Nothing is kept: a cache
 * of a second would be a second in which a session that was ended still pays, and there would be every other process
 * to tell. `bench/p2p.ts` states what the look-ups cost.
 */
export function openCallers(databaseUrl: string): Callers {
  const lane = openLane(databaseUrl, { applicationName: 'florin-callers' });
  const batcher = createBatcher<string, Found>({
    lanes: 1,
    isConflict: () => false,
    // Nothing has been asked for yet: a client is told at once that the database is away.
    giveUpAfterMs: 0,
    run: async (_, hashes) => {
      const rows = await lane.run(FIND, [`{${hashes.map((hash) => `"\\\\x${hash}"`).join(',')}}`]);
      const found = new Map<string, Found>();
      for (const [hash, userId, sessionId, expired, ended] of rows) {
        found.set(
          hash!,
          ended === 't' ? 'revoked' : expired === 't' ? 'expired' : { userId: userId!, sessionId: sessionId! },
        );
      }
      return hashes.map((hash) => found.get(hash) ?? 'unknown');
    },
  });
  return {
    async get(accessToken) {
      const found = await batcher.submit(hashOf(accessToken).toString('hex'));
      if (typeof found === 'string') throw new PayError('auth.invalid', { reason: found });
      return found;
    },
    async close() {
      await batcher.close();
      await lane.close();
    },
  };
}
