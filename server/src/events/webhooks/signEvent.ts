import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** As Standard Webhooks writes secrets: `whsec_` and base64. */
export const renderSecret = (secret: Uint8Array): string => PREFIX + Buffer.from(secret).toString('base64');

export const makeSecret = (): Buffer => randomBytes(SECRET_BYTES);

/**
 * The headers of one attempt (www.standardwebhooks.com, scheme `v1`). Every secret that counts signs, so that a receiver
 * may know any one of them. The id stays the same in all attempts; the time is that of the attempt.
 */
export function signEvent(
  secrets: readonly Uint8Array[],
  { eventId, at, body }: { readonly eventId: string; readonly at: Date; readonly body: string },
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1_000).toString();
  const signed = `${eventId}.${timestamp}.${body}`;
  return {
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets
      .map((secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`)
      .join(' '),
  };
}
