import { PayError } from '../../core/errors.ts';
import type { Kyc } from '../../core/kyc.ts';
import type { Db } from '../../db/database.ts';
import { findKyc, type KycState, storeApplicant } from './kycChecks.ts';

export interface KycApp {
  readonly db: Db;
  /** Absent when no provider is configured. Then no check can be started, but stored statuses stay readable. */
  readonly kyc: Kyc | undefined;
  /** Logs that the provider refused or did not answer. */
  readonly warn: (error: unknown, about: string) => void;
}

type StartedKyc = KycState & { readonly applicantId: string; readonly level: string };

const unavailable = (cause?: unknown) => new PayError('service.unavailable', { dependency: 'kyc' }, { cause });

export function getProvider(app: KycApp): Kyc {
  if (!app.kyc) throw unavailable();
  return app.kyc;
}

/** Starts a check. A person has one applicant, even when two calls start at the same time. */
export async function startKyc(app: KycApp, userId: string): Promise<StartedKyc> {
  const known = await findKyc(app.db, userId);
  if (!known) throw new PayError('user.unknown');
  if (hasBegun(known)) return known;
  const kyc = getProvider(app);
  const made = await kyc.createApplicant(userId);
  if (made.outcome !== 'accepted') {
    const cause = made.outcome === 'unknown' ? made.cause : new Error('the provider refused to create an applicant');
    app.warn(cause, 'kyc: no applicant');
    throw unavailable(cause);
  }
  await app.db.tx((tx) => storeApplicant(tx, userId, made.applicantId, kyc.level));
  const begun = await findKyc(app.db, userId);
  if (!begun || !hasBegun(begun)) throw unavailable();
  return begun;
}

const hasBegun = (state: KycState): state is StartedKyc => state.applicantId !== null && state.level !== null;

interface KycToken {
  readonly token: string;
  readonly applicantId: string;
  readonly expiresInSeconds: number;
}

/** Issues a token for the provider's web SDK. It is valid only for this person and their level. */
export async function issueKycToken(app: KycApp, userId: string): Promise<KycToken> {
  const kyc = getProvider(app);
  const { applicantId, level, status, canRetry } = await startKyc(app, userId);
  if (status === 'rejected' && !canRetry) throw new PayError('kyc.final');
  const issued = await kyc.accessToken(userId, level);
  if (issued.outcome === 'accepted') {
    return { token: issued.token, applicantId, expiresInSeconds: issued.expiresInSeconds };
  }
  const cause = issued.outcome === 'unknown' ? issued.cause : new Error('the provider refused to issue a token');
  app.warn(cause, 'kyc: no access token');
  throw unavailable(cause);
}
