import { decodeJwt } from 'jose';
import { PayError } from '../../core/errors.ts';
import { fetchSupplied, type Reach } from '../supplied/fetchSupplied.ts';
import { readBounded } from '../supplied/readBounded.ts';

/** The login of a web app at an issuer: authorization code flow with PKCE. */
export interface CodeFlow {
  /** Returns the URL where the person logs in. */
  findLoginUrl(login: LoginAsked): Promise<string>;
  /** Returns the ID token. Only its nonce has been verified. A refused code is `auth.invalid`. */
  exchange(login: LoginDone): Promise<string>;
}

interface LoginAsked {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** The SHA-256 hash of the verifier, as PKCE requires. */
  readonly challenge: string;
  /** Additional parameters, such as `login_hint`. */
  readonly extra?: Readonly<Record<string, string>>;
}

interface LoginDone {
  readonly redirectUri: string;
  readonly code: string;
  readonly verifier: string;
  readonly nonce: string;
}

interface CodeFlowOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly timeoutMs?: number;
  readonly now?: () => number;
  readonly reach?: Reach;
}

interface Endpoints {
  readonly readAt: number;
  readonly authorization: string;
  readonly token: string;
}

const SCOPE = 'openid email profile';
const MAX_ANSWER_BYTES = 256 * 1024;
const FRESH_MS = 600_000;

export function codeFlow(options: CodeFlowOptions): CodeFlow {
  const { issuer, clientId, clientSecret, timeoutMs = 5_000, now = Date.now, reach } = options;
  const own = new URL(issuer).origin;
  let known: Endpoints | undefined;

  /** The operator chose the issuer's origin. An endpoint on another origin is called through the SSRF guard. */
  async function ask(url: string, form: string | undefined, signal: AbortSignal): Promise<[number, string]> {
    const headers = {
      accept: 'application/json',
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    const request = form === undefined ? { headers } : { method: 'POST' as const, headers, body: form };
    if (new URL(url).origin === own) {
      const answer = await fetch(url, { ...request, signal, redirect: 'error' });
      return [answer.status, await readBounded(answer, MAX_ANSWER_BYTES)];
    }
    const guarded = { ...request, maxBytes: MAX_ANSWER_BYTES, signal, ...(reach && { reach }) };
    const { status, body } = await fetchSupplied(url, guarded);
    return [status, body.toString('utf8')];
  }

  async function discover(): Promise<Endpoints> {
    if (known && now() - known.readAt < FRESH_MS) return known;
    const signal = AbortSignal.timeout(timeoutMs);
    const [status, text] = await ask(
      `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
      undefined,
      signal,
    );
    if (status !== 200) throw new Error(`status ${status}`);
    const said = JSON.parse(text) as Record<string, unknown>;
    const { authorization_endpoint: authorization, token_endpoint: token } = said;
    if (said.issuer !== issuer) throw new Error('the discovery document names another issuer');
    if (!isUrl(authorization) || !isUrl(token)) throw new Error('the discovery document has no endpoints for a login');
    known = { readAt: now(), authorization, token };
    return known;
  }

  /** Known endpoints keep working while the discovery document is unavailable. */
  const getEndpoints = (): Promise<Endpoints> =>
    discover().catch((cause: unknown) => {
      if (known) return known;
      throw unavailable(cause);
    });

  return {
    async findLoginUrl({ redirectUri, state, nonce, challenge, extra }) {
      const url = new URL((await getEndpoints()).authorization);
      const query = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...extra,
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return url.href;
    },

    async exchange({ redirectUri, code, verifier, nonce }) {
      const { token } = await getEndpoints();
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: redirectUri,
        code,
        code_verifier: verifier,
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
      });
      const [status, text] = await ask(token, form.toString(), AbortSignal.timeout(timeoutMs)).catch((cause) => {
        throw unavailable(cause);
      });
      if (status >= 500) throw unavailable(new Error(`status ${status}`));
      if (status !== 200) throw new PayError('auth.invalid', { reason: 'code' });
      return readIdToken(text, nonce);
    },
  };
}

/** The nonce ties the token to the login that this browser started. */
function readIdToken(text: string, nonce: string): string {
  let idToken: unknown;
  let said: unknown;
  try {
    idToken = (JSON.parse(text) as Record<string, unknown>).id_token;
    said = decodeJwt(String(idToken)).nonce;
  } catch (cause) {
    throw new PayError('auth.invalid', { reason: 'malformed' }, { cause });
  }
  if (said !== nonce) throw new PayError('auth.invalid', { reason: 'nonce' });
  return String(idToken);
}

const isUrl = (text: unknown): text is string => typeof text === 'string' && URL.canParse(text);

const unavailable = (cause: unknown): PayError =>
  new PayError('service.unavailable', { dependency: 'identity issuer' }, { cause });
