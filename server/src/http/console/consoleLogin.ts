/**
 * Logging in to the console takes two proofs: the OpenID login that the roster lists for an operator, and the password
 * of that operator's database login. Then the console works with the operator's own connection, so PostgreSQL knows the
 * person (docs/decisions/0056-the-operator-console.md).
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { CodeFlow } from '../../adapters/identity/codeFlow.ts';
import type { IdTokens } from '../../core/ports.ts';
import type { Db } from '../../db/database.ts';
import type { Role } from '../../operators/operators.ts';
import { recordAudit } from '../../operators/recordAudit.ts';
import { findOperatorOf, findOwnRole } from '../../operators/roster.ts';
import type { SitePage } from '../contract/createApi.ts';
import type { Visit } from '../contract/operation.ts';
import { beginLogin, isSameText, LOGIN_SECONDS, redirect, reportFailure, withResult } from '../wallet/beginLogin.ts';
import { type Cookies, findCookie } from '../wallet/cookies.ts';
import { seal, unseal } from '../wallet/sealLogin.ts';
import { ConsoleFault } from './consoleFault.ts';
import { limitAttempts } from './limitAttempts.ts';
import type { ConsoleSession, ConsoleSessions, Ending, SessionRules } from './openSessions.ts';

interface ConsoleLoginApp {
  /** The console's own login, which reads the roster. */
  readonly db: Db;
  readonly idTokens: Pick<IdTokens, 'verify'>;
  readonly flow: CodeFlow;
  readonly cookies: Cookies;
  readonly sessions: ConsoleSessions;
  readonly rules: SessionRules;
  readonly originOf: (request: IncomingMessage) => string;
  /** Opens the database as this operator. */
  readonly connect: (operator: string, password: string) => Db;
  /** Only in the sandbox: whom `as=NAME` logs in at the issuer. */
  readonly findHint: (operator: string) => string | undefined;
  /** Only in the sandbox: the operator's password, so that one click is enough. */
  readonly findPassword: (operator: string) => string | undefined;
}

/** An operator who is logged in, with the connection that PostgreSQL knows as theirs. */
export interface LoggedIn {
  readonly operator: string;
  readonly role: Role;
  readonly db: Db;
}

type State =
  | { readonly state: 'none'; readonly why?: Ending }
  | { readonly state: 'password'; readonly operator: string }
  | {
      readonly state: 'open';
      readonly operator: string;
      readonly role: Role;
      readonly since: string;
      readonly idle_at: string;
      readonly ends_at: string;
    };

export interface ConsoleLogin {
  begin(request: IncomingMessage, query: URLSearchParams): Promise<SitePage>;
  finish(request: IncomingMessage, query: URLSearchParams, visit: Visit): Promise<SitePage>;
  givePassword(request: IncomingMessage, visit: Visit, password: string): Promise<SitePage>;
  readState(request: IncomingMessage, visit: Visit): Promise<SitePage>;
  end(request: IncomingMessage, visit: Visit): Promise<SitePage>;
  /** Throws `console.login_required` or `console.password_required`. Asked before every reading. */
  authorize(request: IncomingMessage, visit: Visit): Promise<LoggedIn>;
}

