/**
 * Generates the parts of the client package (`sdk/`) that come from the OpenAPI documents: the types of requests and
 * answers, and a table of the calls. `npm run generate` writes them to `sdk/src/generated`.
 */
import { readFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import type { MediaType, OpenApiDocument, OperationObject, Schema } from '../server/src/http/contract/openapi.ts';

const NOTE = '// Written by `npm run generate` from the OpenAPI documents. Do not edit.\n\n';
const JSON_TYPE = 'application/json';
const CSV_TYPE = 'text/csv';
/** For services other than the client's users. */
const NOT_FOR_CLIENTS = ['hear_sumsub', 'hear_circle', 'greet_circle'];
/**
 * Calls that change something and take no Idempotency-Key, but may be repeated: the service does them once (a request
 * for money is paid, declined and cancelled once) or they change nothing (a preview).
 */
const REPEATABLE = [
  'pay_request',
  'decline_request',
  'cancel_request',
  'preview_payment',
  'start_kyc',
  'issue_kyc_token',
  'check_kyc',
  'create_payout',
  'confirm_payout',
  'cancel_payout',
];
/** Their result is the same however often they are sent. */
const REPEATABLE_METHODS = ['delete', 'put', 'patch'];
/** Posted only because they have a body. */
export const READING = ['preview_payment'];

/** Path to content. */
export async function describeClient(documents: {
  readonly backend: string;
  readonly web3: string;
}): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  let tables = NOTE;
  for (const [name, text] of Object.entries(documents)) {
    const document = JSON.parse(text) as OpenApiDocument;
    const nodes = await openapiTS(JSON.stringify(trim(document)), { defaultNonNullable: false });
    files.set(`sdk/src/generated/${name}.ts`, NOTE + astToString(nodes));
    tables += `${renderTable(name, document)}\n`;
  }
  const { version } = JSON.parse(readFileSync(new URL('../sdk/package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  files.set('sdk/src/generated/calls.ts', `${tables}export const VERSION = '${version}';\n`);
  return files;
}

export interface Listed {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

export function listOperations(document: OpenApiDocument): Listed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !NOT_FOR_CLIENTS.includes(operation.operationId))
      .map(([method, operation]) => ({ path, method, operation })),
  );
}

/** Only what a caller's types need: errors have a separate class, and the client writes headers. */
function trim(document: OpenApiDocument): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path, method, operation } of listOperations(document)) {
    const { operationId, summary, parameters = [], requestBody, responses } = operation;
    paths[path] = {
      ...paths[path],
      [method]: {
        operationId,
        summary,
        ...(requestBody && { requestBody: withoutExamples(withFurther(requestBody)) }),
        parameters: parameters.filter((one) => one.in !== 'header').map(withoutExamples),
        responses: Object.fromEntries(
          Object.entries(responses)
            .filter(([status]) => status === '200')
            .map(([status, { content }]) => [status, { description: '', content: pickTypes(content) }]),
        ),
      },
    };
  }
  const { openapi, info } = document;
  const { title, version } = info;
  return {
    openapi,
    info: { title, version },
    paths,
    components: { schemas: takeAmountsAsText(withoutExamples(document.components?.schemas ?? {})) },
  };
}

/** Members of a body that are described beside its schema belong to its type too. */
function withFurther(requestBody: NonNullable<OperationObject['requestBody']>): object {
  const { content, 'x-further-properties': properties } = requestBody;
  const json = content[JSON_TYPE];
  if (!properties || !json) return requestBody;
  const schema = { allOf: [json.schema, { type: 'object', properties }] };
  return { ...requestBody, content: { ...content, [JSON_TYPE]: { ...json, schema } } };
}

function pickTypes(content: Readonly<Record<string, MediaType>> = {}): object {
  const found = [JSON_TYPE, CSV_TYPE].flatMap((type) =>
    content[type] ? [[type, { schema: content[type].schema }]] : [],
  );
  return Object.fromEntries(found);
}

function withoutExamples<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withoutExamples) as T;
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([name]) => name !== 'example' && name !== 'examples')
      .map(([name, value]) => [name, withoutExamples(value)]),
  ) as T;
}

/**
 * Every number that is not an integer is an amount. Callers pass it as exact text, and the client writes the number.
 */
function takeAmountsAsText<T>(node: T): T {
  if (Array.isArray(node)) return node.map(takeAmountsAsText) as T;
  if (node === null || typeof node !== 'object') return node;
  const { type, title } = node as Schema;
  if (type === 'number')
    return { type: 'string', title, description: 'USDC as decimal text, such as "12.5": six decimals at most.' } as T;
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, takeAmountsAsText(value)])) as T;
}

function renderTable(name: string, document: OpenApiDocument): string {
  const rows = listOperations(document).map(({ path, method, operation }) => {
    const { operationId, parameters = [] } = operation;
    const takes = (header: string) => parameters.some((one) => one.in === 'header' && one.name === header);
    const amounts = findAmounts(document, operation);
    const answers = operation.responses['200']?.content ?? {};
    const credential = findCredential(name, operation);
    const changes = method !== 'get' && !READING.includes(operationId);
    const row = {
      method: method.toUpperCase(),
      path,
      ...(changes && { changes }),
      ...(takes('Idempotency-Key') && { keyed: true }),
      ...(takes('Prefer') && { waits: true }),
      ...(isRepeatable(operationId, method) && { repeatable: true }),
      ...('text/event-stream' in answers && { streams: true }),
      ...(CSV_TYPE in answers && !(JSON_TYPE in answers) && { csv: true }),
      ...(credential && { credential }),
      ...(amounts.length > 0 && { amounts }),
    };
    return `  ${operationId}: ${JSON.stringify(row)},`;
  });
  return `export const ${name}Calls = {\n${rows.join('\n')}\n} as const;\n`;
}

export const isRepeatable = (operationId: string, method: string): boolean =>
  REPEATABLE.includes(operationId) || REPEATABLE_METHODS.includes(method);

/** A session, a service key, or either. The document of the Web3 API names none, because its sandbox needs none. */
export function findCredential(name: string, { security = [] }: OperationObject): string | undefined {
  if (name === 'web3') return 'key';
  const schemes = (security as readonly Readonly<Record<string, unknown>>[]).flatMap((one) => Object.keys(one));
  if (schemes.includes('bearer') && schemes.includes('serviceKey')) return 'either';
  if (schemes.length === 0) return undefined;
  return schemes.includes('bearer') ? 'session' : 'key';
}

export function findAmounts(document: OpenApiDocument, { requestBody }: OperationObject): string[] {
  const schema = requestBody?.content[JSON_TYPE]?.schema;
  const named = schema?.$ref ? document.components?.schemas?.[schema.$ref.split('/').at(-1)!] : schema;
  return Object.entries(named?.properties ?? {}).flatMap(([name, { type }]) => (type === 'number' ? [name] : []));
}
