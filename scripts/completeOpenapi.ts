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
    description: 'The suggested file name.',
    schema: text,
    example: 'attachment; filename="account.json"',
  },
  'X-Request-Id': {
    description:
      'The id of this call in the log: the id that you sent, or a generated one. Quote it when you ask about the call.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
    example: '6f1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
  },
  RateLimit: {
    description: 'For each limit, the number of calls left (`r`) and the seconds until it is full again (`t`).',
    schema: text,
    example: '"address";r=599;t=60',
  },
  'RateLimit-Policy': {
    description: 'The limits: the number of calls (`q`) per window in seconds (`w`).',
    schema: text,
    example: '"address";q=600;w=60',
  },
  'Retry-After': {
    description: 'The number of seconds to wait before you repeat the call.',
    schema: { ...count, minimum: 0 },
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme to use.',
    schema: text,
    example: 'Bearer realm="florin"',
  },
  'Idempotency-Replayed': {
    description: '`true` if this is the stored first response for the key: nothing was done this time.',
    schema: { type: 'string', const: 'true' },
  },
  'Preference-Applied': {
    description: 'The maximum time for which the response was delayed. Absent if it was not delayed.',
    schema: text,
    example: 'wait=10',
  },
  ETag: { description: 'Identifies this response; send it as `If-None-Match`.', schema: text },
  Link: { description: 'The next page, as `rel="next"`; absent on the last page.', schema: text },
  'Florin-Warning': {
    description:
      'The unknown fields and query parameters that were ignored. Operations that do not document this header refuse them with 422.',
    schema: text,
    example: 'unknown field "reciever_username", did you mean "receiver_username"?',
  },
  Allow: { description: 'The methods that this path supports; sent with 405.', schema: text, example: 'POST' },
};
type HeaderName = keyof typeof HEADERS;

/** The members of a problem beyond the common ones. The page of a code lists its members. */
const MEMBERS: Record<string, Json> = {
  available: { ...schemaNamed('UsdcBalance'), description: 'The amount that can be spent now' },
  available_at: { ...time, description: 'The time from which the action is possible' },
  blockchain: { ...text, description: 'The requested blockchain' },
  count: { ...text, description: 'The number of rows that the payout pays' },
  decimals: { ...count, description: 'The number of decimals that an amount can have' },
  dependency: { ...text, description: 'The dependency that does not respond' },
  error_count: { ...count, description: 'The number of errors found' },
  errors: {
    type: 'array',
    description: 'The errors in a file, by row and column; at most the first 1,000',
    items: {
      type: 'object',
      properties: {
        row: { ...count, description: 'Row 1 is the first row after the header; 0 is the file itself' },
        column: { type: ['string', 'null'], description: 'The column; null if the error concerns the whole row' },
        code: { ...text, description: 'A code for programs' },
        detail: { ...text, description: 'An explanation for people' },
      },
      required: ['row', 'column', 'code', 'detail'],
    },
  },
  event_type: { ...text, description: 'The unknown event type' },
  held: { ...schemaNamed('UsdcBalance'), description: 'The amount held for open payments' },
  kyc_status: { ...text, description: "The status of the person's identity check" },
  largest: { ...schemaNamed('UsdcAmount'), description: 'The largest possible amount of one payment' },
  left: { ...text, description: 'The amount left within the limit' },
  limit: { type: ['string', 'integer'], description: 'The name of the limit, or the number of calls it allows' },
  limit_bytes: { ...count, description: 'The largest possible size of a body' },
  maximum: { ...text, description: 'The value of the limit' },
  nearest: { ...text, description: 'The nearest amount that can be paid, as digits to send' },
  open_payments: { ...count, description: 'The number of payments that have not ended' },
  open_requests: { ...count, description: 'The number of requests for money that have not ended' },
  open_payouts: { ...count, description: 'The number of payouts that can still pay from the account' },
  owed: { ...schemaNamed('UsdcBalance'), description: 'The amount that the person owes' },
  party: { ...text, description: 'The blocked party' },
  policy: { ...text, description: 'The name of the rate limit' },
  raised_by: { type: 'string', enum: ['kyc', 'operator'], description: 'The action that would raise the limit' },
  reason: { ...text, description: 'The check that failed, or the reason' },
  resets_at: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'The time when the oldest payment leaves the window',
  },
  resume_after: { ...text, description: 'The cursor to continue from' },
  retry_after_seconds: { ...count, description: 'The same value as in `Retry-After`' },
  scope: { ...text, description: 'The missing scope' },
  state: { ...text, description: 'The state of the payment' },
  total: { ...text, description: 'The total amount of the payout' },
  unit: { ...text, description: 'The unit of the limit' },
  what: { ...text, description: 'The part of the request that the rules of the key do not allow' },
  window_seconds: { ...count, description: 'The length of the window in which calls are counted' },
};

