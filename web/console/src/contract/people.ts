/** People, what they may do, and what was done, as the console's server answers. Amounts are decimal text, times are ISO 8601 in UTC. */
import type { Payment } from './payments.ts';

export interface PersonRow {
  readonly user_id: string;
  readonly username: string | null;
  readonly email: string | null;
  readonly kyc_status: string;
  readonly created_at: string;
  readonly closed_at: string | null;
  readonly is_paused: boolean;
}

export interface Person {
  readonly user_id: string;
  readonly username: string | null;
  readonly old_usernames: readonly string[];
  readonly email: string | null;
  readonly issuer: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly open_sessions: number;
  readonly kyc_status: string;
  readonly kyc_reasons: readonly string[];
  readonly paused_because: string | null;
  readonly tier: string;
  readonly limits: {
    readonly limit: 'payment' | 'day' | 'month' | 'count';
    readonly maximum: string | null;
    readonly left: string | null;
    readonly resets_at: string | null;
  }[];
  readonly balances: {
    readonly blockchain: string;
    readonly available: string;
    readonly held: string;
    readonly wallet_id: string | null;
    readonly address: string | null;
  }[];
  readonly payments: (Payment & { readonly available_after: string })[];
  readonly sessions: {
    readonly session_id: string;
    readonly created_at: string;
    readonly last_used_at: string;
    readonly user_agent: string | null;
  }[];
  readonly pauses: readonly Pause[];
  readonly account_keys: readonly AccountKey[];
  readonly audit: readonly AuditEntry[];
}

export interface Pause {
  readonly scope: string;
  readonly cause: string;
  readonly stops: string;
  readonly paused_at: string;
  readonly paused_by: string;
  readonly reason: string;
}

export interface AccountKey {
  readonly key_id: string;
  readonly user_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly state: string;
  readonly limits: Limits;
  readonly addresses: readonly string[] | null;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface Limits {
  readonly payment: string | null;
  readonly day: string | null;
  readonly month: string | null;
}

export interface Key {
  readonly key_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  readonly is_expired: boolean;
  readonly is_unconfirmed: boolean;
  readonly rules: {
    readonly any_person: boolean;
    readonly users: readonly string[];
    readonly wallets: readonly string[];
    readonly people: Limits;
    readonly treasury: Limits | null;
    readonly blockchains: readonly string[] | null;
    readonly destinations: readonly string[] | null;
    readonly expires_at: string | null;
    readonly certificate: string | null;
  } | null;
}

export interface Tier {
  readonly tier: string;
  readonly payment: string | null;
  readonly day: string | null;
  readonly month: string | null;
  readonly count: number | null;
  readonly identity_check: readonly string[];
}

export interface LimitChange {
  readonly changed_at: string;
  readonly changed_by: string;
  readonly what: string;
  readonly before: string;
  readonly after: string;
  readonly reason: string | null;
}

export interface AuditEntry {
  readonly audit_id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly user_id: string | null;
  readonly details: Record<string, unknown>;
}
