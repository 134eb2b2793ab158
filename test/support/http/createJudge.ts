/** Checks an answer against the OpenAPI documents: status, headers, type and every member of the body. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument, OperationObject, Schema } from '../../../server/src/http/contract/openapi.ts';

interface Answer {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  readonly text: string;
}

interface DocumentedAnswer {
  readonly headers?: Readonly<Record<string, { readonly $ref?: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly examples?: Examples }>>;
}
type Examples = Readonly<Record<string, { readonly value: unknown }>>;

interface Judge {
  /**
   * Returns how the answer differs from the document; undefined if it does not, or if the call matches no documented
   * operation.
   */
  findFault(method: string, path: string, answer: Answer): string | undefined;
  /** Returns why a value does not match a schema of the document. */
  findSchemaFault(schema: Schema, value: unknown): string | undefined;
}

/** The statuses that `default` describes. An operation has to document any other status itself. */
const ELSEWHERE = [400, 405, 408, 431, 500];

export function createJudge(document: OpenApiDocument): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/);
  ajv.addFormat('uuid', /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
  ajv.addFormat('uri-reference', /^[^\s<>"{}|\\^`]+$/);
  ajv.addSchema({ $id: ID, components: closeSchemas(document.components?.schemas ?? {}) });
  const compiled = new WeakMap<object, ValidateFunction>();
  // Many answers have the same schema, and compiling one takes longer than a thousand checks.
  const byText = new Map<string, ValidateFunction>();
  const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ pattern: toPattern(template), method, operation })),
  );

  function compile(schema: Schema): ValidateFunction {
    const text = JSON.stringify(schema);
    const validate = byText.get(text) ?? ajv.compile(point(schema, 'closed') as object);
    byText.set(text, validate);
    compiled.set(schema, validate);
    return validate;
  }

  function findSchemaFault(schema: Schema, value: unknown): string | undefined {
    const validate = compiled.get(schema) ?? compile(schema);
    if (validate(value)) return undefined;
    const [error] = validate.errors ?? [];
    return `${error?.instancePath || 'the body'} ${error?.message} ${JSON.stringify(error?.params)}`;
  }

  function findBodyFault(operation: OperationObject, documented: DocumentedAnswer, answer: Answer): string | undefined {
    const type = (answer.headers.get('content-type') ?? '').split(';', 1)[0]!;
    const media = documented.content?.[type];
    if (!documented.content) return answer.text === '' ? undefined : 'a body is not documented';
    if (!media) return `the type "${type}" is not documented`;
    const value = /json$/.test(type) ? (JSON.parse(answer.text) as unknown) : answer.text;
    return (
      findSchemaFault(media.schema, value) ??
      (type === 'application/problem+json' ? findProblemFault(operation, answer.status, value) : undefined)
    );
  }

  /** The code must be one that the operation documents for the status. */
  function findProblemFault(operation: OperationObject, status: number, value: unknown): string | undefined {
    const { code } = value as { code: string };
    const known = [String(status), 'default'].flatMap((one) =>
      Object.values((operation.responses[one] as DocumentedAnswer | undefined)?.content ?? {}).flatMap(({ examples }) =>
        Object.values(examples ?? {}).map((example) => (example.value as { code?: string }).code),
      ),
    );
    if (!known.includes(code)) return `${code} is not documented`;
    return findSchemaFault({ $ref: '#/components/schemas/Problem' }, value);
  }

  return {
    findSchemaFault,
    findFault(method, path, answer) {
      const found = operations.find((one) => one.method === method.toLowerCase() && one.pattern.test(path));
      if (!found) return undefined;
      const { operation } = found;
      const own = operation.responses[String(answer.status)];
      const documented = (own ?? operation.responses.default) as DocumentedAnswer | undefined;
      if (!documented || (!own && !ELSEWHERE.includes(answer.status))) return 'the status is not documented';
      const absent = Object.entries(documented.headers ?? {}).find(
        ([name, header]) => isRequired(document, header) && answer.headers.get(name) === null,
      );
      if (absent) return `the header ${absent[0]} is missing`;
      if (method === 'HEAD') return answer.text === '' ? undefined : 'an answer to HEAD has no body';
      return findBodyFault(operation, documented, answer);
    },
  };
}

const ID = 'https://florin.example/document';

const toPattern = (template: string): RegExp =>
  new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`);

function isRequired(document: OpenApiDocument, header: { readonly $ref?: string }): boolean {
  const name = header.$ref?.split('/').at(-1) ?? '';
  const headers = document.components?.headers as Record<string, { required?: boolean }> | undefined;
  return headers?.[name]?.required === true;
}

/**
 * A client may meet unknown members; we may not send undocumented ones. So every object that does not say otherwise is
 * closed, except where `allOf` adds members to it.
 */
function closeSchemas(schemas: Readonly<Record<string, Schema>>): Record<'open' | 'closed', Record<string, unknown>> {
  const open = Object.entries(schemas).map(([name, schema]) => [name, point(schema, 'closed')] as const);
  const closed = open.map(([name, schema]) => {
    const { type, allOf, additionalProperties } = schemas[name]!;
    const isObject = type === 'object' || allOf !== undefined;
    return [
      name,
      isObject && additionalProperties === undefined ? { ...schema, unevaluatedProperties: false } : schema,
    ];
  });
  return { open: Object.fromEntries(open), closed: Object.fromEntries(closed) };
}

/** The schema with its references pointed at the schemas above. */
function point(node: unknown, kind: 'open' | 'closed'): Record<string, unknown> {
  const follow = (value: unknown, to: 'open' | 'closed'): unknown => {
    if (Array.isArray(value)) return value.map((one) => follow(one, to));
    return value !== null && typeof value === 'object' ? point(value, to) : value;
  };
  return Object.fromEntries(
    Object.entries(node as object).map(([name, value]) => {
      if (name === '$ref') return [name, `${ID}#/components/${kind}/${String(value).split('/').at(-1)}`];
      return [name, follow(value, name === 'allOf' ? 'open' : 'closed')];
    }),
  );
}