const SCHEMAS: Record<string, Json> = {
  ErrorCode: {
    title: 'ErrorCode',
    type: 'string',
    enum: Object.keys(errorTable).sort(),
    description:
      'The meaning of a code never changes, and no code is removed. New codes can be added: handle a code that you do not know by its status.',
  },
  Problem: {
    title: 'Problem',
    type: 'object',
    description: 'An RFC 9457 problem document. The page at `type` lists the additional members of the code.',
    properties: {
      type: {
        type: 'string',
        format: 'uri-reference',
        description: 'The page that describes the code; both APIs serve it',
      },
      title: { ...text, description: 'A short title, the same for every problem with this code' },
      status: { ...count, description: 'The status of the response' },
      detail: { ...text, description: 'An explanation for people' },
      code: { ...schemaNamed('ErrorCode'), description: 'A code for programs' },
      retryable: { type: 'boolean', description: 'Whether the same request can succeed later' },
      request_id: { ...text, description: 'The same id as in `X-Request-Id`; quote it when you ask for support' },
      ...MEMBERS,
    },
    required: ['type', 'title', 'status', 'detail', 'code', 'retryable', 'request_id'],
    additionalProperties: true,
  },
  BadRequest: {
    title: 'BadRequest',
    description: 'A problem document, or a response from the router.',
    anyOf: [schemaNamed('Problem'), schemaNamed('Detail')],
  },
  InvalidRequest: {
    title: 'InvalidRequest',
    description: 'Validation errors, or a problem document.',
    anyOf: [schemaNamed('HTTPValidationError'), schemaNamed('Problem')],
  },
};

const PARAMETERS: Record<string, Json> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A key that you choose: a new one for each action that must happen only once, and the same one when you repeat the call. 1 to 255 printable ASCII characters, preferably a UUID. Quotes around the key do not change it. The same key with the same body returns the first response again, with `Idempotency-Replayed: true`. The same key with another body is refused. Keys of payments never expire. Keys of other calls and of refusals are kept for at least 7 days (90 by default). Production requires a key for calls that move money.',
    schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$' },
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    description:
      '`wait=N` delays the response until the payment is final (for events: until there is one) or N seconds have passed. N is a whole number; more than 60 counts as 60, and `1.5` is read as 1. A caller can have 32 delayed responses on a server at the same time. Beyond that the response is immediate, with the current state and without `Preference-Applied`. Other preferences are ignored.',
    schema: { type: 'string', pattern: 'wait *= *"?[0-9]{1,9}"?' },
    example: 'wait=10',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` of a response that you have. If nothing has changed, the response is a 304 without a body.',
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
      'Any other error: `request.malformed` (400), `request.timeout` (408), `request.headers_too_large` (431), `internal.error` (500), or a method that the path does not support (405)',
    headers: refer(['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'Allow']),
    content: {
      [PROBLEM_TYPE]: { schema: schemaNamed('BadRequest'), examples: Object.fromEntries(problems) },
      [JSON_TYPE]: {
        schema: schemaNamed('BadRequest'),
        examples: {
          method: { summary: 'The path does not support this method', value: { detail: 'Method Not Allowed' } },
        },
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
