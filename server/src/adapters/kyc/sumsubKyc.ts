import { z } from 'zod';
import { describeError } from '../../core/describeError.ts';
import type { Kyc, KycSubject } from '../../core/kyc.ts';
import { askSumsub, type Reply, type SumsubOptions } from './askSumsub.ts';
import { parseWebhook } from './parseWebhook.ts';
import { readVerdict } from './readVerdict.ts';
import type { SignedRequest } from './signRequest.ts';

const TIMEOUT_MS = 1_700;
const TOKEN_SECONDS = 600;

const applicant = z.object({
  id: z.string().regex(/^[\w-]{1,64}$/),
  externalUserId: z.string(),
  deleted: z.boolean().optional(),
  review: z
    .object({
      levelName: z.string().optional(),
      reviewStatus: z.string().optional(),
      reviewResult: z
        .object({
          reviewAnswer: z.string().optional(),
          reviewRejectType: z.string().optional(),
          rejectLabels: z.array(z.string()).optional(),
          moderationComment: z.string().optional(),
        })
        .optional(),
    })
    .optional(),
});
const sdkToken = z.object({ token: z.string().min(1) });

/** Follows Sumsub's documentation and examples of 2026. */
export function sumsubKyc(options: SumsubOptions): Kyc {
  const { level, timeoutMs = TIMEOUT_MS, tokenSeconds = TOKEN_SECONDS } = options;
  const begin = () => {
    const deadline = AbortSignal.timeout(timeoutMs);
    return (request: SignedRequest) => askSumsub(options, request, deadline);
  };

  return {
    level,
    async createApplicant(userId) {
      const ask = begin();
      let reply = await ask({
        method: 'POST',
        path: `/resources/applicants?levelName=${encodeURIComponent(level)}`,
        body: JSON.stringify({ externalUserId: userId }),
      });
      // The applicant exists: an earlier call was not answered, or our database was restored from an older backup.
      if (reply.status === 409) {
        reply = await ask({
          method: 'GET',
          path: `/resources/applicants/-;externalUserId=${encodeURIComponent(userId)}/one`,
        });
      }
      const found = read(reply, applicant);
      if ('outcome' in found) return found;
      if (found.value.externalUserId !== userId) return { outcome: 'rejected', reason: 'refused' };
      return { outcome: 'accepted', applicantId: found.value.id };
    },

    async accessToken(userId, levelName) {
      const body = JSON.stringify({ userId, levelName, ttlInSecs: tokenSeconds });
      const found = read(await begin()({ method: 'POST', path: '/resources/accessTokens/sdk', body }), sdkToken);
      if ('outcome' in found) return found;
      return { outcome: 'accepted', token: found.value.token, expiresInSeconds: tokenSeconds };
    },

    async getStatus(subject: KycSubject) {
      const path = `/resources/applicants/${encodeURIComponent(subject.applicantId)}/one`;
      const reply = await begin()({ method: 'GET', path });
      if (reply.status === 404) return { outcome: 'rejected', reason: 'gone' };
      const found = read(reply, applicant);
      if ('outcome' in found) return found;
      const { id, externalUserId, deleted, review = {} } = found.value;
      if (deleted) return { outcome: 'rejected', reason: 'gone' };
      // The answer is about another person.
      if (id !== subject.applicantId || externalUserId !== subject.userId) {
        return { outcome: 'rejected', reason: 'refused' };
      }
      return { outcome: 'accepted', ...readVerdict(review, subject.level) };
    },

    parseWebhook: (headers, body) => parseWebhook(options, headers, body),
  };
}

interface SumsubStanding {
  readonly name: 'kyc';
  readonly status: 'ok' | 'down';
  readonly says?: string;
}

/** Requests an applicant that does not exist, to check that Sumsub answers and accepts our keys. */
export async function checkSumsub(options: SumsubOptions): Promise<SumsubStanding> {
  const request: SignedRequest = { method: 'GET', path: '/resources/applicants/-;externalUserId=florin-readiness/one' };
  const reply = await askSumsub(options, request, AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS));
  const { host } = new URL(options.url);
  if (reply.status === 'unknown')
    return { name: 'kyc', status: 'down', says: `${host}: ${describeError(reply.cause)}` };
  if (reply.status === 401 || reply.status === 403)
    return { name: 'kyc', status: 'down', says: `${host} answers ${reply.status}: it refuses our app token or secret` };
  return { name: 'kyc', status: 'ok' };
}

function read<T>(
  reply: Reply,
  schema: z.ZodType<T>,
):
  | { readonly value: T }
  | { readonly outcome: 'unknown'; readonly cause: unknown }
  | { readonly outcome: 'rejected'; readonly reason: 'refused' } {
  if (reply.status === 'unknown') return { outcome: 'unknown', cause: reply.cause };
  if (reply.status < 200 || reply.status > 299) return { outcome: 'rejected', reason: 'refused' };
  const parsed = schema.safeParse(reply.body);
  // Report only names of fields: a zod path of this schema contains no values.
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
    return { outcome: 'unknown', cause: new Error(`sumsub's answer is not as documented: ${fields}`) };
  }
  return { value: parsed.data };
}
