import { createHmac } from 'node:crypto';
import { PayError } from '../../core/errors.ts';
import { isSameSecret } from '../../core/isSameSecret.ts';
import type { Kyc, KycNotice } from '../../core/kyc.ts';
import type { SumsubOptions } from './askSumsub.ts';

const HASHES = { HMAC_SHA256_HEX: 'sha256', HMAC_SHA512_HEX: 'sha512' } as const;

/**
 * Checks the digest of the raw bytes with the configured algorithm only: the algorithm header would let a sender choose
 * SHA-1. The message has no signed time, so an old one can be replayed. That is harmless, because a message only makes
 * us ask the provider.
 */
export function parseWebhook(
  options: Pick<SumsubOptions, 'webhookSecret' | 'webhookAlgorithm'>,
  ...[headers, body]: Parameters<Kyc['parseWebhook']>
): KycNotice {
  const digest = headers['x-payload-digest'];
  if (digest === undefined) throw new PayError('auth.required');
  if (headers['x-payload-digest-alg'] !== options.webhookAlgorithm) {
    throw new PayError('auth.invalid', { reason: 'algorithm' });
  }
  const wanted = createHmac(HASHES[options.webhookAlgorithm], options.webhookSecret).update(body).digest();
  const given = typeof digest === 'string' && /^[0-9a-f]+$/i.test(digest) ? Buffer.from(digest, 'hex') : undefined;
  if (!isSameSecret(given, wanted)) throw new PayError('auth.invalid', { reason: 'signature' });
  return readNotice(body);
}

/**
 * A signed message about something other than an applicant is not an error. There is nothing to ask the provider for.
 */
function readNotice(body: Uint8Array): KycNotice {
  let event: { applicantId?: unknown; type?: unknown } | null = null;
  try {
    event = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    // Becomes an event of type `unknown` below.
  }
  const { applicantId, type } = typeof event === 'object' && event !== null ? event : {};
  return {
    applicantId: typeof applicantId === 'string' && /^[\w-]{1,64}$/.test(applicantId) ? applicantId : undefined,
    type: typeof type === 'string' && /^\w{1,64}$/.test(type) ? type : 'unknown',
  };
}
