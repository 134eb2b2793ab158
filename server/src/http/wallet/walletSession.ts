/**
 * The wallet's session. Its refresh token is in a cookie that no script can read; a page gets only access tokens and
 * keeps them in memory. A login is an authorization code with PKCE, begun and finished by the server, so that the page
 * never sees a code, a verifier or an ID token.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { CodeFlow } from '../../adapters/identity/codeFlow.ts';
import { PayError } from '../../core/errors.ts';
import type { Hex } from '../../core/ports.ts';
import { type LoginApp, login } from '../../customers/login/login.ts';
import { spendOnce } from '../../customers/login/spendOnce.ts';
import { refreshSession } from '../../customers/sessions/refreshSession.ts';
import { findRefreshed, type IssuedTokens, revokeSession } from '../../customers/sessions/sessions.ts';
import { type Customer, getCustomer } from '../../customers/users.ts';
import type { Overviews } from '../../overview/openOverview.ts';
import { printOverview } from '../answers/printOverview.ts';
import { renderCustomer, renderTokens } from '../backend/login.ts';
import type { CountedLogin } from '../calls/createCallLimits.ts';
import type { SitePage } from '../contract/createApi.ts';
import type { Visit } from '../contract/operation.ts';
import { beginLogin, isSameText, LOGIN_SECONDS, redirect, reportFailure, withResult } from './beginLogin.ts';
import { type Cookies, findCookie } from './cookies.ts';
import { sealLogin, unsealLogin } from './sealLogin.ts';

export interface WalletSessionApp extends LoginApp {
  readonly homeBlockchain: string;
  readonly overviews: Overviews;
  /** Throws if there were too many of its kind. */
  readonly countLogin: (visit: Visit, what: CountedLogin) => Promise<void> | undefined;
}

interface Exchanged {
  readonly tokens: IssuedTokens;
  readonly customer: Customer;
}

export interface WalletSession {
  begin(request: IncomingMessage, query: URLSearchParams): Promise<SitePage>;
  finish(request: IncomingMessage, query: URLSearchParams, visit: Visit): Promise<SitePage>;
  /**
   * The first request of a page: returns an access token together with the overview, so that the balance needs no
   * second request.
   */
  open(request: IncomingMessage, visit: Visit): Promise<SitePage>;
  /** A new access token for an open page. */
  refresh(request: IncomingMessage, visit: Visit): Promise<SitePage>;
  end(request: IncomingMessage): Promise<SitePage>;
}

