/** Messages from a provider that sends by itself. */

/**
 * The provider's report about a transfer. Even `done` is only its claim: a payment is paid when a final log on the
 * chain shows it.
 */
export interface ProviderTransfer {
  readonly providerId: string;
  readonly state: 'submitted' | 'sent' | 'done' | 'failed' | 'cancelled';
  /**
   * Undefined until the provider reports it. The provider may report a different hash later. On Solana it is base58.
   */
  readonly txHash: string | undefined;
  readonly error: string | undefined;
  /** The offered fee is too low for any block: the transfer needs a higher fee. */
  readonly isStuck?: boolean | undefined;
}

/**
 * The key was already used: under it the provider has made a transfer of a different amount or to a different address.
 */
export interface Taken {
  readonly outcome: 'taken';
  readonly reason: string;
}

/** Coins that arrived at or left a provider's wallet on an unwatched chain, where only the provider reads the chain. */
export interface Arrival {
  readonly providerId: string;
  readonly direction: 'in' | 'out';
  /** For outgoing coins: the key under which the transfer was requested. */
  readonly key?: string | undefined;
  /**
   * `complete`: it is final, it is USDC, and the provider has reported all fields. `other`: it is another token, or it
   * ended without moving coins. `open`: neither yet, according to the provider.
   */
  readonly state: 'open' | 'complete' | 'other';
  readonly txHash: string;
  readonly from: string;
  readonly to: string;
  /**
   * The receiving wallet's `AnyWallet.reference`; `to` should be its address. Empty: the wallet is not ours. Undefined:
   * the provider names no wallet.
   */
  readonly reference?: string | undefined;
  /** In millionths, as text, because it is sent as JSON. */
  readonly amount: string;
}

export interface ArrivalPage {
  readonly arrivals: readonly (Arrival & { readonly createdAt: string })[];
}

export interface Balance {
  /** In millionths, as text, because it is sent as JSON. */
  readonly amount: string;
}

/** The period in which a transfer may have been created, by the provider's clock. `to` undefined: until now. */
export interface SearchSpan {
  readonly from: Date;
  readonly to?: Date | undefined;
}
