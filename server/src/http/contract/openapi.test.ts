/** The published documents keep the reference's paths and schemas, and every example in them is valid. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createJudge } from '../../../../test/support/http/createJudge.ts';
import { type ErrorDetails, errorTable, PayError, renderProblem } from '../../core/errors.ts';
import { ignoresUnknown } from './checks/createUnknownCheck.ts';
import { compileOperation } from './compileOperation.ts';
import { getSchema, type MediaType, type OpenApiDocument, type OperationObject, type Schema } from './openapi.ts';
import { readDocument } from './readDocument.ts';

const corpus = new URL('../../../../test/corpus/', import.meta.url);
const golden: OpenApiDocument = JSON.parse(readFileSync(new URL('openapi-web3.golden.json', corpus), 'utf8'));
const documents: Record<string, OpenApiDocument> = {
  web3: readDocument('web3'),
  backend: readDocument('backend'),
};

interface Found {
  readonly document: OpenApiDocument;
  readonly operation: OperationObject;
}
const operations: [string, Found][] = Object.entries(documents).flatMap(([name, document]) =>
  Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((operation): [string, Found] => [
      `${name} ${operation.operationId}`,
      { document, operation },
    ]),
  ),
);

describe('the Web3 document', () => {
  test('keeps the paths, operation ids, tags and parameters of the reference', () => {
    const essence = (document: OpenApiDocument) =>
      Object.entries(document.paths).map(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId, tags, parameters = [], requestBody }]) => ({
          path,
          method,
          operationId,
          tags,
          parameters: parameters
            .filter((parameter) => parameter.in !== 'header')
            .map(({ name, in: place, required, schema }) => ({ name, place, required, schema })),
          body: requestBody?.content['application/json']?.schema,
          required: requestBody?.required,
        })),
      );
    expect(essence(documents.web3!)).toEqual(essence(golden));
  });

  test('keeps the version and the schemas of the reference', () => {
    expect(documents.web3!.openapi).toBe(golden.openapi);
    expect(documents.web3!.info.version).toBe(golden.info.version);
    expect(documents.web3!.components?.schemas).toMatchObject(golden.components!.schemas!);
    for (const [name, schema] of Object.entries(golden.components!.schemas!)) {
      expect(documents.web3!.components?.schemas?.[name]).toEqual(schema);
    }
  });
});

/** Named in the specification of the interface; every other operation is ours. */
const GIVEN = [
  '/wallet/send-usdc',
  '/subgraph/wallet-overview',
  '/circle/transaction/{transaction_id}',
  '/api/v1/send_usdc',
  '/api/v1/set_username',
  '/api/v1/login',
  '/api/v1/kyc/applicant',
  '/api/v1/kyc/access-token',
  '/api/v1/kyc/check-status/{user_id}',
  '/api/v1/kyc/status/{email}',
  '/api/v1/latest_transactions_by_username/{username}',
];

test('exactly the given operations, and the hooks of providers, ignore unknown fields, and the others say that they do not', () => {
  const lenient: string[] = [];
  for (const document of Object.values(documents))
    for (const [path, methods] of Object.entries(document.paths))
      for (const operation of Object.values(methods)) {
        if (ignoresUnknown(operation)) lenient.push(path);
        const schema = operation.requestBody?.content['application/json']?.schema;
        if (!schema) continue;
        expect(getSchema(document, schema).additionalProperties === false, path).toBe(!ignoresUnknown(operation));
      }
  const hooks = ['/webhooks/sumsub', '/webhooks/circle', '/webhooks/circle'];
  expect(lenient.sort()).toEqual([...GIVEN, ...hooks].sort());
});

test.each(Object.entries(documents))('%s names a production and a local server', (_, document) => {
  expect((document.servers as { url: string }[]).map((server) => new URL(server.url).protocol)).toEqual([
    'https:',
    'http:',
  ]);
});