export function openWalletSession(
  app: WalletSessionApp,
  flow: CodeFlow,
  cookies: Cookies,
  originOf: (request: IncomingMessage) => string,
): WalletSession {
  const redirectUri = (request: IncomingMessage) => `${originOf(request)}/callback`;

  const keep = (token: string): string =>
    cookies.render(cookies.session, token, { sameSite: 'Strict', seconds: app.sessions.refreshTokenSeconds });

  /** Any request carries the cookie, so only requests from our own pages may use it. */
  function refuseForeign(request: IncomingMessage): void {
    if (request.headers.origin !== originOf(request)) throw new PayError('request.origin');
  }

  /**
   * The exchange is repeatable under a key derived from the token itself: a page that was reloaded before the answer
   * arrived repeats it with the same cookie, and this does not count as token theft. Undefined: no one is logged in.
   *
   * The session is found first, which reads one row, so that a known cookie counts for its session and a junk cookie as
   * a failed attempt of its address.
   */
  async function exchange(request: IncomingMessage, visit: Visit): Promise<Exchanged | undefined> {
    refuseForeign(request);
    const refreshToken = findCookie(request, cookies.session);
    if (refreshToken === undefined) return undefined;
    const found = await findRefreshed(app.db, refreshToken);
    await app.countLogin(visit, found ? { session: found.sessionId } : 'failed');
    if (!found) throw new PayError('auth.invalid', { reason: 'unknown' });
    const idempotencyKey = createHash('sha256').update(`wallet refresh ${refreshToken}`).digest('hex');
    const tokens = await refreshSession(app, { refreshToken, idempotencyKey });
    return { tokens, customer: await getCustomer(app.db, found.userId) };
  }

  function render({ tokens, customer }: Exchanged) {
    const { refresh_token: _, ...shown } = renderTokens(tokens);
    return { ...shown, ...renderCustomer(customer, app.homeBlockchain) };
  }

  /** The session works without the overview; the page then requests it separately. */
  async function readOverview({ user, wallet }: Customer): Promise<string> {
    const read = wallet ? app.overviews.read(wallet.address as Hex) : app.overviews.readWithoutWallet(user.userId);
    return read.then(
      (overview) => printOverview(wallet?.address ?? null, overview),
      () => 'null',
    );
  }

  return {
    async begin(request, query) {
      const { url, underWay } = await beginLogin(flow, redirectUri(request), query);
      const value = await sealLogin(app, underWay);
      return redirect(url, cookies.render(cookies.login, value, { sameSite: 'Lax', seconds: LOGIN_SECONDS }));
    },

    /** The wallet reports errors of this step, because the browser returns to it. */
    async finish(request, query, visit) {
      const sealed = findCookie(request, cookies.login);
      if (sealed === undefined) return redirect('/?login=expired');
      const underWay = await unsealLogin(app, sealed);
      if (!underWay || !isSameText(query.get('state') ?? '', underWay.state)) {
        await app.countLogin(visit, 'failed');
        return redirect('/?login=expired');
      }
      const code = query.get('code');
      if (code === null) {
        const why = query.get('error') === 'access_denied' ? 'cancelled' : 'failed';
        return redirect(withResult(underWay.to, why));
      }
      await app.countLogin(visit, 'login');
      const { state, verifier, nonce, endsAtMs } = underWay;
      // One call of the issuer per login, whatever codes are tried with its cookie.
      const isFirst = await app.db.tx((tx) => spendOnce(tx, `wallet login ${state}`, new Date(endsAtMs)));
      if (!isFirst) return redirect(withResult(underWay.to, 'expired'));
      try {
        const idToken = await flow.exchange({ redirectUri: redirectUri(request), code, verifier, nonce });
        const { tokens } = await login(app, { idToken, userAgent: request.headers['user-agent'] ?? null });
        return redirect(underWay.to, keep(tokens.refreshToken));
      } catch (error) {
        return reportFailure(error, underWay.to);
      }
    },

    async open(request, visit) {
      const exchanged = await exchange(request, visit);
      if (!exchanged) return sendJson(NO_SESSION);
      const overview = await readOverview(exchanged.customer);
      const body = `{"session":${JSON.stringify(render(exchanged))},"overview":${overview}}`;
      return sendJson(body, keep(exchanged.tokens.refreshToken));
    },

    async refresh(request, visit) {
      const exchanged = await exchange(request, visit);
      if (!exchanged) return sendJson(NO_SESSION);
      return sendJson(JSON.stringify({ session: render(exchanged) }), keep(exchanged.tokens.refreshToken));
    },

    async end(request) {
      refuseForeign(request);
      const refreshToken = findCookie(request, cookies.session);
      const caller = refreshToken === undefined ? undefined : await findRefreshed(app.db, refreshToken);
      if (caller) {
        await app.db
          .tx((tx) => revokeSession(tx, caller, caller.sessionId))
          .catch((error: unknown) => {
            // The session had already ended.
            if (!(error instanceof PayError && error.code === 'session.unknown')) throw error;
          });
      }
      return sendJson(NO_SESSION, cookies.render(cookies.session, '', { sameSite: 'Strict', seconds: 0 }));
    },
  };
}

const NO_SESSION = '{"session":null}';

const sendJson = (body: string, cookie?: string): SitePage => ({
  contentType: 'application/json',
  body,
  headers: cookie === undefined ? [] : ['Set-Cookie', cookie],
});
