/**
 * `adapters/identity` verifies ID tokens: did a trusted issuer confirm who this person is? The configuration names the
 * issuers. Nothing inside a token decides which keys are used.
 */

/** One trusted issuer, and the requirements for its tokens. */
export interface IssuerRule {
  /** Accepted spellings of the `iss` claim. The first is used for discovery. */
  readonly issuers: readonly [string, ...string[]];
  /** The name under which its people are stored. It stays the same when the issuer's URL changes. */
  readonly identity: string;
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  /** The URL of its keys; found by discovery if absent. */
  readonly jwksUri?: string;
  readonly refuseAnonymous?: boolean;
}

const ASYMMETRIC = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const;

interface OidcIssuer {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly jwksUri?: string | undefined;
  readonly algorithms?: readonly string[] | undefined;
  readonly identity?: string | undefined;
}

export const oidcIssuer = (options: OidcIssuer): IssuerRule => ({
  issuers: [options.issuer],
  identity: options.identity ?? options.issuer,
  audiences: options.audiences,
  algorithms: options.algorithms ?? ASYMMETRIC,
  ...(options.jwksUri && { jwksUri: options.jwksUri }),
});

export const firebaseIssuer = (projectId: string): IssuerRule => ({
  issuers: [`https://securetoken.google.com/${projectId}`],
  identity: `https://securetoken.google.com/${projectId}`,
  audiences: [projectId],
  algorithms: ['RS256'],
  jwksUri: 'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com',
  // An anonymous Firebase user has not logged in and must not hold money.
  refuseAnonymous: true,
});

export const googleIssuer = (clientIds: readonly string[]): IssuerRule => ({
  issuers: ['https://accounts.google.com', 'accounts.google.com'],
  identity: 'https://accounts.google.com',
  audiences: clientIds,
  algorithms: ['RS256'],
  jwksUri: 'https://www.googleapis.com/oauth2/v3/certs',
});

export const appleIssuer = (clientIds: readonly string[]): IssuerRule => ({
  issuers: ['https://appleid.apple.com'],
  identity: 'https://appleid.apple.com',
  audiences: clientIds,
  algorithms: ['RS256', 'ES256'],
  jwksUri: 'https://appleid.apple.com/auth/keys',
});

export const SIGNING_ALGORITHMS: readonly string[] = ASYMMETRIC;
