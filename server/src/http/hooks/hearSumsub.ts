/** `http/hooks` is what other parties call to tell us something. Whoever calls proves who they are by a signature. */
import { hearKycNotice } from '../../customers/kyc/checkKyc.ts';
import { getProvider, type KycApp } from '../../customers/kyc/startKyc.ts';
import type { Operation } from '../contract/createApi.ts';

/** The raw bytes are what was signed; what the contract made of them is not looked at. */
export const hearSumsubOperation =
  (app: KycApp): Operation =>
  async (call) => {
    const notice = getProvider(app).parseWebhook(call.headers, call.bodyBytes ?? Buffer.alloc(0));
    await hearKycNotice(app, notice);
    return { body: { received: true } };
  };
