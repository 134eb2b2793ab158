import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Applicant, stamp } from './applicants.ts';

interface WebhookOptions {
  readonly url: string;
  readonly secret: string;
  readonly log: (line: string) => void;
  readonly stopping: AbortSignal;
}

/** Sumsub waits 5 minutes, then 1, 5 and 18 hours; a sandbox should be quicker. */
const RESEND_AFTER_MS = [1_000, 5_000, 20_000, 60_000];
const ANSWER_TIMEOUT_MS = 10_000;

export function renderEvent(applicant: Applicant, type: string): string {
  const { id, inspectionId, externalUserId, review } = applicant;
  return JSON.stringify({
    applicantId: id,
    inspectionId,
    correlationId: `req-${randomUUID()}`,
    externalUserId,
    levelName: review.levelName,
    type,
    reviewStatus: review.reviewStatus,
    ...(review.reviewResult && { reviewResult: review.reviewResult }),
    createdAtMs: stamp(),
    sandboxMode: true,
  });
}

export const signEvent = (body: string, secret: string): Record<string, string> => ({
  'content-type': 'application/json',
  'x-payload-digest': createHmac('sha256', secret).update(body).digest('hex'),
  'x-payload-digest-alg': 'HMAC_SHA256_HEX',
});

/** Resolves when the event was accepted, or after the last resend. Never rejects. */
export async function sendWebhook(options: WebhookOptions, body: string): Promise<void> {
  for (const pauseMs of [...RESEND_AFTER_MS, undefined]) {
    const status = await post(options, body);
    if (typeof status === 'number' && status >= 200 && status < 300) return;
    if (options.stopping.aborted || pauseMs === undefined) return;
    options.log(`KYC double: the webhook was answered ${status}; retrying in ${pauseMs / 1000} s`);
    // `ref: false`: a pending resend does not keep the process alive.
    await sleep(pauseMs, undefined, { signal: options.stopping, ref: false }).catch(() => {});
  }
}

async function post({ url, secret, stopping }: WebhookOptions, body: string): Promise<number | string> {
  try {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    const answer = await fetch(url, { method: 'POST', headers: signEvent(body, secret), body, signal });
    await answer.body?.cancel();
    return answer.status;
  } catch (error) {
    return (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name;
  }
}
