import { constants, createHash, createPrivateKey, createPublicKey, type KeyObject, privateDecrypt } from 'node:crypto';
import { isSameSecret } from '../../../../server/src/core/isSameSecret.ts';
import type { Secrets } from '../records.ts';
import type { Store } from '../store.ts';
import { Refusal } from './refusal.ts';

/** The only form that the SDK can import: "BEGIN PUBLIC KEY". */
export const renderPublicKey = ({ rsaPrivateKey }: Secrets): string =>
  createPublicKey(rsaPrivateKey).export({ format: 'pem', type: 'spki' }).toString();

/** A request that changes something carries the entity secret, encrypted with a new ciphertext each time. */
export function checkEntitySecret(store: Store, secrets: Secrets, ciphertext: unknown): void {
  if (typeof ciphertext !== 'string' || ciphertext === '') {
    throw new Refusal(400, 156013, 'the entity secret ciphertext is missing');
  }
  const id = createHash('sha256').update(ciphertext).digest('hex');
  if (store.usedCiphertexts.find(id)) throw new Refusal(400, 156004, 'the entity secret ciphertext was used before');
  if (!isSameSecret(decrypt(secrets, ciphertext), Buffer.from(secrets.entitySecret, 'hex'))) {
    throw new Refusal(400, 156013, 'the entity secret is not the one that is registered');
  }
  store.usedCiphertexts.put({ id });
}

const keys = new WeakMap<Secrets, KeyObject>();

function decrypt(secrets: Secrets, ciphertext: string): Buffer | undefined {
  const key = keys.get(secrets) ?? createPrivateKey(secrets.rsaPrivateKey);
  keys.set(secrets, key);
  try {
    const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    return privateDecrypt({ key, ...padding }, Buffer.from(ciphertext, 'base64'));
  } catch {
    return undefined;
  }
}
