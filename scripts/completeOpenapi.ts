/**
 * Adds the shared parts of all operations to both OpenAPI documents: the codes and members of a problem, the headers of
 * every answer, the default answer, one name for two bodies under one status. `npm run generate` runs it, so an
 * operation only has its own parts.
 */
import { readFileSync } from 'node:fs';
import { errorTable, PayError, renderProblem } from '../server/src/core/errors.ts';

type Json = Record<string, unknown>;

interface Media {
  schema: Json;
  examples?: Record<string, { value: { code?: keyof typeof errorTable } }>;
}
interface Answer {
  description: string;
  headers?: Record<string, Json>;
  content?: Record<string, Media>;
}
interface Operation {
  parameters?: { name: string; in: string }[];
  responses: Record<string, Answer>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; headers?: Json };
}

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';
const text = { type: 'string' };
const count = { type: 'integer' };
const time = { type: 'string', format: 'date-time' };
const schemaNamed = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const HEADERS = {
  'Content-Disposition': {
    description: 'A name for the file.',
    schema: text,
    example: 'attachment; filename="account.json"',
  },
  'X-Request-Id': {
    description: 'Names this call in our log: the one that you sent, or one of ours. Quote it when you ask about it.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
    example: '6f1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
  },
  RateLimit: {
    description: 'How many calls are left of each limit (`r`), and the seconds until it is full again (`t`).',
    schema: text,
    example: '"address";r=599;t=60',
  },
  'RateLimit-Policy': {
    description: 'The limits: calls (`q`) in seconds (`w`).',
    schema: text,
    example: '"address";q=600;w=60',
  },
  'Retry-After': { description: 'Seconds to wait before the same call.', schema: { ...count, minimum: 0 }, example: 1 },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: text, example: 'Bearer realm="florin"' },
  'Idempotency-Replayed': {
    description: '`true` when this is the first answer to the key again: nothing was done this time.',
    schema: { type: 'string', const: 'true' },
  },
  'Preference-Applied': {
    description: 'How long the answer was held at most. Absent when it was not held.',
    schema: text,
    example: 'wait=10',
  },
  ETag: { description: 'Names this answer; send it as `If-None-Match`.', schema: text },
  Link: { description: 'The page after this one, as `rel="next"`; absent on the last.', schema: text },
  Allow: { description: 'The methods of this path, with 405.', schema: text, example: 'POST' },
};
type HeaderName = keyof typeof HEADERS;

/** What a problem has besides the common members. Its page lists them. */
const MEMBERS: Record<string, Json> = {
  available: { ...schemaNamed('UsdcBalance'), description: 'What can be spent now' },
  available_at: { ...time, description: 'From when on it is possible' },
  blockchain: { ...text, description: 'The blockchain that was asked for' },
  count: { ...text, description: 'How many rows the payout pays' },
  decimals: { ...count, description: 'How many decimals an amount may have' },
  dependency: { ...text, description: 'What does not answer' },
  error_count: { ...count, description: 'How many errors were found' },
  errors: {
    type: 'array',
    description: 'What is wrong with a file, by row and column; the first 1,000',
    items: {
      type: 'object',
      properties: {
        row: { ...count, description: '1 is the first after the header; 0 is the file itself' },
        column: { type: ['string', 'null'], description: 'The column, or null for the whole row' },
        code: { ...text, description: 'For programs' },
        detail: { ...text, description: 'For people' },
      },
      required: ['row', 'column', 'code', 'detail'],
    },
  },
  event_type: { ...text, description: 'The type of events that does not exist' },
  held: { ...schemaNamed('UsdcBalance'), description: 'What open payments hold' },
  kyc_status: { ...text, description: "How far the person's identity check is" },
  largest: { ...schemaNamed('UsdcAmount'), description: 'The largest amount of one payment' },
  left: { ...text, description: 'What is left of the limit' },
  limit: { type: ['string', 'integer'], description: 'Which limit, or how many calls it allows' },
  limit_bytes: { ...count, description: 'How large a body may be' },
  maximum: { ...text, description: 'The limit itself' },
  open_payments: { ...count, description: 'Payments that have not ended' },
  open_requests: { ...count, description: 'Requests for money that have not ended' },
  open_payouts: { ...count, description: 'Payouts that may still pay from the account' },
  owed: { ...schemaNamed('UsdcBalance'), description: 'What the person owes' },
  party: { ...text, description: 'Who is blocked' },
  policy: { ...text, description: 'Which limit of calls' },
  raised_by: { type: 'string', enum: ['kyc', 'operator'], description: 'What would raise the limit' },
  reason: { ...text, description: 'Which check failed, or why it is so' },
  resets_at: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When the oldest payment leaves the window',
  },
  resume_after: { ...text, description: 'The cursor to go on after' },
  retry_after_seconds: { ...count, description: 'As `Retry-After`' },
  scope: { ...text, description: 'The scope that the key lacks' },
  state: { ...text, description: 'The state of the payment' },
  total: { ...text, description: 'What the payout pays' },
  unit: { ...text, description: 'What the limit counts' },
  what: { ...text, description: 'What the rules of the key do not allow' },
  window_seconds: { ...count, description: 'The time in which calls are counted' },
};

