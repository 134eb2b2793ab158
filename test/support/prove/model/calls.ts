/** What callers, operators and workers can do, in the model's words. */
export type Call =
  /** `to` is a name as it was typed. */
  | {
      readonly do: 'pay';
      readonly id: string;
      readonly by: string;
      readonly to: string;
      readonly amount: bigint;
      readonly session: string;
    }
  | { readonly do: 'payRequest'; readonly request: string; readonly by: string; readonly session: string }
  | { readonly do: 'endRequest'; readonly request: string; readonly state: 'declined' | 'cancelled' }
  | { readonly do: 'ask'; readonly id: string; readonly by: string; readonly of: string; readonly amount: bigint }
  /** By a person with a session, or by a service key. */
  | {
      readonly do: 'send';
      readonly id: string;
      readonly by: string;
      readonly amount: bigint;
      readonly session?: string;
      readonly key?: string;
    }
  | { readonly do: 'rename'; readonly who: string; readonly to: string }
  | { readonly do: 'close'; readonly who: string }
  | { readonly do: 'login'; readonly who: string; readonly session: string }
  | { readonly do: 'revokeSession'; readonly who: string; readonly session: string }
  | { readonly do: 'endSessions'; readonly who: string }
  | { readonly do: 'revokeKey'; readonly key: string }
  | { readonly do: 'pause'; readonly who: string }
  | { readonly do: 'judge'; readonly who: string; readonly status: string }
  | { readonly do: 'approve'; readonly payment: string; readonly by: string }
  | { readonly do: 'deny'; readonly payment: string }
  | { readonly do: 'cancel'; readonly payment: string }
  /** A worker's turns. `claims`: it takes the job first; otherwise its lease is thought to have run out. */
  | { readonly do: 'submit'; readonly payment: string; readonly claims: boolean }
  | { readonly do: 'final'; readonly payment: string }
  | { readonly do: 'fail'; readonly payment: string }
  | { readonly do: 'import'; readonly move: string; readonly id: string }
  | { readonly do: 'refund'; readonly id: string; readonly payment: string; readonly amount: bigint }
  | { readonly do: 'approveRefund'; readonly id: string }
  | { readonly do: 'denyRefund'; readonly id: string }
  | { readonly do: 'correct'; readonly id: string }
  | { readonly do: 'confirmPayout'; readonly payout: string }
  | { readonly do: 'approvePayout'; readonly payout: string; readonly by: string }
  | { readonly do: 'denyPayout'; readonly payout: string }
  | { readonly do: 'cancelPayout'; readonly payout: string }
  | { readonly do: 'runPayout'; readonly payout: string };

/** What a caller is told: a word, or the code of an error. */
export type Answer = string;
