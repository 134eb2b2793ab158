import { PayError } from '../../core/errors.ts';
import type { RateLimits, RatePolicy, Spending } from '../../customers/limits/createRateLimits.ts';

/** Calls per minute. */
export interface RateQuotas {
  /** From one IP address, all callers together. IPv6 callers count by their /64. */
  readonly address: number;
  /** Logins and session refreshes from one address. */
  readonly login: number;
  /** By one person. */
  readonly user: number;
  /** With one service key. */
  readonly key: number;
  /** By one person (without a credential: from one address), for each of the identity calls. */
  readonly kyc: number;
  /**
   * Names and addresses that one person can look up, and payment pages that one address can open. Without this limit,
   * anyone could list the usernames.
   */
  readonly name: number;
  /** By one person; each preview costs as much as a payment. */
  readonly preview: number;
  /** Money requests by one person. */
  readonly ask: number;
  /** Exports of one account. */
  readonly export: number;
}

const WINDOW_SECONDS = 60;
const LOGINS: ReadonlySet<string> = new Set(['login', 'refresh_session']);
const IDENTITY: ReadonlySet<string> = new Set(['start_kyc', 'issue_kyc_token', 'check_kyc', 'read_kyc']);
/** Calls with their own limit in addition to the caller's. */
const OWN_LIMITS: ReadonlyMap<string, 'name' | 'preview' | 'ask' | 'export'> = new Map([
  ['check_username', 'name'],
  ['find_address', 'name'],
  ['preview_payment', 'preview'],
  ['ask_for_money', 'ask'],
  ['export_account', 'export'],
]);
/** Calls that count against more than their address and their caller. */
const SPECIAL: ReadonlySet<string> = new Set([...LOGINS, ...IDENTITY, ...OWN_LIMITS.keys(), 'find_public_name']);

interface LimitedVisit {
  /** Name, value, name, value: added to the answer. */
  readonly answerHeaders: string[];
}

interface LimitedCall extends LimitedVisit {
  readonly address: string;
  readonly operationId: string;
}

/** Undefined for a call without a credential. */
type KnownCaller = { readonly userId: string } | { readonly keyId: string } | undefined;

/** Returns the caller or throws. */
type FindCaller<Call, Caller> = (call: Call) => Caller | Promise<Caller>;

/** The quota of names that one person can look up. */
export interface NameQuota {
  /** How many are left, according to this process's own count. */
  left(userId: string): number;
  /** Counts one lookup and adds the headers. */
  spend(call: LimitedVisit, userId: string): Promise<void> | undefined;
}

/**
 * What the web wallet counts against the limit `login`. Each kind has the whole quota, so they do not use up each other:
 *
 * - `login`: logins from one address, those of the API included.
 * - `failed`: cookies from one address that no server has made, or has forgotten. Only these cost a sender of junk
 *   anything, so people behind the same address still log in and stay logged in.
 * - `session`: refreshes of one session. A large office shares an address, but not a session.
 */
export type CountedLogin = 'login' | 'failed' | { readonly session: string };

interface CallLimits {
  /** Counts any request by its address, before routing and before the credential is checked. */
  admit(visit: Pick<LimitedCall, 'address' | 'answerHeaders'>): Promise<void> | undefined;
  /** Counts a login, a session refresh or a failed attempt of the web wallet, which are not calls of the API. */
  countLogin(visit: Pick<LimitedCall, 'address' | 'answerHeaders'>, what: CountedLogin): Promise<void> | undefined;
  /** Counts a call by its kind, and then by its caller. */
  around<Call extends LimitedCall, Caller extends KnownCaller>(
    findCaller: FindCaller<Call, Caller>,
  ): FindCaller<Call, Caller>;
  /** For calls in which only some answers count as a name lookup. */
  readonly names: NameQuota;
}

function keyOfLogin(address: string, what: CountedLogin): string {
  if (typeof what === 'object') return `session ${what.session}`;
  return what === 'failed' ? `failed ${address}` : address;
}

