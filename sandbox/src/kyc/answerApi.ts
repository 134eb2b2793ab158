import { randomBytes, randomUUID } from 'node:crypto';
import type { Applicants, ReviewResult } from './applicants.ts';

interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: Buffer;
}

interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface ApiContext {
  readonly applicants: Applicants;
  /** Token to applicant id. */
  readonly tokens: Map<string, string>;
  readonly levels: readonly string[];
  readonly notify: (applicantId: string, event: string) => void;
}

/** Sumsub's form of an error. The real one often omits `errorCode` too. */
export const fault = (status: number, description: string): ApiAnswer => ({
  status,
  body: { code: status, correlationId: `req-${randomUUID()}`, description },
});

const NOT_FOUND = fault(404, 'Applicant not found (anf)');

type Handler = (context: ApiContext, request: ApiRequest, id: string) => ApiAnswer;

const ROUTES: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
  ['POST', /^\/resources\/applicants$/, createApplicant],
  ['POST', /^\/resources\/accessTokens\/sdk$/, createToken],
  ['GET', /^\/resources\/applicants\/-;externalUserId=([^/;]+)\/one$/, readByUser],
  ['GET', /^\/resources\/applicants\/([0-9a-f]+)\/one$/, readApplicant],
  ['GET', /^\/resources\/applicants\/([0-9a-f]+)\/status$/, readStatus],
  ['POST', /^\/resources\/applicants\/([0-9a-f]+)\/status\/testCompleted$/, completeTest],
];

/** The part of Sumsub's API that a server like ours calls. The signature was already checked. */
export function answerApi(context: ApiContext, request: ApiRequest): ApiAnswer {
  for (const [method, path, handler] of ROUTES) {
    const match = method === request.method && path.exec(request.url.pathname);
    if (match) return handler(context, request, decodeURIComponent(match[1] ?? ''));
  }
  return fault(404, 'Not found');
}

function readJson({ body }: ApiRequest): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function createApplicant(context: ApiContext, request: ApiRequest): ApiAnswer {
  const level = request.url.searchParams.get('levelName');
  if (!level || !context.levels.includes(level)) return fault(404, `Level '${level}' not found`);
  const userId = readJson(request)?.externalUserId;
  if (typeof userId !== 'string' || userId === '') return fault(400, 'externalUserId is required');
  const known = context.applicants.ofUser(userId);
  if (known) return fault(409, `Applicant with external user id '${userId}' already exists: ${known.id}`);
  const made = context.applicants.create(userId, level);
  context.notify(made.id, 'applicantCreated');
  return { status: 201, body: made };
}

function createToken(context: ApiContext, request: ApiRequest): ApiAnswer {
  const { userId, levelName } = readJson(request) ?? {};
  if (typeof userId !== 'string' || userId === '') return fault(400, 'userId is required');
  if (typeof levelName !== 'string' || !context.levels.includes(levelName))
    return fault(404, `Level '${levelName}' not found`);
  let applicant = context.applicants.ofUser(userId);
  if (!applicant) {
    applicant = context.applicants.create(userId, levelName);
    context.notify(applicant.id, 'applicantCreated');
  }
  const token = `_act-sbx-${randomBytes(24).toString('base64url')}`;
  context.tokens.set(token, applicant.id);
  return { status: 200, body: { token, userId } };
}

function readByUser({ applicants }: ApiContext, _request: ApiRequest, userId: string): ApiAnswer {
  const found = applicants.ofUser(userId);
  return found ? { status: 200, body: found } : NOT_FOUND;
}

function readApplicant({ applicants }: ApiContext, _request: ApiRequest, id: string): ApiAnswer {
  const found = applicants.find(id);
  return found ? { status: 200, body: found } : NOT_FOUND;
}

function readStatus({ applicants }: ApiContext, _request: ApiRequest, id: string): ApiAnswer {
  const found = applicants.find(id);
  return found ? { status: 200, body: found.review } : NOT_FOUND;
}

function completeTest(context: ApiContext, request: ApiRequest, id: string): ApiAnswer {
  const applicant = context.applicants.find(id);
  if (!applicant) return NOT_FOUND;
  const result = readJson(request);
  if (result?.reviewAnswer !== 'GREEN' && result?.reviewAnswer !== 'RED') return fault(400, 'Invalid reviewAnswer');
  context.applicants.review(applicant, 'completed', result as unknown as ReviewResult);
  context.notify(id, 'applicantReviewed');
  return { status: 200, body: { ok: 1 } };
}
