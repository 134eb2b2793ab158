import type { IncomingHttpHeaders } from 'node:http';
import { PayError } from '../../core/errors.ts';
import type { Callers } from '../../customers/sessions/openCallers.ts';
import type { Caller } from '../../customers/sessions/sessions.ts';

export type Mode = 'sandbox' | 'production';

/** How a person gets a credential, and what a provider tells us: these carry their own proof. */
const WITHOUT_BEARER: ReadonlySet<string> = new Set(['login', 'refresh_session', 'hear_sumsub']);

/** Asks PostgreSQL about the session in the statement that pays: nothing to gain from asking before. */
const CONFIRMS_ITSELF = 'send_usdc';

/**
 * Who is calling. In the sandbox the documented calls work bare, exactly as the interface says; in production they
 * need the bearer from login. A credential that is sent is checked in both.
 */
export function authorize(
  app: { readonly callers: Callers; readonly mode: Mode },
  call: { readonly headers: IncomingHttpHeaders; readonly operationId: string },
): Caller | undefined | Promise<Caller> {
  if (WITHOUT_BEARER.has(call.operationId)) return undefined;
  const header = call.headers.authorization;
  if (header !== undefined) {
    const token = parseBearer(header);
    return call.operationId === CONFIRMS_ITSELF ? app.callers.recall(token) : app.callers.get(token);
  }
  if (app.mode === 'production') throw new PayError('auth.required');
  return undefined;
}

export function parseBearer(header: string): string {
  const match = /^Bearer +([\w~+/.=-]{1,512})$/i.exec(header);
  if (!match) throw new PayError('auth.invalid', { reason: 'malformed' });
  return match[1]!;
}

export function getRequiredCaller(caller: Caller | undefined): Caller {
  if (!caller) throw new PayError('auth.required');
  return caller;
}

/** Decided before any look-up, so that another's id and one that nobody has look alike. */
export function refuseOthers(caller: Caller | undefined, userId: string): void {
  if (caller && caller.userId !== userId) throw new PayError('auth.forbidden');
}
