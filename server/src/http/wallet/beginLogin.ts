/** The steps of a login over the issuer that the wallet and the operator console share. */
import { createHash, randomBytes } from 'node:crypto';
import type { CodeFlow } from '../../adapters/identity/codeFlow.ts';
import { PayError } from '../../core/errors.ts';
import { isSameSecret } from '../../core/isSameSecret.ts';
import type { SitePage } from '../contract/createApi.ts';
import type { LoginUnderWay } from './sealLogin.ts';

export const LOGIN_SECONDS = 600;
/** Accepts only our own paths and their queries, not one that a browser would read as another host. */
const OWN_PATH = /^\/(?![/\\])[\w\-/@%]*(?:\?[\w\-/@%.~!*'(),;:=&+?$]*)?$/;
/** The target is part of a cookie. A note of 140 emoji, percent-encoded, fits. */
const MAX_TARGET = 2_000;

/** The page that a person opened before the login. If its query is too long, the path remains. */
export function parseTarget(wanted: string | null): string {
  const fitting = [wanted ?? '/', wanted?.split('?')[0] ?? '/'];
  return fitting.find((one) => one.length <= MAX_TARGET && OWN_PATH.test(one)) ?? '/';
}

/** Where the browser goes, and what the caller seals into a cookie until it comes back. */
export async function beginLogin(
  flow: CodeFlow,
  redirectUri: string,
  query: URLSearchParams,
): Promise<{ readonly url: string; readonly underWay: LoginUnderWay }> {
  const underWay: LoginUnderWay = {
    state: random(),
    nonce: random(),
    verifier: random(),
    to: parseTarget(query.get('to')),
    endsAtMs: Date.now() + LOGIN_SECONDS * 1000,
  };
  const hint = query.get('as');
  const url = await flow.findLoginUrl({
    redirectUri,
    state: underWay.state,
    nonce: underWay.nonce,
    challenge: createHash('sha256').update(underWay.verifier).digest('base64url'),
    extra: {
      ...(hint && { login_hint: hint, one_click: 'yes' }),
      // The issuer may otherwise still know the browser, and the login would prove nothing.
      ...(query.get('fresh') === 'yes' && { prompt: 'login' }),
    },
  });
  return { url, underWay };
}

const random = (): string => randomBytes(32).toString('base64url');

export const isSameText = (given: string, wanted: string): boolean =>
  isSameSecret(Buffer.from(given), Buffer.from(wanted));

/** The app shows what went wrong with a login, and a button to log in again, on the page that the person opened. */
export function reportFailure(error: unknown, target = '/'): SitePage {
  if (!(error instanceof PayError)) throw error;
  return redirect(withResult(target, FAILURES[error.code] ?? 'failed'));
}

export const withResult = (target: string, result: string): string =>
  `${target}${target.includes('?') ? '&' : '?'}login=${result}`;

const FAILURES: Readonly<Partial<Record<PayError['code'], string>>> = {
  'service.unavailable': 'unavailable',
  'account.closed': 'closed',
  'rate.limited': 'limited',
};

export const redirect = (location: string, cookie?: string): SitePage => ({
  status: 303,
  contentType: 'text/plain; charset=utf-8',
  body: '',
  headers: ['Location', location, ...(cookie === undefined ? [] : ['Set-Cookie', cookie])],
});
