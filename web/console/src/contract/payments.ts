/** Payments, as the console's server answers. Amounts are decimal text, times are ISO 8601 in UTC. */

export type State =
  | 'INITIATED'
  | 'CLEARED'
  | 'QUEUED'
  | 'SENT'
  | 'STUCK'
  | 'CONFIRMED'
  | 'COMPLETE'
  | 'FAILED'
  | 'DENIED'
  | 'CANCELLED';

type Kind = 'user' | 'chain' | 'deposit' | 'correction' | 'debt';

export type Party =
  | { readonly address: string | null }
  | { readonly wallet_id: string }
  | { readonly username: string | null; readonly service?: true; readonly redirected_from?: string };

interface Step {
  readonly at: string;
  readonly state: State | null;
  readonly tx_hash: string | null;
  readonly note: string | null;
}

export interface Payment {
  readonly transaction_id: string;
  readonly state: State;
  readonly kind: Kind;
  readonly amount: string;
  readonly blockchain: string;
  readonly from: Party;
  readonly to: Party;
  readonly tx_hash: string | null;
  readonly network_fee: string | null;
  readonly error_reason: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly timeline: readonly Step[];
  readonly payment_note?: string;
  readonly refund_of?: string;
  readonly reason?: string;
}

export interface PaymentDetail {
  readonly what: 'payment' | 'request' | 'refusal';
  readonly payment:
    | (Payment & {
        readonly error_detail: string | null;
        readonly details: { readonly at: string; readonly detail: string }[];
        readonly payer_user_id: string | null;
        readonly payee_user_id: string | null;
        readonly wallet_id: string | null;
        readonly wallet_address: string | null;
        readonly key_id: string | null;
        readonly approvals: { readonly operator: string; readonly at: string }[];
        readonly refund_of: string | null;
        readonly refunds: readonly string[];
      })
    | null;
  readonly request: {
    readonly request_id: string;
    readonly state: string;
    readonly amount: string;
    readonly asker_user_id: string;
    readonly asker_username: string | null;
    readonly payer_user_id: string | null;
    readonly payer_username: string | null;
    readonly by_link: boolean;
    readonly note: string | null;
    readonly created_at: string;
    readonly expires_at: string;
    readonly ended_at: string | null;
  } | null;
  readonly refusal: {
    readonly transaction_id: string;
    readonly state: 'REFUSED';
    readonly amount: string;
    readonly receiver: string;
    readonly code: string;
    readonly created_at: string;
  } | null;
  readonly ledger: {
    readonly transfer_id: string;
    readonly seq: string;
    readonly kind: string;
    readonly amount: string;
    readonly debit: Account;
    readonly credit: Account;
    readonly at: string;
  }[];
  readonly moves: {
    readonly move_id: string;
    readonly state: string;
    readonly purpose: string;
    readonly rail: string;
    readonly amount: string;
    readonly blockchain: string;
    readonly from_wallet_id: string;
    readonly from_address: string;
    readonly to_address: string;
    readonly tx_hash: string | null;
    readonly created_at: string;
    readonly started_at: string | null;
  }[];
  readonly events: { readonly event_id: string; readonly type: string; readonly at: string }[];
  readonly deliveries: {
    readonly webhook_id: string;
    readonly url: string;
    readonly event_id: string;
    readonly type: string;
    readonly state: string;
    readonly attempts: number;
    readonly status: number | null;
    readonly fault: string | null;
    readonly attempted_at: string | null;
  }[];
}

export interface Account {
  readonly account_id: string;
  readonly owner: 'person' | 'treasury' | 'chain' | 'loss' | string;
  readonly user_id: string | null;
  readonly username: string | null;
}

export interface StuckRow {
  readonly transaction_id: string;
  readonly state: State;
  readonly amount: string;
  readonly blockchain: string;
  readonly payer_user_id: string | null;
  readonly payer_username: string | null;
  readonly destination: string;
  readonly since: string;
  readonly created_at: string;
  readonly why: 'approval' | 'delay' | 'pause' | 'node' | 'worker' | 'gas' | 'coins' | 'provider' | 'chain' | 'signing';
  readonly detail: string;
  readonly ends: string;
}

export interface Deposit {
  readonly transaction_id: string | null;
  readonly state: 'credited' | 'pending' | 'held' | 'gone' | 'lost';
  readonly blockchain: string;
  readonly amount: string;
  readonly from_address: string;
  readonly to_address: string;
  readonly wallet_id: string;
  readonly user_id: string | null;
  readonly username: string | null;
  readonly tx_hash: string;
  readonly block_number: string | null;
  readonly credited_at: string | null;
}

export interface Search {
  readonly q: string;
  readonly hits: {
    readonly kind: 'payment' | 'deposit' | 'request' | 'refusal' | 'row' | 'payout' | 'person' | 'treasury' | 'address';
    readonly id: string;
    readonly title: string;
    readonly detail: string;
    readonly path: string;
  }[];
}
