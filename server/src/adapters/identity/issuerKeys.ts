import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { fetchSupplied, type Reach } from '../supplied/fetchSupplied.ts';
import { readBounded } from '../supplied/readBounded.ts';
import type { IssuerRule } from './issuerRule.ts';

/**
 * The keys of one issuer. We tried jose's own remote key set, and it lacks these rules: in an outage it fails every
 * login once its cache is old, although good keys are in memory, and after a failed fetch it has no cooldown, so tokens
 * with random key ids make it flood the issuer. Here:
 *
 * - known keys keep working through an outage of the issuer, up to a day;
 * - we ask the issuer at most once per cooldown, with one request at a time, no matter what callers send;
 * - every request to it ends within the time-out.
 */
export interface IssuerKeys {
  /**
   * `unknown`: the keys that were just fetched do not contain `kid`. `Unavailable`: fresh keys could not be fetched, or
   * not yet, because the last fetch is too recent. The issuer may have begun to use the key since then.
   */
  find(kid: string | undefined): Promise<JWTVerifyGetKey | 'unknown' | Unavailable>;
  /** For operators: fetches the keys unless that happened recently, and reports the result. */
  probe(): Promise<{ readonly hasKeys: boolean; readonly fault: unknown }>;
}

interface Unavailable {
  /** When the issuer may be asked again. */
  readonly retryAfterMs: number;
}

export interface IssuerKeysOptions {
  readonly timeoutMs?: number;
  readonly freshMs?: number;
  readonly staleMs?: number;
  readonly cooldownMs?: number;
  readonly retryMs?: number;
  readonly now?: () => number;
  /** Fetches URLs named by an issuer's discovery document, through the SSRF guard. */
  readonly reach?: Reach;
}

const MAX_ANSWER_BYTES = 256 * 1024;

interface Known {
  readonly fetchedAt: number;
  readonly kids: ReadonlySet<string>;
  readonly getKey: JWTVerifyGetKey;
}

export function issuerKeys(rule: IssuerRule, options: IssuerKeysOptions = {}): IssuerKeys {
  const { timeoutMs = 3_000, freshMs = 600_000, staleMs = 86_400_000, cooldownMs = 30_000, retryMs = 2_000 } = options;
  const now = options.now ?? Date.now;
  let known: Known | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let fault: unknown;
  let underWay: Promise<void> | undefined;

  function refresh(): Promise<void> {
    underWay ??= fetchKeySet(rule, timeoutMs, options.reach)
      .then((set) => {
        known = { fetchedAt: now(), kids: kidsOf(set), getKey: createLocalJWKSet(set) };
        failedAt = Number.NEGATIVE_INFINITY;
        fault = undefined;
      })
      // An invalid key set counts as no answer: we keep the current keys.
      .catch((error: unknown) => {
        failedAt = now();
        fault = error;
      })
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  }

  /** The time until we may ask the issuer; 0 or less: now. */
  const pauseMs = (): number =>
    Math.max(failedAt + retryMs, (known?.fetchedAt ?? Number.NEGATIVE_INFINITY) + cooldownMs) - now();
  const mayAsk = (): boolean => underWay !== undefined || pauseMs() <= 0;
  const holds = (kid: string | undefined): boolean =>
    known !== undefined && now() - known.fetchedAt < staleMs && (kid === undefined || known.kids.has(kid));

  return {
    async find(kid) {
      if (holds(kid)) {
        // Refresh in the background: the login uses the current key.
        if (now() - known!.fetchedAt >= freshMs && mayAsk()) void refresh();
        return known!.getKey;
      }
      const isFresh = mayAsk();
      if (isFresh) await refresh();
      if (holds(kid)) return known!.getKey;
      const hasAnswered = known !== undefined && failedAt === Number.NEGATIVE_INFINITY;
      return isFresh && hasAnswered ? 'unknown' : { retryAfterMs: Math.max(0, pauseMs()) };
    },
    async probe() {
      if (mayAsk()) await refresh();
      return { hasKeys: holds(undefined), fault };
    },
  };
}

const kidsOf = (set: JSONWebKeySet): Set<string> =>
  new Set(set.keys.map((key) => key.kid).filter((kid) => kid !== undefined));

async function fetchKeySet(rule: IssuerRule, timeoutMs: number, reach?: Reach): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(timeoutMs);
  const set = rule.jwksUri ? await fetchJson(rule.jwksUri, signal) : await discoverKeys(rule.issuers[0], signal, reach);
  if (!Array.isArray((set as JSONWebKeySet | null)?.keys)) throw new Error('not a JWK set');
  // A symmetric key in a public set is the issuer's mistake: anyone could sign with it.
  const keys = (set as JSONWebKeySet).keys.filter((key) => typeof key?.kty === 'string' && key.kty !== 'oct');
  if (keys.length === 0) throw new Error('a JWK set without a usable key');
  return { keys };
}

/**
 * The operator chose the issuer's URL, and a `jwks_uri` in the configuration. A `jwks_uri` in a discovery document
 * comes from the issuer, so outside the issuer's own origin it goes through the SSRF guard.
 */
async function discoverKeys(issuer: string, signal: AbortSignal, reach?: Reach): Promise<unknown> {
  const document = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal);
  const { issuer: said, jwks_uri: jwksUri } = (document ?? {}) as Record<string, unknown>;
  if (said !== issuer) throw new Error('the discovery document names another issuer');
  if (typeof jwksUri !== 'string') throw new Error('the discovery document has no jwks_uri');
  if (URL.canParse(jwksUri) && new URL(jwksUri).origin === new URL(issuer).origin) return fetchJson(jwksUri, signal);
  const { status, body } = await fetchSupplied(jwksUri, {
    headers: { accept: 'application/json' },
    maxBytes: MAX_ANSWER_BYTES,
    signal,
    ...(reach && { reach }),
  });
  if (status !== 200) throw new Error(`status ${status}`);
  return JSON.parse(body.toString('utf8'));
}

async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  const answer = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
  return JSON.parse(await readBounded(answer, MAX_ANSWER_BYTES));
}
