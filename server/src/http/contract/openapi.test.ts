/** The published documents keep the reference's paths and schemas, and every example in them is valid. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ErrorDetails, errorTable, PayError, renderProblem } from '../../core/errors.ts';
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

/** Why a value is not what a schema says, for the keywords our answers use; undefined when it is. */
function findFault(document: OpenApiDocument, schema: Schema, value: unknown, at = '$'): string | undefined {
  const { type, anyOf, oneOf, ...rest } = getSchema(document, schema) as Schema & { oneOf?: Schema[] };
  if (anyOf?.every((each) => findFault(document, each, value, at))) return `${at} is none of anyOf`;
  if (oneOf && oneOf.filter((each) => !findFault(document, each, value, at)).length !== 1) return `${at} is not oneOf`;
  if (rest.enum && !rest.enum.includes(value as string)) return `${at} is not in the enum`;
  if (type === undefined) return undefined;
  if (type === 'null') return value === null ? undefined : `${at} is not null`;
  if (type === 'array') {
    if (!Array.isArray(value)) return `${at} is no array`;
    return value.map((item, i) => findFault(document, rest.items ?? {}, item, `${at}[${i}]`)).find(Boolean);
  }
  if (type === 'object') {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return `${at} is no object`;
    const members = value as Record<string, unknown>;
    const absent = (rest.required ?? []).find((name) => !Object.hasOwn(members, name));
    if (absent !== undefined) return `${at}.${absent} is absent`;
    const faults = Object.entries(rest.properties ?? {})
      .filter(([name]) => Object.hasOwn(members, name))
      .map(([name, property]) => findFault(document, property, members[name], `${at}.${name}`));
    return faults.find(Boolean);
  }
  if (type === 'integer' ? !Number.isInteger(value) : typeof value !== type) return `${at} is no ${type}`;
  if (rest.pattern !== undefined && !new RegExp(rest.pattern).test(String(value))) return `${at} misses its pattern`;
  if (rest.format === 'date-time' && new Date(String(value)).toISOString() !== value) return `${at} is no time`;
  return undefined;
}

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

test.each(Object.entries(documents))('%s names a production and a local server', (_, document) => {
  expect((document.servers as { url: string }[]).map((server) => new URL(server.url).protocol)).toEqual([
    'https:',
    'http:',
  ]);
});

describe.each(operations)('%s', (_, { document, operation }) => {
  const answers = Object.entries(operation.responses).flatMap(([status, response]) =>
    Object.entries(response.content ?? {}).map(([type, media]) => ({ status, type, media })),
  );
  const examplesOf = (media: MediaType) => Object.values(media.examples ?? {}).map((example) => example.value);

  test('has an example of every answer, and each is what its schema says', () => {
    for (const { status, type, media } of answers) {
      expect(examplesOf(media).length, `${status} ${type}`).toBeGreaterThan(0);
      for (const value of examplesOf(media)) expect(findFault(document, media.schema, value)).toBeUndefined();
    }
    expect(answers.map(({ status }) => status)).toContain('200');
  });

  test('documents its errors: 422 if anything is validated, and problems as the error table has them', () => {
    const validates = operation.requestBody !== undefined || operation.parameters !== undefined;
    expect(operation.responses['422'] !== undefined).toBe(validates);
    const problems = answers.filter(({ type }) => type === 'application/problem+json');
    expect(problems.length).toBeGreaterThan(0);
    for (const { status, media } of problems) {
      for (const value of examplesOf(media) as ({ code: keyof typeof errorTable } & Record<string, unknown>)[]) {
        expect(errorTable, value.code).toHaveProperty([value.code]);
        const { code, request_id, type, title, status: _, detail, retryable, ...details } = value;
        // The example must be exactly what the table renders.
        expect(value).toEqual({ ...renderProblem(new PayError(code, details as ErrorDetails)), request_id });
        expect(String(value.status)).toBe(status);
        for (const [, name] of errorTable[code].says.matchAll(/\{(\w+)\}/g)) expect(details).toHaveProperty(name!);
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
      const outcome = validate(params, query, Buffer.from(JSON.stringify(body)), 'application/json');
      expect(outcome).toMatchObject({ params });
    }
  });
});
