/** The state of the service, as the console's server answers. Amounts are decimal text, times are ISO 8601 in UTC. */
import type { PayoutRow } from './flows.ts';
import type { State } from './payments.ts';
import type { Pause } from './people.ts';

export interface Home {
  readonly at: string;
  readonly span: 'day' | 'week' | 'month';
  readonly since: string;
  readonly buckets: {
    readonly at: string;
    readonly payments: number;
    readonly volume: string;
    readonly sends: number;
    readonly failed: number;
    readonly refused: number;
  }[];
  readonly totals: {
    readonly payments: number;
    readonly volume: string;
    readonly sends: number;
    readonly failed: number;
    readonly refused: number;
    readonly success_rate: number | null;
  };
  readonly open: {
    readonly state: State;
    readonly count: number;
    readonly amount: string;
    readonly oldest_at: string;
  }[];
  readonly waiting: {
    readonly sends: number;
    readonly payouts: number;
    readonly refunds: number;
    readonly corrections: number;
    readonly transfers: number;
  };
  readonly pauses: readonly Pause[];
  readonly networks: readonly Network[];
  readonly relayers: readonly Relayer[];
  readonly audit: Audit;
}

export interface Audit {
  readonly compared_at: string | null;
  readonly cycle_ended_at: string | null;
  readonly cycle_seconds: number | null;
  readonly movements: string | null;
  readonly faults: number;
}

export interface Approvals {
  readonly sends: {
    readonly transaction_id: string;
    readonly created_at: string;
    readonly amount: string;
    readonly blockchain: string;
    readonly wallet_id: string;
    readonly payer_user_id: string | null;
    readonly payer_username: string | null;
    readonly payer_kyc_status: string | null;
    readonly destination: string;
    readonly is_new_address: boolean;
    readonly key: string | null;
    readonly not_before: string | null;
    readonly approvals_needed: number;
    readonly approved_by: readonly string[];
  }[];
  readonly payouts: readonly PayoutRow[];
  readonly refunds: {
    readonly refund_id: string;
    readonly refund_of: string;
    readonly amount: string;
    readonly blockchain: string;
    readonly source: string;
    readonly reason: string;
    readonly proposed_by: string;
    readonly proposed_at: string;
    readonly approved_by: string | null;
    readonly booked_at: string | null;
    readonly denied_by: string | null;
  }[];
  readonly corrections: {
    readonly correction_id: string;
    readonly blockchain: string;
    readonly wallet_id: string | null;
    readonly amount: string;
    readonly reason: string;
    readonly proposed_by: string;
  }[];
  readonly transfers: readonly Held[];
}

export interface Held {
  readonly move_id: string;
  readonly purpose: string;
  readonly provider: string;
  readonly blockchain: string;
  readonly amount: string;
  readonly from: string;
  readonly wallet_reference: string;
  readonly to: string;
  readonly attempts: number;
  readonly first_asked_at: string;
  readonly held_at: string;
  readonly named_tx_hash: string | null;
  readonly tx_hashes: readonly string[];
  readonly decision_id: string | null;
  readonly verdict: string | null;
  readonly approved_by: string | null;
}

export interface Books {
  readonly unexplained: {
    readonly tx_hash: string;
    readonly log_index: number;
    readonly amount: string;
    readonly wallet_id: string;
    readonly to_address: string;
  }[];
  readonly debts: {
    readonly payment_id: string;
    readonly user_id: string | null;
    readonly owed: string;
    readonly available: string;
  }[];
  readonly corrections: Approvals['corrections'];
  readonly surpluses: {
    readonly blockchain: string;
    readonly wallet_id: string | null;
    readonly amount: string;
    readonly since: string;
  }[];
  readonly differences: {
    readonly blockchain: string;
    readonly symbol: string;
    readonly wallet_id: string | null;
    readonly address: string | null;
    readonly amount: string;
    readonly since: string;
  }[];
  readonly assets: {
    readonly blockchain: string;
    readonly symbol: string;
    readonly owed: string;
    readonly coins: string;
    readonly reserved: string;
    readonly wallets: number;
  }[];
  readonly moving: {
    readonly blockchain: string;
    readonly provider: string;
    readonly people_without: number;
    readonly coins_elsewhere: string;
    readonly wallets_elsewhere: number;
  }[];
  readonly audit: Audit & {
    readonly faulty: { readonly subject: string; readonly fault: string; readonly found_at: string }[];
  };
}

export interface Networks {
  readonly networks: readonly Network[];
  readonly relayers: readonly Relayer[];
}

export interface Network {
  readonly blockchain: string;
  readonly read_by: 'nodes' | 'provider';
  readonly block: string | null;
  readonly moved_at: string | null;
  readonly fault: string | null;
  readonly nodes: {
    readonly host: string;
    readonly kind: string;
    readonly about: string;
    readonly times: number;
    readonly since: string;
  }[];
}

export interface Relayer {
  readonly blockchain: string;
  readonly address: string;
  readonly gas_wei: string;
  readonly payments_left: number | null;
  readonly fault: string | null;
}

export interface Wallet {
  readonly wallet_id: string;
  readonly address: string;
  readonly user_id: string | null;
  readonly username: string | null;
  readonly provider: string;
  readonly created_at: string;
  readonly replaced_at: string | null;
  readonly blockchains: readonly string[];
  readonly others: { readonly blockchain: string; readonly wallet_id: string; readonly address: string }[];
  readonly holdings: {
    readonly blockchain: string;
    readonly coins: string;
    readonly reserved: string;
    readonly blacklisted_at: string | null;
    readonly refusal: string | null;
    readonly refused_until: string | null;
    readonly is_being_read_again: boolean;
  }[];
}
