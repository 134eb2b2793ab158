import { findSandboxProviderFaults } from '../providerSettings.ts';
import { type Env, isLoopback } from '../values.ts';
import type { Values } from '../variables.ts';

/** Our name for the sandbox's own issuer; production refuses to start with it. */
export const SANDBOX_IDENTITY = 'florin-sandbox';

export const SUMSUB = ['FLORIN_SUMSUB_APP_TOKEN', 'FLORIN_SUMSUB_SECRET_KEY', 'FLORIN_SUMSUB_WEBHOOK_SECRET'] as const;

/** Lists settings that are not allowed in the sandbox. */
export function findSandboxFaults(values: Partial<Values>, env: Env): string[] {
  const faults: string[] = [];
  for (const name of ['FLORIN_HOST', 'FLORIN_OPS_HOST'] as const) {
    const host = values[name];
    if (host && !isLoopback(host))
      faults.push(`${name} must be a loopback address in the sandbox: its calls carry no credentials`);
  }
  faults.push(...findSandboxProviderFaults(env));
  // This is the provider's own variable. A live key in the sandbox's environment is a mistake.
  if (env.SUMSUB_APP_TOKEN?.startsWith('prd:'))
    faults.push('SUMSUB_APP_TOKEN is a live key; the sandbox runs without live provider keys');
  if (values.FLORIN_SUMSUB_APP_TOKEN?.startsWith('prd:'))
    faults.push('FLORIN_SUMSUB_APP_TOKEN is a live key; the sandbox runs without live provider keys');
  return [...faults, ...findSumsubFaults(values)];
}

/** Lists settings that production lacks, and settings that are not allowed in production. */
export function findProductionFaults(
  values: Partial<Values>,
  env: Env,
  findDatabaseFaults: (url: string, name: string) => string[],
): string[] {
  const faults: string[] = [];
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    faults.push('NODE_TLS_REJECT_UNAUTHORIZED=0 makes every TLS connection insecure');
  }
  for (const name of ['DATABASE_URL', 'FLORIN_DATABASE_READ_URL'] as const)
    if (values[name]) faults.push(...findDatabaseFaults(values[name], name));
  if (
    values.FLORIN_HOST &&
    !isLoopback(values.FLORIN_HOST) &&
    !values.FLORIN_TLS_CERT_FILE &&
    !values.FLORIN_PLAIN_HTTP
  ) {
    faults.push(
      'FLORIN_HOST is not a loopback address, and without FLORIN_TLS_CERT_FILE both APIs would use plain HTTP: give them a certificate, or set FLORIN_PLAIN_HTTP=true if a proxy in front of them terminates TLS',
    );
  }
  const issuers = values.FLORIN_OIDC_ISSUERS ?? [];
  for (const { issuer, jwks_uri: jwksUri, identity } of issuers) {
    if (identity === SANDBOX_IDENTITY) faults.push(`FLORIN_OIDC_ISSUERS names the sandbox's issuer (${issuer})`);
    else if (![issuer, jwksUri ?? issuer].every((url) => url.startsWith('https://'))) {
      faults.push(`FLORIN_OIDC_ISSUERS must use https: ${issuer}`);
    }
  }
  const presets = [
    values.FLORIN_FIREBASE_PROJECT_ID ?? [],
    values.FLORIN_GOOGLE_CLIENT_IDS ?? [],
    values.FLORIN_APPLE_CLIENT_IDS ?? [],
  ];
  if (values.FLORIN_OIDC_ISSUERS?.length === 0 && presets.flat().length === 0) {
    faults.push(
      'no issuer of ID tokens is configured, so no one could log in: set FLORIN_OIDC_ISSUERS or one of the presets',
    );
  }
  if (values.FLORIN_EXAMPLES_FILE)
    faults.push('FLORIN_EXAMPLES_FILE is only for the sandbox: everyone can see its contents');
  if (values.FLORIN_CALLS_FILE) faults.push('FLORIN_CALLS_FILE is only for the sandbox: production keeps no bodies');
  if (values.FLORIN_SUMSUB_APP_TOKEN?.startsWith('sbx:'))
    faults.push("FLORIN_SUMSUB_APP_TOKEN is a token of Sumsub's sandbox, where every identity check can be approved");
  if (values.FLORIN_SUMSUB_URL && !values.FLORIN_SUMSUB_URL.startsWith('https://'))
    faults.push('FLORIN_SUMSUB_URL must use https');
  return [...faults, ...findSumsubFaults(values)];
}

/** All three or none: without one of them, a check cannot be started or its result cannot be received. */
function findSumsubFaults(values: Partial<Values>): string[] {
  const missing = SUMSUB.filter((name) => !values[name]);
  return missing.length === SUMSUB.length ? [] : missing.map((name) => `${name} is missing: the three go together`);
}