describe.each(Object.entries(documents))('%s', (name, document) => {
  const schemas = Object.entries(document.components!.schemas!).filter(
    // These are the reference's, word for word.
    ([one]) => name !== 'web3' || !Object.hasOwn(golden.components!.schemas!, one),
  );
  const parts = (schema: Schema): Schema[] => (schema.allOf as Schema[] | undefined) ?? [schema];

  test('describes every schema, member, operation and parameter', () => {
    const silent: string[] = [];
    const see = (what: string, { description, $ref }: Readonly<Record<string, unknown>>) => {
      if (!description && !$ref) silent.push(what);
    };
    for (const [one, schema] of schemas) {
      see(one, schema);
      for (const { properties = {} } of parts(schema))
        for (const [member, property] of Object.entries(properties)) see(`${one}.${member}`, property);
    }
    for (const [, { document: its, operation }] of operations.filter(([, found]) => found.document === document)) {
      see(operation.operationId, operation);
      for (const parameter of operation.parameters ?? []) see(`${operation.operationId} ${parameter.name}`, parameter);
      expect(JSON.stringify(operation.responses), String(its.info.title)).not.toContain('Successful Response');
    }
    expect(silent).toEqual([]);
  });

  test('has all error codes, and every member that their sentences name', () => {
    const { ErrorCode, Problem } = document.components!.schemas!;
    expect([...ErrorCode!.enum!].sort()).toEqual(Object.keys(errorTable).sort());
    const named = Object.values(errorTable).flatMap(({ detail }) =>
      [...detail.matchAll(/\{(\w+)\}/g)].map((one) => one[1]!),
    );
    expect(named.filter((member) => !Object.hasOwn(Problem!.properties!, member))).toEqual([]);
  });

  test('shows tokens in their real format', () => {
    const tokens = JSON.stringify(document).match(/\bf\w{2}_[\w-]{8,}/g) ?? [];
    expect(tokens.filter((token) => !/^f(l[ar]|ak)_[\w-]{43}$/.test(token))).toEqual([]);
  });

  test('names one body where a status has two, and describes any other answer as a problem', () => {
    for (const [, { operation }] of operations.filter(([, found]) => found.document === document)) {
      expect(operation.responses, operation.operationId).toHaveProperty('default');
      for (const { content = {} } of Object.values(operation.responses)) {
        const bodies = Object.entries(content).filter(([type]) => type.endsWith('json'));
        expect(
          new Set(bodies.map(([, { schema }]) => JSON.stringify(schema))).size,
          operation.operationId,
        ).toBeLessThan(2);
      }
    }
  });
});

describe.each(operations)('%s', (_, { document, operation }) => {
  const { findSchemaFault } = createJudge(document);
  const answers = Object.entries(operation.responses).flatMap(([status, response]) =>
    Object.entries(response.content ?? {}).map(([type, media]) => ({ status, type, media })),
  );
  const examplesOf = (media: MediaType) => Object.values(media.examples ?? {}).map((example) => example.value);

  test('has an example of every answer, and each matches its schema', () => {
    for (const { status, type, media } of answers) {
      expect(examplesOf(media).length, `${status} ${type}`).toBeGreaterThan(0);
      for (const value of examplesOf(media)) expect(findSchemaFault(media.schema, value)).toBeUndefined();
    }
    expect(answers.map(({ status }) => status)).toContain('200');
  });

  test('documents its errors: 422 if anything is validated, and problems as the error table has them', () => {
    const checked = operation.parameters?.some((parameter) => parameter.in !== 'header');
    const validates = (operation.requestBody !== undefined && !operation.requestBody['x-signed']) || checked === true;
    expect(operation.responses['422'] !== undefined).toBe(validates);
    const problems = answers.filter(({ type }) => type === 'application/problem+json');
    expect(problems.length).toBeGreaterThan(0);
    for (const { status, media } of problems) {
      for (const value of examplesOf(media) as ({ code: keyof typeof errorTable } & Record<string, unknown>)[]) {
        expect(errorTable, value.code).toHaveProperty([value.code]);
        const { code, request_id, type, title, status: _, detail, retryable, ...details } = value;
        // The example must be exactly what the table renders.
        expect(value).toEqual({ ...renderProblem(new PayError(code, details as ErrorDetails)), request_id });
        if (status !== 'default') expect(String(value.status)).toBe(status);
        for (const [, name] of errorTable[code].detail.matchAll(/\{(\w+)\}/g)) expect(details).toHaveProperty(name!);
      }
    }
  });

  test('accepts its own request examples, and uses only keywords that we check', () => {
    const { validate } = compileOperation(document, operation, 'full');
    const parameters = operation.parameters ?? [];
    const exampleOf = (place: string) =>
      parameters.filter((p) => p.in === place && p.example !== undefined).map((p) => [p.name, String(p.example)]);
    const params = Object.fromEntries(exampleOf('path'));
    const query = new URLSearchParams(exampleOf('query') as [string, string][]).toString();
    const media = operation.requestBody?.content['application/json'];
    const bodies = media ? examplesOf(media) : [null];
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) {
      const outcome = validate(params, query, Buffer.from(JSON.stringify(body)), 'application/json', []);
      expect(outcome).toMatchObject({ params });
    }
  });
});
