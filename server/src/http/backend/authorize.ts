import type { IncomingHttpHeaders } from 'node:http';
import { PayError } from '../../core/errors.ts';
import type { Callers } from '../../customers/sessions/openCallers.ts';
import type { Caller } from '../../customers/sessions/sessions.ts';

export type Mode = 'sandbox' | 'production';

/** These calls carry another proof: an ID token, a refresh token, or a provider's signature. */
const WITHOUT_BEARER: ReadonlySet<string> = new Set(['login', 'refresh_session', 'hear_sumsub']);

/** The statements of these calls check the session themselves, so they need no check before. */
const CONFIRM_THEMSELVES: ReadonlySet<string> = new Set(['send_usdc', 'latest_transactions_by_username']);

/** These calls are about the caller's own money, so they need to know who it is in the sandbox too. */
const OWN: ReadonlySet<string> = new Set([
  'read_me',
  'read_my_overview',
  'list_my_recipients',
  'get_transaction',
  'check_username',
  'preview_payment',
  'send_to_address',
  'ask_for_money',
  'list_requests',
  'get_request',
  'pay_request',
  'decline_request',
  'cancel_request',
  'export_account',
  'close_account',
]);

/**
 * Finds the caller. In the sandbox the documented calls work without a credential, as the interface says; in production
 * they need the access token from login. A credential that is sent is checked in both.
 */
export function authorize(
  app: { readonly callers: Callers; readonly mode: Mode },
  call: { readonly headers: IncomingHttpHeaders; readonly operationId: string },
): Caller | undefined | Promise<Caller> {
  if (WITHOUT_BEARER.has(call.operationId)) return undefined;
  const header = call.headers.authorization;
  if (header !== undefined) {
    const token = parseBearer(header);
    return CONFIRM_THEMSELVES.has(call.operationId) ? app.callers.recall(token) : app.callers.get(token);
  }
  if (app.mode === 'production' || OWN.has(call.operationId)) throw new PayError('auth.required');
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

/** Called before any lookup, so that the answer does not tell whether a foreign id exists. */
export function refuseOthers(caller: Caller | undefined, userId: string): void {
  if (caller && caller.userId !== userId) throw new PayError('auth.forbidden');
}
