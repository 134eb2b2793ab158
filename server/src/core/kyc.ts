/** The port for identity checks (KYC). */
import type { ProviderAnswer } from './ports.ts';

/** The state of an identity check at the provider. Only our database records that an approval was revoked. */
export interface KycVerdict {
  readonly status: 'started' | 'pending' | 'needs_input' | 'approved' | 'rejected';
  /** After a rejection: whether the person may try again. */
  readonly canRetry: boolean;
  /** Sentences that may be shown to the person. */
  readonly reasons: readonly string[];
}

export interface KycSubject {
  readonly applicantId: string;
  readonly userId: string;
  /** The set of checks that we requested. Passing a different set does not count as an approval. */
  readonly level: string;
}

export interface Kyc {
  /** The level that new checks use. */
  readonly level: string;
  /** The same person always gets the same applicant, so a call without an answer can be repeated. */
  createApplicant(userId: string): Promise<ProviderAnswer<{ readonly applicantId: string }, 'refused'>>;
  /** Returns a short-lived token for the person's browser to call the provider with. */
  accessToken(
    userId: string,
    level: string,
  ): Promise<ProviderAnswer<{ readonly token: string; readonly expiresInSeconds: number }, 'refused'>>;
  /** `gone`: the provider no longer has this applicant. */
  getStatus(subject: KycSubject): Promise<ProviderAnswer<KycVerdict, 'gone' | 'refused'>>;
  /**
   * Returns the applicant that a webhook is about. Throws `auth.required` or `auth.invalid` unless the provider sent
   * it.
   */
  parseWebhook(headers: Readonly<Record<string, string | string[] | undefined>>, body: Uint8Array): KycNotice;
}

/**
 * A notice only says that something happened. We never trust its content: we ask the provider for the current state.
 */
export interface KycNotice {
  readonly applicantId: string | undefined;
  readonly type: string;
}
