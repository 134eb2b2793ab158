/** The types of the parties across a network. An adapter is a function that returns one of these objects. */

/** What an issuer vouches for. `issuer` is the name under which we keep its people; see `IssuerRule.identity`. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
}

export interface Vouched {
  readonly identity: Identity;
  /** When nobody takes the token any more. */
  readonly expiresAt: Date;
}

export interface IdTokens {
  /** Throws `auth.invalid` with a reason, or `service.unavailable` when the issuer's keys cannot be had. */
  verify(idToken: string): Promise<Vouched>;
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

/**
 * What an outside party made of a request. *Unknown* (no answer, or one that tells nothing) is asked again and never
 * treated as refused.
 */
export type ProviderAnswer<T, Reason extends string> =
  | ({ readonly outcome: 'accepted' } & T)
  | { readonly outcome: 'rejected'; readonly reason: Reason }
  | { readonly outcome: 'unknown'; readonly cause: unknown };

/** Where a check of a person's identity stands at the provider. Whether an approval was taken back is ours to know. */
export interface KycVerdict {
  readonly status: 'started' | 'pending' | 'needs_input' | 'approved' | 'rejected';
  /** Of a rejection: may the person try again? */
  readonly canRetry: boolean;
  /** Sentences that the person may read. */
  readonly reasons: readonly string[];
}

export interface KycSubject {
  readonly applicantId: string;
  readonly userId: string;
  /** The set of checks that was asked for; passing another one is no approval. */
  readonly level: string;
}

export interface Kyc {
  /** The level of new checks. */
  readonly level: string;
  /** The same person always gets the same applicant, so an unanswered call may be repeated. */
  createApplicant(userId: string): Promise<ProviderAnswer<{ readonly applicantId: string }, 'refused'>>;
  /** A short-lived token with which the person's browser talks to the provider. */
  accessToken(
    userId: string,
    level: string,
  ): Promise<ProviderAnswer<{ readonly token: string; readonly expiresInSeconds: number }, 'refused'>>;
  /** `gone`: the provider no longer has this applicant. */
  getStatus(subject: KycSubject): Promise<ProviderAnswer<KycVerdict, 'gone' | 'refused'>>;
  /** Which applicant a webhook is about. Throws `auth.required` or `auth.invalid` unless the provider sent it. */
  parseWebhook(headers: Readonly<Record<string, string | string[] | undefined>>, body: Uint8Array): KycNotice;
}

/** Only that something happened: what happened is asked of the provider, never taken from a message. */
export interface KycNotice {
  readonly applicantId: string | undefined;
  readonly type: string;
}