const SCHEMAS: Record<string, Json> = {
  ErrorCode: {
    title: 'ErrorCode',
    type: 'string',
    enum: Object.keys(errorTable).sort(),
    description:
      'A code never changes its meaning and is never removed. New ones come: treat one that you do not know by its status.',
  },
  Problem: {
    title: 'Problem',
    type: 'object',
    description: 'RFC 9457. The page that `type` leads to says which further members a code has.',
    properties: {
      type: { type: 'string', format: 'uri-reference', description: 'The page of the code, which both APIs serve' },
      title: { ...text, description: 'Stable for the code' },
      status: { ...count, description: 'The status of the answer' },
      detail: { ...text, description: 'For people' },
      code: { ...schemaNamed('ErrorCode'), description: 'For programs' },
      retryable: { type: 'boolean', description: 'Whether the same request may succeed later' },
      request_id: { ...text, description: 'Also in `X-Request-Id`: quote it when you ask us' },
      ...MEMBERS,
    },
    required: ['type', 'title', 'status', 'detail', 'code', 'retryable', 'request_id'],
    additionalProperties: true,
  },
  BadRequest: {
    title: 'BadRequest',
    description: 'A problem, or the answer of the router.',
    anyOf: [schemaNamed('Problem'), schemaNamed('Detail')],
  },
  InvalidRequest: {
    title: 'InvalidRequest',
    description: 'What the document refuses, or a problem.',
    anyOf: [schemaNamed('HTTPValidationError'), schemaNamed('Problem')],
  },
};

const PARAMETERS: Record<string, Json> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Chosen by you, new for each thing that shall be done once, and the same when you repeat the call: 1 to 255 printable ASCII characters, best a UUID. In quotes and bare it is the same key. The same key and body get the first answer again, with `Idempotency-Replayed: true`; another body is refused. Kept for ever for payments, at least 7 days for other calls and for refusals (90 unless the operator says otherwise). Production requires it for calls that move money.',
    schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$' },
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    description:
      '`wait=N` holds the answer until the payment is final (of events: until one has come) or N seconds have passed: whole seconds, 60 at most (more counts as 60, and of `1.5` only the 1 is read). A caller can hold 32 answers on a server at the same time. Beyond that the answer comes at once, with the state as it is now and without `Preference-Applied`. Other preferences are ignored.',
    schema: { type: 'string', pattern: 'wait *= *"?[0-9]{1,9}"?' },
    example: 'wait=10',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of an answer that you have: 304 without a body when nothing has changed.',
    schema: text,
    example: '"Kq3ZJ1x0v9cT8mYb5nLwRs2uHdE"',
  },
};

const COMMON_CODES = ['internal.error', 'request.malformed', 'request.timeout', 'request.headers_too_large'] as const;

