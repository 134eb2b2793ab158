/** The operator of this browser: logged in, on the way, or not. */
import { onFailedRead } from '../../wallet/src/resource.ts';
import { createStore } from '../../wallet/src/store.ts';
import { ConsoleFault, connection, get, post } from './api.ts';
import type { SessionState } from './contract/session.ts';

declare global {
  interface Window {
    /** The page itself has already sent the request while this script was loading (index.html). */
    opening?: Promise<Response> | undefined;
  }
}

export type Session = SessionState | { readonly state: 'unreachable' };

export const session = createStore<Session>({ state: 'unreachable' });

export async function openSession(): Promise<void> {
  const asked = window.opening;
  window.opening = undefined;
  try {
    const first = await asked?.catch(() => undefined);
    session.set(first?.ok ? ((await first.json()) as SessionState) : await get<SessionState>('/api/session'));
    connection.set('ok');
  } catch {
    session.set({ state: 'unreachable' });
  }
}

/** After the way over the identity provider: the operator's own password of the database. */
export const sendPassword = async (password: string): Promise<void> =>
  session.set(await post<SessionState>('/session/password', { password }));

export async function logOut(): Promise<void> {
  session.set(await post<SessionState>('/session/end', {}));
}

const REASONS = ['idle', 'expired', 'removed', 'ended'] as const;

/** Shows the login in place of a read that was refused because the session is over. The path stays. */
function endsSession(error: unknown): boolean {
  if (!(error instanceof ConsoleFault) || error.status !== 401) return false;
  const now = session.get();
  if (error.code === 'console.password_required') {
    if (now.state !== 'password') void openSession();
  } else {
    const why = REASONS.find((one) => one === error.problem.why);
    session.set({ state: 'none', ...(why && { why }) });
  }
  return true;
}
onFailedRead(endsSession);

/** The way to the identity provider and back to this path; in the sandbox as one of its operators, with one click. */
export function loginPath(to: string, operator?: string): string {
  const query = new URLSearchParams({ to, ...(operator !== undefined && { as: operator }) });
  return `/session/login?${query}`;
}
