/** What a provider that sends by itself tells us. */

/** What the provider says about a transfer. `done`, too, is only its word: paid is what a final log says. */
export interface ProviderTransfer {
  readonly providerId: string;
  readonly state: 'submitted' | 'sent' | 'done' | 'failed' | 'cancelled';
  /** Undefined while the provider does not tell. It may name another one later. On Solana it is base58. */
  readonly txHash: string | undefined;
  /** Why it failed. */
  readonly error: string | undefined;
  /** No block takes it for what it offers: it needs a higher fee. */
  readonly isStuck?: boolean | undefined;
}

/** Under the key of a request the provider has made a transfer of another amount or to another address. */
export interface Taken {
  readonly outcome: 'taken';
  readonly reason: string;
}

/** A transfer that was handed over, by its key and by the provider's own id. */
export interface HandedOver {
  readonly key: string;
  readonly providerId: string;
}

/** Coins that came to a wallet at a provider or left it, where only it reads the chain. */
export interface Arrival {
  readonly providerId: string;
  readonly direction: 'in' | 'out';
  /** Of what has left: the key that it was asked for under. */
  readonly key?: string | undefined;
  /**
   * `complete`: it is final, it is of USDC, and everything is told. `other`: it is of another token, or ended without
   * coins. `open`: it is neither yet, as far as the provider tells.
   */
  readonly state: 'open' | 'complete' | 'other';
  readonly txHash: string;
  readonly from: string;
  readonly to: string;
  /**
   * Of the wallet that it came to, as `AnyWallet.reference`; `to` should be its address. Empty: a wallet that is not ours.
   * Undefined: the provider names no wallet.
   */
  readonly reference?: string | undefined;
  /** In millionths, as text: it travels as JSON. */
  readonly amount: string;
}

export interface ArrivalPage {
  readonly arrivals: readonly (Arrival & { readonly createdAt: string })[];
}

export interface Balance {
  /** In millionths, as text: it travels as JSON. */
  readonly amount: string;
}

/** When a transfer can have been made, by the provider's clock. `to` undefined: until now. */
export interface SearchSpan {
  readonly from: Date;
  readonly to?: Date | undefined;
}
