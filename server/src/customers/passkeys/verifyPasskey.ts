import { PayError } from '../../core/errors.ts';

/** Where passkeys belong: the wallet. */
export interface PasskeySite {
  /** The wallet's host name. */
  readonly rpId: string;
  /** The name that devices show beside a passkey. */
  readonly name: string;
  /** The wallet's origin; undefined in the sandbox, where it may have any port. */
  readonly origin: string | undefined;
}

/** What a browser returns from `navigator.credentials.create`, decoded. */
interface Attestation {
  readonly credential: Buffer;
  readonly clientData: Buffer;
  readonly attestation: Buffer;
  readonly transports: readonly string[];
}

/** What a browser returns from `navigator.credentials.get`, decoded. */
export interface Assertion {
  readonly credential: Buffer;
  readonly clientData: Buffer;
  readonly authenticatorData: Buffer;
  readonly signature: Buffer;
}

export interface NewPasskey {
  readonly credential: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly transports: readonly string[];
  readonly counter: number;
  readonly backedUp: boolean;
}

/** ES256 and RS256: the signatures that PostgreSQL can verify too. */
export const ALGORITHMS = [-7, -257];

const refuse = (reason: string, cause?: unknown) => new PayError('passkey.refused', { reason }, { cause });
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

// Loaded when the first passkey is used: most services never do.
const load = () => import('@simplewebauthn/server');

export async function verifyNewPasskey(
  site: PasskeySite,
  challenge: Buffer,
  { credential, clientData, attestation, transports }: Attestation,
): Promise<NewPasskey> {
  const { verifyRegistrationResponse } = await load();
  const id = text(credential);
  const verified = await verifyRegistrationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: text(clientData), attestationObject: text(attestation) },
    },
    ...expectations(site, challenge, clientData),
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((error: unknown) => {
    throw refuse(reasonOf(error), error);
  });
  if (!verified.verified) throw refuse('form');
  const { credential: found, credentialBackedUp } = verified.registrationInfo;
  // The forms that the table accepts.
  if (found.publicKey.length !== 77 && found.publicKey.length !== 272) throw refuse('form');
  return {
    credential: Buffer.from(found.id, 'base64url'),
    publicKey: found.publicKey,
    transports,
    counter: found.counter,
    backedUp: credentialBackedUp,
  };
}

/** PostgreSQL verifies the signature once more, but not the origin of the page. */
export async function verifyAssertion(
  site: PasskeySite,
  challenge: Buffer,
  passkey: { readonly publicKey: Buffer; readonly counter: number },
  { credential, clientData, authenticatorData, signature }: Assertion,
): Promise<void> {
  const { verifyAuthenticationResponse } = await load();
  const id = text(credential);
  const { verified } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: text(clientData),
        authenticatorData: text(authenticatorData),
        signature: text(signature),
      },
    },
    ...expectations(site, challenge, clientData),
    credential: { id, publicKey: new Uint8Array(passkey.publicKey), counter: passkey.counter },
  }).catch((error: unknown) => {
    throw refuse(reasonOf(error), error);
  });
  if (!verified) throw refuse('signature');
}

const expectations = (site: PasskeySite, challenge: Buffer, clientData: Buffer) => ({
  expectedChallenge: text(challenge),
  expectedOrigin: site.origin ?? findOrigin(site, clientData),
  expectedRPID: site.rpId,
  requireUserVerification: true,
});

/** In the sandbox: the page's own origin if its host is the wallet's, whatever its port. */
function findOrigin({ rpId }: PasskeySite, clientData: Buffer): string {
  try {
    const { origin } = JSON.parse(clientData.toString()) as { origin: string };
    if (new URL(origin).hostname === rpId) return origin;
  } catch {
    // Refused below, as an origin that is not the wallet's.
  }
  return `http://${rpId}`;
}

/** The library tells its reasons apart only by their words. */
function reasonOf(error: unknown): string {
  const words = error instanceof Error ? error.message : '';
  if (/origin|RP ID/i.test(words)) return 'origin';
  if (/challenge/i.test(words)) return 'challenge';
  if (/user (verification|presen)|User (not|could not)/i.test(words)) return 'person';
  if (/counter/i.test(words)) return 'counter';
  return 'form';
}
