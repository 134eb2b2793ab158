import {
  appleIssuer,
  firebaseIssuer,
  googleIssuer,
  type IssuerRule,
  oidcIssuer,
} from '../../../adapters/identity/issuerRule.ts';
import type { Values } from '../variables.ts';

/** The issuers whose ID tokens a process accepts. */
export function toIssuers(values: Values): IssuerRule[] {
  const issuers = values.FLORIN_OIDC_ISSUERS.map((one) =>
    oidcIssuer({
      issuer: one.issuer,
      audiences: one.audience,
      jwksUri: one.jwks_uri,
      algorithms: one.algorithms,
      identity: one.identity,
    }),
  );
  if (values.FLORIN_FIREBASE_PROJECT_ID) issuers.push(firebaseIssuer(values.FLORIN_FIREBASE_PROJECT_ID));
  if (values.FLORIN_GOOGLE_CLIENT_IDS.length > 0) issuers.push(googleIssuer(values.FLORIN_GOOGLE_CLIENT_IDS));
  if (values.FLORIN_APPLE_CLIENT_IDS.length > 0) issuers.push(appleIssuer(values.FLORIN_APPLE_CLIENT_IDS));
  return issuers;
}
