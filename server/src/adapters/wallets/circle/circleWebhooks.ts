import { type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';
import type { ProviderAnswer } from '../../../core/ports.ts';
import type { ProviderWebhook } from '../../../core/providers.ts';
import { CircleFault } from './circleFault.ts';
import type { Circle } from './openCircle.ts';

const key = z.object({ id: z.guid(), algorithm: z.string(), publicKey: z.base64() });

/** Fetches the key with this id that Circle signs webhooks with. Rejected: Circle has no such key. */
export async function fetchWebhookKey(
  circle: Circle,
  keyId: string,
): Promise<ProviderAnswer<{ readonly publicKey: Buffer }, string>> {
  const path = `/v2/notifications/publicKey/${keyId}` as const;
  const answer = await circle.ask({ method: 'GET', path, attempts: 1 });
  if (answer.outcome !== 'accepted') return answer;
  const given = key.safeParse(answer.data);
  if (!given.success || given.data.algorithm !== 'ECDSA_SHA_256')
    return { outcome: 'unknown', cause: new CircleFault('Circle did not return a webhook key') };
  return { outcome: 'accepted', publicKey: Buffer.from(given.data.publicKey, 'base64') };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Base64 of bytes that begin with 0x30: an ECDSA signature on P-256 in DER has 8 to 72 bytes. */
const SIGNATURE = /^M[A-P][A-Za-z0-9+/]{8,94}={0,2}$/;

/** Circle signs the raw body, and names the key in a header. */
export const circleWebhook: ProviderWebhook = {
  readSignature(headers) {
    const [keyId, signature] = ['x-circle-key-id', 'x-circle-signature'].map((name) => {
      const value = headers[name];
      return Array.isArray(value) ? value[0] : value;
    });
    if (!keyId || !signature) return undefined;
    return UUID.test(keyId) && SIGNATURE.test(signature) ? { keyId: keyId.toLowerCase(), signature } : 'invalid';
  },
  isSignedBy: (key: KeyObject, signature, body) => verify('sha256', body, key, Buffer.from(signature, 'base64')),
  readTransfer(body) {
    try {
      const { notification } = JSON.parse(Buffer.from(body).toString('utf8')) as { notification?: { id?: unknown } };
      const id = notification?.id;
      if (typeof id !== 'string' || !UUID.test(id)) return undefined;
      return { provider: 'circle_send', providerId: id.toLowerCase() };
    } catch {
      return undefined;
    }
  },
};
