/** The port of who checks identities. */
import type { ProviderAnswer } from './ports.ts';

/** The state of an identity check at the provider. That an approval was revoked is only in our own database. */
export interface KycVerdict {
  readonly status: 'started' | 'pending' | 'needs_input' | 'approved' | 'rejected';
  /** After a rejection: may the person try again? */
  readonly canRetry: boolean;
  /** Sentences that the person may read. */
  readonly reasons: readonly string[];
}

export interface KycSubject {
  readonly applicantId: string;
  readonly userId: string;
  /** The set of checks that we asked for; passing a different set is no approval. */
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

/** Only says that something happened. What happened, we ask the provider: a message alone is not trusted. */
export interface KycNotice {
  readonly applicantId: string | undefined;
  readonly type: string;
}
