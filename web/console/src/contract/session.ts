/** Who is logged in, and facts about the service, as the console's server answers. Amounts are decimal text, times are ISO 8601 in UTC. */

export interface ConsoleFacts {
  readonly name: string;
  readonly home_blockchain: string;
  readonly explorers: Record<string, string>;
  readonly wallet_url: string | null;
  readonly idle_seconds: number;
  readonly session_seconds: number;
  readonly sandbox: { readonly operators: { readonly name: string; readonly role: Role }[] } | null;
}

type Role = 'admin' | 'risk' | 'support';

export type SessionState =
  | { readonly state: 'none'; readonly why?: 'idle' | 'expired' | 'removed' | 'ended' }
  | { readonly state: 'password'; readonly operator: string }
  | {
      readonly state: 'open';
      readonly operator: string;
      readonly role: Role;
      readonly since: string;
      readonly idle_at: string;
      readonly ends_at: string;
    };
