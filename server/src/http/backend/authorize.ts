import type { IncomingHttpHeaders } from 'node:http';
import { PayError } from '../../core/errors.ts';
import type { AccountCaller, Scope, ServiceCaller, ServiceCallers } from '../../customers/keys/serviceKeys.ts';
import type { Callers } from '../../customers/sessions/openCallers.ts';
import type { Caller } from '../../customers/sessions/sessions.ts';
import { authorizeAccountKey, authorizeKey } from '../calls/authorizeKey.ts';
import { WEBHOOK_OPERATIONS } from '../hooks/providerWebhooks.ts';
import { scopesOf } from './keys/keyOperations.ts';

export type Mode = 'sandbox' | 'production';

/**
 * Calls that anyone may make. They show what a person has made public, or what a request for money says to anyone who has
 * its id. A credential that is sent with them is not read.
 */
const PUBLIC = ['find_public_name', 'find_public_request'];
/** Public calls, and calls with another proof: an ID token, a refresh token, or a provider's signature. */
const WITHOUT_BEARER: ReadonlySet<string> = new Set([
  'login',
  'refresh_session',
  'hear_sumsub',
  ...PUBLIC,
  ...WEBHOOK_OPERATIONS,
]);

/** The statements of these calls check the session themselves, so they need no check beforehand. */
const CONFIRM_THEMSELVES: ReadonlySet<string> = new Set(['send_usdc', 'latest_transactions_by_username']);

/** These calls are about the caller's own money, so they need a known caller in the sandbox too. */
const OWN: ReadonlySet<string> = new Set([
  'read_me',
  'change_me',
  'find_keyed_payment',
  'find_address',
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
  'list_events',
  'stream_events',
  'create_account_key',
  'list_account_keys',
  'revoke_account_key',
  'end_all_sessions',
  'list_passkeys',
  'create_passkey_challenge',
  'prove_passkey',
  'add_passkey',
  'remove_passkey',
  'set_passkey_rule',
  'keep_passkeys',
]);

/** Services can also make these calls, with a service key that has the scope. The calls then cover all people. */
const BY_KEY: ReadonlyMap<string, Scope> = new Map([['list_events', 'events']]);
/** Only keys can make these calls: those of services and of accounts. */
const ONLY_BY_KEY: ReadonlyMap<string, Scope> = new Map([
  ...[
    'create_payout',
    'list_payouts',
    'get_payout',
    'confirm_payout',
    'cancel_payout',
    'list_payout_items',
    'export_payout_items',
  ].map((id) => [id, 'payouts'] as const),
  ...[
    'create_webhook',
    'list_webhooks',
    'get_webhook',
    'change_webhook',
    'remove_webhook',
    'rotate_webhook_secret',
    'list_webhook_deliveries',
    'replay_webhook_event',
    'replay_webhook_events',
    'test_webhook',
  ].map((id) => [id, 'webhooks'] as const),
]);
const isKey = (token: string): boolean => token.startsWith('fsk_');
const isAccountKey = (token: string): boolean => token.startsWith('fak_');

interface CallArrived {
  readonly headers: IncomingHttpHeaders;
  readonly operationId: string;
  readonly certificate: string | undefined;
  readonly address: string;
}

/**
 * Finds the caller. In the sandbox, the documented calls work without a credential, as the interface says. In
 * production they need the access token from login. A credential that is sent is checked in both modes.
 */
export function authorize(
  app: { readonly callers: Callers; readonly serviceCallers: ServiceCallers; readonly mode: Mode },
  call: CallArrived,
): Caller | undefined | Promise<Caller | ServiceCaller | AccountCaller> {
  if (WITHOUT_BEARER.has(call.operationId)) return undefined;
  const header = call.headers.authorization;
  if (header !== undefined) {
    if (CONFIRM_THEMSELVES.has(call.operationId)) {
      // The session cache matches only the exact text `Bearer <token>`; everything else is parsed.
      const known = app.callers.sessions.findHeader(header);
      if (known) return known;
      const token = parseBearer(header);
      return isAccountKey(token) ? authorizeOwn(app, call, token) : app.callers.recall(token);
    }
    const token = parseBearer(header);
    if (isAccountKey(token)) return authorizeOwn(app, call, token);
    const scope = ONLY_BY_KEY.get(call.operationId) ?? (isKey(token) ? BY_KEY.get(call.operationId) : undefined);
    if (scope !== undefined) return authorizeKey(app.serviceCallers, token, scope, call);
    return app.callers.get(token);
  }
  const isClosed = OWN.has(call.operationId) || ONLY_BY_KEY.has(call.operationId);
  if (app.mode === 'production' || isClosed) throw new PayError('auth.required');
  return undefined;
}

/** The same on the wallet's address, which takes sessions only: what gets into its pages must not find a use for a key. */
export function authorizePerson(app: Parameters<typeof authorize>[0], call: CallArrived): ReturnType<typeof authorize> {
  if (/^Bearer +f[as]k_/i.test(call.headers.authorization ?? '')) throw new PayError('key.person_only');
  return authorize(app, call);
}

const authorizeOwn = (app: { readonly serviceCallers: ServiceCallers }, call: CallArrived, key: string) =>
  authorizeAccountKey(app.serviceCallers, key, scopesOf(call.operationId), call);

export function parseBearer(header: string): string {
  const match = /^Bearer +([\w~+/.=-]{1,512})$/i.exec(header);
  if (!match) throw new PayError('auth.invalid', { reason: 'malformed' });
  return match[1]!;
}

export function getRequiredCaller(caller: Caller | undefined): Caller {
  if (!caller) throw new PayError('auth.required');
  return caller;
}

/** Called before any lookup, so that the answer does not reveal whether another person's id exists. */
export function refuseOthers(caller: Caller | undefined, userId: string): void {
  if (caller && caller.userId !== userId) throw new PayError('auth.forbidden');
}
