/**
 * The logged-in person. The refresh token is in a cookie that no script can read; a page has only an access token, in
 * memory. The service's client requests a new one when it needs it, and all tabs take turns.
 */
import { type BackendTypes, createClient, FlorinError, type Session } from '@florin/client';
import { onFailedRead } from './resource.ts';
import { createStore } from './store.ts';

type Schemas = BackendTypes['schemas'];

interface Opened {
  readonly user: Schemas['User'];
  readonly wallet: Schemas['Wallet'];
}

export type SessionState =
  | { readonly is: 'out'; readonly because?: 'ended' | 'unreachable' }
  | ({ readonly is: 'in' } & Opened);

interface CookieAnswer {
  readonly session:
    | (Opened & { readonly access_token: string; readonly expires_in: number; readonly session_id: string })
    | null;
  /** Null: the service could not read it; the page then requests it. */
  readonly overview?: Schemas['OwnOverview'] | null;
}

declare global {
  interface Window {
    /** The page itself has already sent the request while this script was loading (index.html). */
    opening?: Promise<Response> | undefined;
  }
}

export const session = createStore<SessionState>({ is: 'out' });
/** Whether the service answers: undefined before the first request. */
export const connection = createStore<'ok' | 'lost'>('ok');

let kept: Session | undefined;
const store = {
  load: () => kept,
  save: (next: Session | undefined) => {
    kept = next;
  },
};

/** All tabs share the cookie, so only one of them at a time may exchange it. */
const LOCK = 'session of the wallet';
const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? navigator.locks.request(LOCK, work) : work();

const post = (path: string, signal?: AbortSignal | null): Promise<Response> =>
  fetch(path, { method: 'POST', credentials: 'same-origin', signal: signal ?? null });

/** The client exchanges a refresh token; here the cookie is exchanged instead. */
async function refreshByCookie(init: RequestInit): Promise<Response> {
  const answer = await post('/session/refresh', init.signal);
  if (!answer.ok) return answer;
  const { session: opened } = (await answer.json()) as CookieAnswer;
  if (!opened) return new Response('{}', { status: 401 });
  return Response.json({ ...opened, refresh_token: 'in the cookie' });
}

const listeners = new Set<() => void>();
/** Called whenever the stream of events is open again. */
export const onStream = (listener: () => void): void => void listeners.add(listener);

async function ask(url: string, init: RequestInit): Promise<Response> {
  const { pathname } = new URL(url);
  try {
    const answer = await (pathname === '/api/v1/sessions/refresh' ? refreshByCookie(init) : fetch(url, init));
    connection.set('ok');
    if (answer.ok && pathname === '/api/v1/events/stream') for (const listener of listeners) listener();
    return answer;
  } catch (error) {
    if (!init.signal?.aborted) connection.set('lost');
    throw error;
  }
}

export const florin = createClient({
  backendUrl: location.origin,
  fetch: ask,
  store,
  lock: inTurn,
  timeoutMs: 20_000,
  // A person waits in front of the screen, so calls give up early. A confirmed payment must not be given up: `intents`
  // repeats it.
  retry: { attempts: 3, totalMs: 20_000 },
});

export const isSessionOver = (error: unknown): boolean =>
  error instanceof FlorinError && (error.code === 'session.none' || error.status === 401);

function askFirst(): Promise<Response> {
  const asked = window.opening;
  window.opening = undefined;
  return asked ?? inTurn(() => post('/session/open', AbortSignal.timeout(20_000)));
}

/** At the start: finds out whether a person is logged in here. The answer includes their overview. */
export async function openSession(take?: (overview: Schemas['OwnOverview']) => void): Promise<void> {
  try {
    const answer = await askFirst();
    // 429: this address has refreshed too many sessions in this minute, and the person may still be logged in.
    if (answer.status >= 500 || answer.status === 429) throw new Error('unavailable');
    const { session: opened, overview }: CookieAnswer = answer.ok ? await answer.json() : { session: null };
    if (!opened) return session.set({ is: 'out', ...(answer.status === 401 && { because: 'ended' }) });
    store.save({
      userId: opened.user.user_id,
      sessionId: opened.session_id,
      accessToken: opened.access_token,
      accessEndsAt: Date.now() + opened.expires_in * 1000,
      refreshToken: 'in the cookie',
      refreshKey: 'the server makes it',
    });
    if (overview) take?.(overview);
    connection.set('ok');
    session.set({ is: 'in', user: opened.user, wallet: opened.wallet });
  } catch {
    connection.set('lost');
    session.set({ is: 'out', because: 'unreachable' });
  }
}

/** The service has ended the session: on another device, or because it was too old. */
export function dropSession(): void {
  kept = undefined;
  session.set({ is: 'out', because: 'ended' });
}

onFailedRead((error) => {
  if (!isSessionOver(error)) return false;
  dropSession();
  return true;
});

export async function logOut(): Promise<void> {
  await post('/session/end');
  location.assign('/');
}

export function rename(username: string): void {
  const now = session.get();
  if (now.is === 'in') session.set({ ...now, user: { ...now.user, username } });
}
