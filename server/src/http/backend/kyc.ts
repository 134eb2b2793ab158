import { checkKyc, readKycOfEmail } from '../../customers/kyc/checkKyc.ts';
import type { KycState } from '../../customers/kyc/kycChecks.ts';
import { issueKycToken, type KycApp, startKyc } from '../../customers/kyc/startKyc.ts';
import type { Caller } from '../../customers/sessions/sessions.ts';
import type { ApiCall, Operation } from '../contract/operation.ts';
import { refuseOthers } from './authorize.ts';

const callerOf = (call: ApiCall) => call.caller as Caller | undefined;

export const startKycOperation =
  (app: KycApp): Operation =>
  async (call) => {
    const { user_id: userId } = call.body as { user_id: string };
    refuseOthers(callerOf(call), userId);
    const { applicantId, level, status } = await startKyc(app, userId);
    return { body: { applicant_id: applicantId, user_id: userId, level, status } };
  };

export const issueKycTokenOperation =
  (app: KycApp): Operation =>
  async (call) => {
    const { user_id: userId } = call.body as { user_id: string };
    refuseOthers(callerOf(call), userId);
    const { token, applicantId, expiresInSeconds } = await issueKycToken(app, userId);
    return { body: { token, applicant_id: applicantId, expires_in: expiresInSeconds } };
  };

export const checkKycOperation =
  (app: KycApp): Operation =>
  async (call) => {
    const userId = call.params.user_id!;
    refuseOthers(callerOf(call), userId);
    return { body: renderKyc(await checkKyc(app, userId)) };
  };

export const readKycOperation =
  (app: KycApp): Operation =>
  async (call) => ({ body: renderKyc(await readKycOfEmail(app, callerOf(call)?.userId, call.params.email!)) });

export const renderKyc = (state: KycState) => ({
  user_id: state.userId,
  status: state.status,
  can_retry: state.canRetry,
  reasons: state.reasons,
  updated_at: state.updatedAt?.toISOString() ?? null,
  stale: state.stale,
});
