/** An authenticator in software: creates passkeys and signs challenges as a phone would. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest();
const b64 = (data: Uint8Array): string => Buffer.from(data).toString('base64url');

interface PasskeySettings {
  readonly origin: string;
  readonly algorithm?: 'ES256' | 'RS256';
}

/** What may differ from an honest answer. */
export interface Changes {
  readonly type?: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly crossOrigin?: boolean;
  /** 1: present, 4: verified, 8: may be backed up, 16: is backed up. */
  readonly flags?: number;
  readonly counter?: number;
}

export type SoftPasskey = ReturnType<typeof makePasskey>;

export function makePasskey({ origin, algorithm = 'ES256' }: PasskeySettings) {
  const { publicKey, privateKey } =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  const id = randomBytes(32);
  const rpId = new URL(origin).hostname;
  let counter = 0;

  const clientData = (type: string, challenge: string, changes: Changes): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: changes.type ?? type,
        challenge: changes.challenge ?? challenge,
        origin: changes.origin ?? origin,
        crossOrigin: changes.crossOrigin ?? false,
      }),
    );
  const authenticator = (changes: Changes, flags: number): Buffer => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(changes.counter ?? ++counter);
    return Buffer.concat([sha256(changes.rpId ?? rpId), Buffer.from([changes.flags ?? flags]), count]);
  };

  return {
    id,
    cose: toCose(publicKey),
    /** The answer of `navigator.credentials.create`. */
    register({ challenge }: { readonly challenge: string }, changes: Changes = {}) {
      const client = clientData('webauthn.create', challenge, changes);
      const length = Buffer.from([0, id.length]);
      const data = Buffer.concat([authenticator(changes, 0x45), Buffer.alloc(16), length, id, toCose(publicKey)]);
      // { fmt: 'none', attStmt: {}, authData } in CBOR.
      const size = Buffer.from([0x59, data.length >> 8, data.length & 255]);
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
        size,
        data,
      ]);
      return {
        id: b64(id),
        rawId: b64(id),
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: b64(client), attestationObject: b64(attestation), transports: ['internal'] },
      };
    },
    /** The answer of `navigator.credentials.get`. */
    sign({ challenge }: { readonly challenge: string }, changes: Changes = {}) {
      const client = clientData('webauthn.get', challenge, changes);
      const data = authenticator(changes, 0x05);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return {
        id: b64(id),
        rawId: b64(id),
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: b64(client), authenticatorData: b64(data), signature: b64(signature) },
      };
    },
  };
}

/** The public key as authenticators write it. */
export function toCose(key: KeyObject): Buffer {
  const jwk = key.export({ format: 'jwk' }) as { x: string; y: string; n: string };
  const part = (text: string): Buffer => Buffer.from(text, 'base64url');
  if (key.asymmetricKeyType === 'ec')
    return Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      part(jwk.x),
      Buffer.from('225820', 'hex'),
      part(jwk.y),
    ]);
  return Buffer.concat([Buffer.from('a401030339010020590100', 'hex'), part(jwk.n), Buffer.from('2143010001', 'hex')]);
}
