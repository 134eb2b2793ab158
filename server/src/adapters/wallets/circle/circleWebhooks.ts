import { z } from 'zod';
import type { ProviderAnswer } from '../../../core/ports.ts';
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