export function openConsoleLogin(app: ConsoleLoginApp): ConsoleLogin {
  const { db, flow, cookies, sessions, rules, idTokens } = app;
  /** Logins that began before a restart of the console begin again. */
  const secret = { secretId: '0', secret: randomBytes(32) };
  const callbacks = limitAttempts({ most: 30, seconds: 60 });
  const passwords = limitAttempts({ most: 5, seconds: 900 });
  const redirectUri = (request: IncomingMessage) => `${app.originOf(request)}/callback`;
  const keep = (value: string, seconds = rules.longestSeconds) =>
    cookies.render(cookies.session, value, { sameSite: 'Strict', seconds });

  function find(request: IncomingMessage, { address }: Visit) {
    const cookie = findCookie(request, cookies.session);
    const session = cookie === undefined ? undefined : sessions.find(cookie, address);
    return { cookie, session };
  }

  /** The role now; undefined if the operator, their way to log in, or their database login no longer exists. */
  const findRole = (connection: Db, session: Pick<ConsoleSession, 'identity'>): Promise<Role | undefined> =>
    findOwnRole(connection, session.identity).catch((error: unknown) => {
      if (isRefusedLogin(error)) return undefined;
      throw error;
    });

  async function open(session: Omit<ConsoleSession, 'db' | 'sinceMs' | 'usedAtMs'>, password: string): Promise<string> {
    const connection = app.connect(session.operator, password);
    try {
      const role = await findOwnRole(connection, session.identity);
      if (!role) throw new ConsoleFault('console.forbidden', `${session.operator} is not an operator of this service.`);
      await connection.tx((tx) => recordAudit(tx, { actor: `operator:${session.operator}`, action: 'operator.login' }));
      return sessions.begin({ ...session, db: connection });
    } catch (error) {
      await connection.close();
      throw isRefusedLogin(error) ? new ConsoleFault('console.password_wrong') : error;
    }
  }

  async function toState({ cookie, session }: ReturnType<typeof find>): Promise<State> {
    if (typeof session !== 'object') return { state: 'none', ...(session && { why: session }) };
    const { operator, db: connection, sinceMs, usedAtMs } = session;
    if (!connection) return { state: 'password', operator };
    const role = await findRole(connection, session);
    if (!role) {
      await sessions.end(cookie!, 'removed');
      return { state: 'none', why: 'removed' };
    }
    const at = (ms: number) => new Date(ms).toISOString();
    const endsAtMs = sinceMs + rules.longestSeconds * 1000;
    const idleAtMs = Math.min(usedAtMs + rules.idleSeconds * 1000, endsAtMs);
    return { state: 'open', operator, role, since: at(sinceMs), idle_at: at(idleAtMs), ends_at: at(endsAtMs) };
  }

  return {
    async begin(request, query) {
      const hint = app.findHint(query.get('as') ?? '');
      if (hint === undefined) query.delete('as');
      else query.set('as', hint);
      const { url, underWay } = await beginLogin(flow, redirectUri(request), query);
      const value = seal(secret, underWay);
      return redirect(url, cookies.render(cookies.login, value, { sameSite: 'Lax', seconds: LOGIN_SECONDS }));
    },

    async finish(request, query, visit) {
      const sealed = findCookie(request, cookies.login);
      const underWay = sealed === undefined ? undefined : await unseal(async () => secret.secret, sealed);
      if (!underWay || !isSameText(query.get('state') ?? '', underWay.state)) return redirect('/?login=expired');
      const { to, verifier, nonce } = underWay;
      const code = query.get('code');
      if (code === null)
        return redirect(withResult(to, query.get('error') === 'access_denied' ? 'cancelled' : 'failed'));
      try {
        callbacks.count(visit.address);
        const idToken = await flow.exchange({ redirectUri: redirectUri(request), code, verifier, nonce });
        const { identity } = await idTokens.verify(idToken);
        const operator = await findOperatorOf(db, identity);
        if (operator === undefined) return redirect(withResult(to, 'unknown'));
        const { cookie } = find(request, visit);
        if (cookie !== undefined) await sessions.end(cookie, 'ended');
        const session = { operator, identity, address: visit.address };
        const password = app.findPassword(operator);
        const value =
          password === undefined ? sessions.begin({ ...session, db: undefined }) : await open(session, password);
        return redirect(to, keep(value));
      } catch (error) {
        if (error instanceof ConsoleFault) return redirect(withResult(to, 'failed'));
        return reportFailure(error, to);
      }
    },

    async givePassword(request, visit, password) {
      const { cookie, session } = find(request, visit);
      if (typeof session !== 'object') throw loginRequired(session);
      passwords.count(session.operator);
      const value = await open(session, password);
      passwords.takeBack(session.operator);
      // A new secret: whoever knew the cookie before the password has nothing.
      await sessions.end(cookie!, 'ended');
      return sendJson(await toState({ cookie: value, session: sessions.find(value, visit.address) }), keep(value));
    },

    readState: async (request, visit) => sendJson(await toState(find(request, visit))),

    async end(request, visit) {
      const { cookie, session } = find(request, visit);
      if (typeof session === 'object') await sessions.end(cookie!, 'ended');
      return sendJson({ state: 'none', why: 'ended' }, keep('', 0));
    },

    async authorize(request, visit) {
      const { cookie, session } = find(request, visit);
      if (typeof session !== 'object') throw loginRequired(session);
      if (!session.db) throw new ConsoleFault('console.password_required');
      const role = await findRole(session.db, session);
      if (!role) {
        await sessions.end(cookie!, 'removed');
        throw loginRequired('removed');
      }
      // A page that polls in the background does not keep its operator logged in.
      if (request.headers['x-background'] === undefined) session.usedAtMs = Date.now();
      return { operator: session.operator, role, db: session.db };
    },
  };
}

const loginRequired = (why: Ending | undefined): ConsoleFault =>
  new ConsoleFault('console.login_required', undefined, why && { why });

/** PostgreSQL refuses the login: a wrong password, or a login that no longer exists. */
function isRefusedLogin(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause)
    if (['28P01', '28000'].includes((one as { code?: string }).code ?? '')) return true;
  return false;
}

const sendJson = (body: State, cookie?: string): SitePage => ({
  contentType: 'application/json',
  body: JSON.stringify(body),
  headers: cookie === undefined ? [] : ['Set-Cookie', cookie],
});