interface Quota {
  readonly policy: RatePolicy;
  /** The name as it appears in the headers. */
  readonly quoted: string;
  readonly rule: string;
  /** Caches the header with this rule appended, keyed by the header before. There are only a few. */
  readonly joined: Map<string, string>;
}

/** Adds `RateLimit` headers (IETF draft) to every answer, and refuses with 429 when a limit is exceeded. */
export function createCallLimits(limits: RateLimits, quotas: RateQuotas): CallLimits {
  const known = Object.fromEntries(
    Object.entries(quotas).map(([name, quota]): [string, Quota] => {
      const policy = { name, quota, windowSeconds: WINDOW_SECONDS };
      const rule = `"${name}";q=${quota};w=${WINDOW_SECONDS}`;
      return [name, { policy, quoted: `"${name}"`, rule, joined: new Map() }];
    }),
  ) as Record<keyof RateQuotas, Quota>;

  /** Returns a promise only if the database is needed: awaiting one costs every call a turn of the event loop. */
  function spend(call: LimitedVisit, quota: Quota, key: string): Promise<void> | undefined {
    const spending = limits.spend(quota.policy, key);
    if (spending instanceof Promise) return spending.then((late) => settle(call, quota, late));
    settle(call, quota, spending);
    return undefined;
  }

  function spendAsKnown(call: LimitedCall, caller: KnownCaller): Promise<void> | undefined {
    if (!caller) return undefined;
    return 'keyId' in caller ? spend(call, known.key, caller.keyId) : spend(call, known.user, caller.userId);
  }

  return {
    admit: (visit) => spend(visit, known.address, visit.address),
    countLogin: (visit, what) => spend(visit, known.login, keyOfLogin(visit.address, what)),
    names: {
      left: (userId) => limits.left(known.name.policy, userId),
      spend: (call, userId) => spend(call, known.name, userId),
    },
    around: (findCaller) => {
      const countCaller = <Caller extends KnownCaller>(call: LimitedCall, caller: Caller): Caller | Promise<Caller> => {
        const late = spendAsKnown(call, caller);
        return late ? late.then(() => caller) : caller;
      };

      async function countFurther(call: Parameters<typeof findCaller>[0]) {
        const { address, operationId } = call;
        if (LOGINS.has(operationId)) await spend(call, known.login, address);
        const caller = await countCaller(call, await findCaller(call));
        if (IDENTITY.has(operationId)) {
          const who = caller && 'userId' in caller ? caller.userId : address;
          await spend(call, known.kyc, `${operationId}:${who}`);
        }
        const own = OWN_LIMITS.get(operationId);
        if (own && caller && 'userId' in caller) await spend(call, known[own], caller.userId);
        // Anyone can open a payment page, so this counts by address.
        if (operationId === 'find_public_name') await spend(call, known.name, address);
        return caller;
      }

      return (call) => {
        if (SPECIAL.has(call.operationId)) return countFurther(call);
        const found = findCaller(call);
        return found instanceof Promise ? found.then((caller) => countCaller(call, caller)) : countCaller(call, found);
      };
    },
  };
}

function settle({ answerHeaders }: LimitedVisit, quota: Quota, spending: Spending): void {
  addHeaders(answerHeaders, quota, spending);
  if (spending.allowed) return;
  throw new PayError('rate.limited', {
    policy: quota.policy.name,
    limit: quota.policy.quota,
    window_seconds: WINDOW_SECONDS,
    retry_after_seconds: spending.resetSeconds,
  });
}

/** Several policies share one header, separated by commas. */
function addHeaders(headers: string[], quota: Quota, { remaining, resetSeconds }: Spending): void {
  const left = `${quota.quoted};r=${remaining};t=${resetSeconds}`;
  const at = headers.indexOf('RateLimit');
  if (at === -1) {
    headers.push('RateLimit', left, 'RateLimit-Policy', quota.rule);
    return;
  }
  headers[at + 1] += `, ${left}`;
  headers[at + 3] = joinRule(quota, headers[at + 3]!);
}

function joinRule({ rule, joined }: Quota, before: string): string {
  const known = joined.get(before);
  if (known !== undefined) return known;
  const text = `${before}, ${rule}`;
  joined.set(before, text);
  return text;
}
