/** Passkeys of this device: creates them, and confirms a deed with one. Loaded only when a person needs them. */
import type { BackendTypes } from '@florin/client';
import { refresh } from '../resource.ts';
import { florin } from '../session.ts';

export type Deed = BackendTypes['schemas']['PasskeyDeed'];

interface Known {
  readonly type: 'public-key';
  readonly id: string;
  readonly transports: AuthenticatorTransport[];
}

type RequestOptions = Omit<PublicKeyCredentialRequestOptions, 'challenge' | 'allowCredentials'> & {
  readonly challenge: string;
  readonly allowCredentials: readonly Known[];
};

type CreationOptions = Omit<PublicKeyCredentialCreationOptions, 'challenge' | 'user' | 'excludeCredentials'> & {
  readonly challenge: string;
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly excludeCredentials: readonly Known[];
};

const decode = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
const encode = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const known = (list: readonly Known[]) => list.map((one) => ({ ...one, id: decode(one.id) }));

/** The person did not confirm it on their device, or the browser cannot ask here. */
export class NotConfirmed extends Error {}

async function ask(asking: Promise<Credential | null>): Promise<PublicKeyCredential> {
  const answer = await asking.catch((cause: unknown) => {
    throw new NotConfirmed('', { cause });
  });
  if (!answer) throw new NotConfirmed();
  return answer as PublicKeyCredential;
}

/** Asks the person to confirm exactly this. Afterwards the service allows it once, for five minutes. */
export async function confirm(deed: Deed): Promise<void> {
  const { challenge_id, options } = await florin.passkeys.challenge(deed);
  const wanted = options as unknown as RequestOptions;
  const publicKey = {
    ...wanted,
    challenge: decode(wanted.challenge),
    allowCredentials: known(wanted.allowCredentials),
  };
  const { rawId, response } = await ask(navigator.credentials.get({ publicKey }));
  const { clientDataJSON, authenticatorData, signature } = response as AuthenticatorAssertionResponse;
  await florin.passkeys.prove({
    challenge_id,
    credential_id: encode(rawId),
    client_data: encode(clientDataJSON),
    authenticator_data: encode(authenticatorData),
    signature: encode(signature),
  });
}

/** Creates a passkey on this device, or on one that the browser reaches. */
export async function create(name: string): Promise<void> {
  const { challenge_id, options } = await florin.passkeys.challenge({ deed: 'register' });
  const wanted = options as unknown as CreationOptions;
  const publicKey = {
    ...wanted,
    challenge: decode(wanted.challenge),
    user: { ...wanted.user, id: decode(wanted.user.id) },
    excludeCredentials: known(wanted.excludeCredentials),
  };
  const { rawId, response } = await ask(navigator.credentials.create({ publicKey }));
  const made = response as AuthenticatorAttestationResponse;
  await florin.passkeys.add({
    challenge_id,
    name,
    credential_id: encode(rawId),
    client_data: encode(made.clientDataJSON),
    attestation: encode(made.attestationObject),
    transports: made.getTransports?.() ?? [],
  });
  refresh('passkeys');
}
