import { PayError } from '../core/errors.ts';
import type { RateLimits, RatePolicy, Spending } from '../customers/createRateLimits.ts';

/** Calls per minute. */
export interface RateQuotas {
  /** Of one address, whoever calls from it. IPv6 callers count by their /64. */
  readonly address: number;
  /** Log-ins and refreshed sessions of one address. */
  readonly login: number;
  /** Of one person. */
  readonly user: number;
  /** Of one service key. */
  readonly key: number;
  /** Of one person (without a credential: one address), each of the identity calls. */
  readonly kyc: number;
}

const WINDOW_SECONDS = 60;
const LOGINS: ReadonlySet<string> = new Set(['login', 'refresh_session']);
const IDENTITY: ReadonlySet<string> = new Set(['start_kyc', 'issue_kyc_token', 'check_kyc', 'read_kyc']);

export interface LimitedCall {
  readonly operationId: string;
  readonly address: string;
  /** Name, value, name, value: what the answer will carry. */
  readonly answerHeaders: string[];
}

/** Who calls, once that is known. */
export type KnownCaller = { readonly userId: string } | { readonly keyId: string } | undefined;

export interface CallLimits {
  /** Before anything is looked up: a flood of guesses ends here. */
  beforeCredential(call: LimitedCall): Promise<void>;
  afterCredential(call: LimitedCall, caller: KnownCaller): Promise<void>;
}

/** Tells every caller what is left, in the words of the IETF draft, and refuses with 429 when nothing is. */
export function createCallLimits(limits: RateLimits, quotas: RateQuotas): CallLimits {
  const policies = Object.fromEntries(
    Object.entries(quotas).map(([name, quota]) => [name, { name, quota, windowSeconds: WINDOW_SECONDS }]),
  ) as Record<keyof RateQuotas, RatePolicy>;

  async function spend(call: LimitedCall, policy: RatePolicy, key: string): Promise<void> {
    const pending = limits.spend(policy, key);
    // Awaiting costs a turn of the event loop; most calls need none.
    const spending = pending instanceof Promise ? await pending : pending;
    tell(call.answerHeaders, spending);
    if (spending.allowed) return;
    const { quota } = policy;
    throw new PayError('rate.limited', {
      policy: policy.name,
      limit: quota,
      window_seconds: WINDOW_SECONDS,
      retry_after_seconds: spending.resetSeconds,
    });
  }

  return {
    async beforeCredential(call) {
      await spend(call, policies.address, call.address);
      if (LOGINS.has(call.operationId)) await spend(call, policies.login, call.address);
    },
    async afterCredential(call, caller) {
      if (caller && 'userId' in caller) await spend(call, policies.user, caller.userId);
      else if (caller) await spend(call, policies.key, caller.keyId);
      if (!IDENTITY.has(call.operationId)) return;
      const who = caller && 'userId' in caller ? caller.userId : call.address;
      await spend(call, policies.kyc, `${call.operationId}:${who}`);
    },
  };
}

/** Several policies are one header, the second after a comma. */
function tell(headers: string[], { policy, remaining, resetSeconds }: Spending): void {
  const left = `"${policy.name}";r=${remaining};t=${resetSeconds}`;
  const rule = `"${policy.name}";q=${policy.quota};w=${policy.windowSeconds}`;
  const at = headers.indexOf('RateLimit');
  if (at === -1) {
    headers.push('RateLimit', left, 'RateLimit-Policy', rule);
    return;
  }
  headers[at + 1] += `, ${left}`;
  headers[at + 3] += `, ${rule}`;
}
