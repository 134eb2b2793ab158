/** Payouts and webhooks, as the console's server answers. Amounts are decimal text, times are ISO 8601 in UTC. */

export interface PayoutRow {
  readonly payout_id: string;
  readonly state: string;
  readonly key: string;
  readonly payer: string | null;
  readonly rows: number;
  readonly total: string;
  readonly created_at: string;
  readonly approved_by: readonly string[];
}

export interface Payout {
  readonly payout_id: string;
  readonly state: string;
  readonly payer: string | null;
  readonly count: number;
  readonly total: string;
  readonly fees: string;
  readonly paid_before: Sum;
  readonly totals: {
    readonly blockchain: string;
    readonly to: string;
    readonly count: number;
    readonly total: string;
  }[];
  readonly rows: Record<string, Sum>;
  readonly on_shortage: string;
  readonly rule: string;
  readonly waiting_for: { readonly code: string; readonly detail: string } | null;
  readonly waits_until: string | null;
  readonly approvals: { readonly needed: number; readonly given: number };
  readonly file: { readonly content_type: string; readonly bytes: number; sha256: string };
  readonly warnings: readonly unknown[];
  readonly created_at: string;
  readonly confirmed_at: string | null;
  readonly ended_at: string | null;
  readonly items: {
    readonly row: number;
    readonly reference: string;
    readonly to: string;
    readonly amount: string;
    readonly blockchain: string;
    readonly note: string | null;
    readonly state: string;
    readonly transaction_id: string | null;
    readonly transaction_state: string | null;
    readonly hash: string | null;
    readonly error: { readonly code: string; readonly detail: string } | null;
  }[];
  readonly next: number | null;
}

interface Sum {
  readonly count: number;
  readonly total: string;
}

export interface Webhook {
  readonly webhook_id: string;
  readonly url: string;
  readonly description: string;
  readonly types: readonly string[];
  readonly order: 'any' | 'in_order';
  readonly state: string;
  readonly key_id: string | null;
  readonly user_id: string | null;
  readonly is_stopped: boolean;
  readonly failure: string | null;
  readonly failing_since: string | null;
  readonly created_at: string;
}

export interface Delivery {
  readonly event_id: string;
  readonly type: string;
  readonly happened_at: string;
  readonly state: string;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly attempted_at: string | null;
  readonly took_ms: number | null;
  readonly status: number | null;
  readonly answer: string | null;
  readonly fault: string | null;
  readonly earlier_attempts: {
    readonly at: string;
    readonly took_ms: number;
    readonly status: number | null;
    readonly answer: string | null;
    readonly fault: string | null;
  }[];
}
