/** The types of the parties across a network. An adapter is a function that returns one of these objects. */

/** What an issuer vouches for. `issuer` is the name under which we keep its people; see `IssuerRule.identity`. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
}

export interface IdTokens {
  /** Throws `auth.invalid` with a reason, or `service.unavailable` when the issuer's keys cannot be had. */
  verify(idToken: string): Promise<Identity>;
}

/** Who a wallet belongs to, in words that outlive any database: a person of an issuer, or the service itself. */
export type WalletOwner =
  | { readonly kind: 'user'; readonly issuer: string; readonly subject: string }
  | { readonly kind: 'treasury' };

export interface ProviderWallet {
  readonly provider: 'local';
  /** What the provider needs to find the key again. */
  readonly reference: string;
  /** EIP-55 checksummed. */
  readonly address: string;
}

export interface Wallets {
  /** The same owner always gets the same wallet, however often and wherever this is called. */
  create(owner: WalletOwner): Promise<ProviderWallet>;
  /** Names the key material without revealing it; a database remembers which one it belongs to. */
  readonly fingerprint: string;
}
