/** The calls of callers, operators and workers, in the model's words. */
export type Call =
  /** `to` is a name as it was typed. */
  | {
      readonly do: 'pay';
      readonly id: string;
      readonly by: string;
      readonly to: string;
      readonly amount: bigint;
      /** Or with a key of the payer's account. */
      readonly session?: string;
      readonly key?: string;
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
      /** Approvals that it waits for; by default none. */
      readonly needed?: number;
    }
  | { readonly do: 'rename'; readonly who: string; readonly to: string }
  | { readonly do: 'close'; readonly who: string }
  | { readonly do: 'login'; readonly who: string; readonly session: string }
  | { readonly do: 'revokeSession'; readonly who: string; readonly session: string }
  | { readonly do: 'endSessions'; readonly who: string }
  /** Creates a key that may spend this much of people's money in a day. */
  | { readonly do: 'createKey'; readonly key: string; readonly day: bigint }
  | { readonly do: 'revokeKey'; readonly key: string }
  | { readonly do: 'changeKey'; readonly key: string; readonly day: bigint }
  | { readonly do: 'pause'; readonly who: string }
  | { readonly do: 'resume'; readonly who: string }
  /** Pauses all blockchains; nothing is signed either. */
  | { readonly do: 'pauseChain' }
  | { readonly do: 'resumeChain' }
  /** Everyone gets a wallet of another holder of keys, which sends by itself or does not. */
  | { readonly do: 'moveWallets' }
  /** Changes the daily limit of the tier that approved people have. */
  | { readonly do: 'setLimit'; readonly day: bigint }
  /** Gives everyone with this status the tier of another status. */
  | { readonly do: 'giveTier'; readonly status: string; readonly like: string }
  /** `key`: the Idempotency-Key. */
  | { readonly do: 'refresh'; readonly who: string; readonly session: string; readonly key: string }
  | { readonly do: 'judge'; readonly who: string; readonly status: string }
  | { readonly do: 'approve'; readonly payment: string; readonly by: string }
  | { readonly do: 'deny'; readonly payment: string }
  | { readonly do: 'cancel'; readonly payment: string }
  /** One step of a worker's job. `claims`: the worker claims the job first. Otherwise its lease counts as expired. */
  | { readonly do: 'submit'; readonly payment: string; readonly claims: boolean }
  /** A worker cannot continue while sends are paused, and lets its job wait for the end of the pause. */
  | { readonly do: 'wait'; readonly payment: string }
  /** A worker takes the next event for an endpoint that gets events in order. */
  | { readonly do: 'claimDelivery' }
  | { readonly do: 'final'; readonly payment: string }
  | { readonly do: 'fail'; readonly payment: string }
  /** The signer signs. */
  | { readonly do: 'sign'; readonly payment: string }
  /** Puts signed authorizations into a relay transaction and broadcasts it. */
  | { readonly do: 'carry'; readonly payment: string }
  /** Signs and broadcasts an existing relay transaction. */
  | { readonly do: 'relay'; readonly payment: string }
  /** Replaces the transfer in a relay transaction by its cancellation. */
  | { readonly do: 'replace'; readonly payment: string }
  /** Coins have arrived in a person's wallet, in a final block. */
  | { readonly do: 'deposit'; readonly id: string; readonly who: string; readonly amount: bigint }
  /** Reads the block after the cursor, in which coins arrive in a person's wallet. */
  | { readonly do: 'readBlock'; readonly id: string; readonly who: string; readonly amount: bigint }
  | { readonly do: 'import'; readonly move: string; readonly id: string }
  | { readonly do: 'refund'; readonly id: string; readonly payment: string; readonly amount: bigint }
  | { readonly do: 'proposeRefund'; readonly id: string; readonly payment: string; readonly amount: bigint }
  | { readonly do: 'approveRefund'; readonly id: string }
  | { readonly do: 'denyRefund'; readonly id: string }
  | { readonly do: 'proposeCorrection'; readonly id: string; readonly who: string; readonly amount: bigint }
  | { readonly do: 'correct'; readonly id: string }
  /** Collects as much of a person's debt as their balance covers. */
  | { readonly do: 'collect'; readonly id: string; readonly who: string }
  /** Checks a payout file whose names belong to these people. */
  | {
      readonly do: 'createPayout';
      readonly payout: string;
      readonly key: string;
      readonly payer: string;
      readonly rows: readonly { readonly to: string; readonly amount: bigint }[];
    }
  /** From this total on, it needs two approvals. */
  | { readonly do: 'confirmPayout'; readonly payout: string; readonly threshold?: bigint | undefined }
  | { readonly do: 'approvePayout'; readonly payout: string; readonly by: string }
  | { readonly do: 'denyPayout'; readonly payout: string }
  /** `kept`: rows that the chain may have paid before a restore. */
  | { readonly do: 'cancelPayout'; readonly payout: string; readonly kept?: readonly string[] }
  /** `needs`: the approvals that each of its rows waits for once it is a payment to an address. */
  | {
      readonly do: 'runPayout';
      readonly payout: string;
      readonly needs?: readonly number[];
      /** Rows that wait although they could be sent: the chain has paid them before a restore. */
      readonly paid?: readonly string[];
      /** Rows that the chain has paid and an operator has imported. */
      readonly recovered?: readonly string[];
      /** The rows have waited as long as they may. */
      readonly isLate?: boolean;
    };

/** The answer to a caller: a word, or the code of an error. */
export type Answer = string;

export type Some<Do extends Call['do']> = Extract<Call, { do: Do }>;
