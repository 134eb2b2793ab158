/**
 * A person's tokens. The caller's store keeps them; they are refreshed before they expire or when the service refuses
 * them, once for all waiting calls. A refresh token is valid for one exchange, and reusing an old one ends the session.
 * So two rules matter: a token is never refreshed twice concurrently, and a refresh whose answer was lost is repeated
 * under the key that was stored with its token beforehand.
 */
import { asFlorinError, FlorinError } from './FlorinError.ts';
import { newKey } from './newKey.ts';
import type { Credentials } from './openTransport.ts';
import { orAborted } from './wait.ts';

/** The result of a login. Store it whole; it is secret. */
export interface Session {
  readonly userId: string;
  readonly sessionId: string;
  readonly accessToken: string;
  /** In milliseconds since 1970, by this machine's clock. */
  readonly accessEndsAt: number;
  readonly refreshToken: string;
  /** The Idempotency-Key for exchanging this refresh token, the same for all attempts. */
  readonly refreshKey: string;
}

/** Stores a session across reloads or restarts. Without a store, the session is kept in memory. */
export interface SessionStore {
  load(): Session | undefined | Promise<Session | undefined>;
  /** Undefined: the session has ended. */
  save(session: Session | undefined): void | Promise<void>;
}

/** Runs work exclusively among all users of the store. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>;

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly session_id: string;
}

export interface KeptSession extends Credentials {
  findSession(): Promise<Session | undefined>;
  /** Throws if no one is logged in. */
  getSession(): Promise<Session>;
  begin(userId: string, tokens: Tokens): Promise<void>;
  end(): Promise<void>;
}

interface KeepSessionOptions {
  readonly store?: SessionStore | undefined;
  readonly lock: Lock;
  exchange(refreshToken: string, key: string): Promise<Tokens>;
}

/** Refreshes this long before expiry, so that a token does not expire during a call. */
const MARGIN_MS = 20_000;

export function keepSession(options: KeepSessionOptions): KeptSession {
  const { store = keepInMemory(), exchange } = options;
  const lock: Lock = (work) => options.lock(work).catch(fail);
  let current: Session | undefined;
  let isLoaded = false;
  let refreshing: Promise<Session> | undefined;
  /** The refresh tokens that we have exchanged: a store that still contains one could not save the result. */
  const spent = new Set<string>();

  async function findSession(): Promise<Session | undefined> {
    if (!isLoaded) {
      current = await Promise.resolve()
        .then(() => store.load())
        .catch(fail);
      isLoaded = true;
    }
    return current;
  }

  async function keep(session: Session | undefined): Promise<void> {
    current = session;
    isLoaded = true;
    await store.save(session);
  }

  async function getSession(): Promise<Session> {
    const session = await findSession();
    if (!session) throw noSession();
    return session;
  }

  const load = async (): Promise<Session | undefined> => {
    const stored = await store.load();
    const isBehind = stored && stored.refreshToken !== current?.refreshToken && spent.has(stored.refreshToken);
    return isBehind ? current : stored;
  };

  /** Another tab or process may have refreshed already: use the stored session, not the one in memory. */
  const refresh = (old: Session): Promise<Session> =>
    lock(async () => {
      const stored = await load();
      if (stored?.userId !== old.userId) {
        // The caller has logged out, or another person has logged in: this call must not run in another person's name.
        current = stored;
        throw noSession();
      }
      if (stored.refreshToken !== old.refreshToken) {
        current = stored;
        return stored;
      }
      try {
        const next = toSession(stored.userId, await exchange(stored.refreshToken, stored.refreshKey));
        const latest = await load();
        if (latest?.refreshToken !== stored.refreshToken) {
          // Without a lock, a person may have logged out or in meanwhile; that takes precedence.
          current = latest;
          throw noSession();
        }
        spent.add(stored.refreshToken);
        // A session that could not be saved is still valid until the page is left, and may be saved next time.
        await keep(next).catch(() => {});
        return next;
      } catch (error) {
        if (error instanceof FlorinError && error.status === 401) await keep(undefined);
        throw error;
      }
    });

  function refreshOnce(old: Session): Promise<Session> {
    refreshing ??= refresh(old).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  return {
    findSession,
    getSession,
    begin: (userId, tokens) => lock(() => keep(toSession(userId, tokens))),
    end: () => lock(() => keep(undefined)),
    async getToken(signal) {
      const session = await getSession();
      const fresh = session.accessEndsAt - MARGIN_MS > Date.now() ? session : refreshOnce(session);
      return (await orAborted(Promise.resolve(fresh), signal)).accessToken;
    },
    async renew(refused, signal) {
      const session = await getSession();
      // Another call has refreshed it meanwhile.
      if (session.accessToken !== refused) return true;
      return (await orAborted(refreshOnce(session), signal)).accessToken !== refused;
    },
  };
}

const toSession = (userId: string, tokens: Tokens): Session => ({
  userId,
  sessionId: tokens.session_id,
  accessToken: tokens.access_token,
  accessEndsAt: Date.now() + tokens.expires_in * 1000,
  refreshToken: tokens.refresh_token,
  refreshKey: newKey(),
});

function keepInMemory(): SessionStore {
  let kept: Session | undefined;
  return {
    load: () => kept,
    save: (session) => {
      kept = session;
    },
  };
}

/** What the caller gave us failed: the store or the lock. */
const fail = (thrown: unknown): never => {
  throw asFlorinError(thrown);
};

const noSession = (): FlorinError => new FlorinError({ code: 'session.none', title: 'No one is logged in' });
