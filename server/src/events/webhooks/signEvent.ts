import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Writes a secret in the Standard Webhooks format: `whsec_` and base64. */
export const renderSecret = (secret: Uint8Array): string => PREFIX + Buffer.from(secret).toString('base64');

export const makeSecret = (): Buffer => randomBytes(SECRET_BYTES);

/**
 * The headers of one attempt (www.standardwebhooks.com, scheme `v1`). Every valid secret signs, so a receiver can
 * verify with any of them. All attempts have the same id; the timestamp is the attempt's.
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
