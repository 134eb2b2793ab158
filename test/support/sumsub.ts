/** The KYC double and the configuration that makes a server use it. */
import { type RunningSumsub, startSumsub } from '../../sandbox/src/kyc/startSumsub.ts';

export const SUMSUB_KEYS = {
  appToken: 'sbx:test-token',
  secretKey: 'request-signing-secret',
  webhookSecret: 'webhook-secret',
  level: 'basic-kyc-level',
};

export async function startTestSumsub(): Promise<RunningSumsub & { readonly env: Record<string, string> }> {
  const double = await startSumsub(SUMSUB_KEYS);
  return { ...double, env: sumsubEnv(double.url) };
}

const sumsubEnv = (url: string): Record<string, string> => ({
  FLORIN_SUMSUB_URL: url,
  FLORIN_SUMSUB_APP_TOKEN: SUMSUB_KEYS.appToken,
  FLORIN_SUMSUB_SECRET_KEY: SUMSUB_KEYS.secretKey,
  FLORIN_SUMSUB_WEBHOOK_SECRET: SUMSUB_KEYS.webhookSecret,
});