function renderDefault(): Answer {
  const problems = COMMON_CODES.map((code) => {
    const value = { ...renderProblem(new PayError(code)), request_id: '6f1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d' };
    return [code, { summary: errorTable[code].title, value }];
  });
  return {
    description:
      'Anything else: `request.malformed` (400), `request.timeout` (408), `request.headers_too_large` (431), `internal.error` (500), or a method that the path does not have (405)',
    headers: refer(['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'Allow']),
    content: {
      [PROBLEM_TYPE]: { schema: schemaNamed('BadRequest'), examples: Object.fromEntries(problems) },
      [JSON_TYPE]: {
        schema: schemaNamed('BadRequest'),
        examples: { method: { summary: 'The path has no such method', value: { detail: 'Method Not Allowed' } } },
      },
    } as NonNullable<Answer['content']>,
  };
}

const refer = (names: readonly HeaderName[]): Record<string, Json> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Refusals that are stored under a key: decisions, not faults of the call itself. */
const KEPT = ['400', '403', '404', '409'];

function chooseHeaders(status: string, answer: Answer, replays: boolean): HeaderName[] {
  const own = Object.keys(answer.headers ?? {}) as HeaderName[];
  const codes = Object.keys(answer.content?.[PROBLEM_TYPE]?.examples ?? {});
  return [
    'X-Request-Id',
    'RateLimit',
    'RateLimit-Policy',
    ...own,
    ...(['429', '503'].includes(status) ? (['Retry-After'] as const) : []),
    ...(status === '401' || codes.includes('auth.scope') ? (['WWW-Authenticate'] as const) : []),
    ...(replays && KEPT.includes(status) ? (['Idempotency-Replayed'] as const) : []),
  ];
}

/** Both bodies of a status get one name, because generators read only the first. */
function nameBodies(status: string, { content = {} }: Answer): void {
  const name = { '400': 'BadRequest', '422': 'InvalidRequest' }[status];
  if (!name || !(JSON_TYPE in content) || !(PROBLEM_TYPE in content)) return;
  for (const media of Object.values(content)) media.schema = schemaNamed(name);
}

function completeOperation(operation: Operation): void {
  const given = operation.parameters ?? [];
  if (operation.responses['304'] && !given.some(({ name }) => name === 'If-None-Match'))
    given.push({ name: 'If-None-Match', in: 'header' });
  if (given.length > 0)
    operation.parameters = given.map((one) =>
      one.in === 'header' ? ((PARAMETERS[one.name] ?? one) as unknown as typeof one) : one,
    );
  const replays = operation.responses['200']?.headers?.['Idempotency-Replayed'] !== undefined;
  const waits = operation.parameters?.some(({ name }) => name === 'Prefer') ?? false;
  delete operation.responses.default;
  for (const [status, answer] of Object.entries(operation.responses)) {
    nameBodies(status, answer);
    if (status === '200' && waits) answer.headers = { ...answer.headers, 'Preference-Applied': {} };
    const unknown = Object.keys(answer.headers ?? {}).filter((name) => !(name in HEADERS));
    if (unknown.length > 0) throw new Error(`scripts/completeOpenapi.ts does not describe the header ${unknown}`);
    answer.headers = refer(chooseHeaders(status, answer, replays));
    operation.responses[status] = sortMembers(answer);
  }
  operation.responses.default = renderDefault();
}

/** Always in the same order, wherever the headers were added. */
const sortMembers = ({ description, headers, content }: Answer): Answer => ({
  description,
  ...(headers && { headers }),
  ...(content && { content }),
});

/** The text of a document with everything that all operations share. */
export function completeOpenapi(file: URL): string {
  const document = JSON.parse(readFileSync(file, 'utf8')) as Document;
  for (const methods of Object.values(document.paths)) for (const one of Object.values(methods)) completeOperation(one);
  const { schemas } = document.components;
  for (const [name, schema] of Object.entries(SCHEMAS)) schemas[name] = schema;
  const used = JSON.stringify(document.paths);
  document.components.headers = Object.fromEntries(
    Object.entries(HEADERS).filter(([name]) => used.includes(`#/components/headers/${name}"`)),
  );
  return `${JSON.stringify(document, null, 2)}\n`;
}
