/** `http/hooks` receives webhooks from other parties. A signature authenticates the caller. */
import { hearKycNotice } from '../../customers/kyc/checkKyc.ts';
import { getProvider, type KycApp } from '../../customers/kyc/startKyc.ts';
import type { Operation } from '../contract/operation.ts';

/** Uses the raw bytes, because they were signed. */
export const hearSumsubOperation =
  (app: KycApp): Operation =>
  async (call) => {
    const notice = getProvider(app).parseWebhook(call.headers, call.bodyBytes ?? Buffer.alloc(0));
    await hearKycNotice(app, notice);
    return { body: { received: true } };
  };
