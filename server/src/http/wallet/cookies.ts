import type { IncomingMessage } from 'node:http';

export interface Cookies {
  /** The session's refresh token. Only the wallet's own requests carry it; a link from another site does not. */
  readonly session: string;
  /** A login in progress. It returns with a redirect from the issuer, so it is not `Strict`. */
  readonly login: string;
  render(name: string, value: string, rules: { readonly sameSite: 'Strict' | 'Lax'; readonly seconds: number }): string;
}

/**
 * `__Host-` makes browsers require TLS and this exact host. Not all of them accept it on http://127.0.0.1, so the
 * sandbox, which has no TLS, does not use it.
 */
export function chooseCookies(isTls: boolean, app = 'florin'): Cookies {
  const prefix = isTls ? '__Host-' : '';
  return {
    session: `${prefix}${app}-session`,
    login: `${prefix}${app}-login`,
    render: (name, value, { sameSite, seconds }) =>
      `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${isTls ? '; Secure' : ''}`,
  };
}

export function findCookie(request: IncomingMessage, name: string): string | undefined {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const at = part.indexOf('=');
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim() || undefined;
  }
  return undefined;
}
