/** The operations of both documents, as a flat list. */
import {
  getBodySchema,
  type OpenApiDocument,
  type OperationObject,
  type Schema,
} from '../../../../server/src/http/contract/openapi.ts';
import { readDocument } from '../../../../server/src/http/contract/readDocument.ts';

export interface Described {
  readonly api: 'web3' | 'backend';
  readonly document: OpenApiDocument;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
  /** The schema of a JSON body, with its reference resolved. */
  readonly body: Schema | undefined;
  /**
   * The required credential: none, a person's, or a service's. `isOptional`: the sandbox also accepts calls without it.
   */
  readonly caller: 'anyone' | 'person' | 'service';
  readonly isOptional: boolean;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export const listOperations = (): Described[] =>
  (['web3', 'backend'] as const).flatMap((api) => {
    const document = readDocument(api);
    return Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => METHODS.includes(method))
        .map(([method, operation]) => describe(api, document, path, method, operation)),
    );
  });

function describe(
  api: Described['api'],
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: OperationObject,
): Described {
  const security = (operation.security ?? document.security ?? []) as Record<string, unknown>[];
  const isPerson = security.some((one) => 'bearer' in one) && api === 'backend';
  return {
    api,
    document,
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    operation,
    body: getBodySchema(document, operation),
    caller: isPerson ? 'person' : security.some((one) => Object.keys(one).length > 0) ? 'service' : 'anyone',
    isOptional: security.some((one) => Object.keys(one).length === 0) || api === 'web3',
  };
}

/** The codes that an operation documents, with their status. */
export function listCodes({ operation }: Described): Map<string, number> {
  const codes = new Map<string, number>();
  for (const [status, { content = {} }] of Object.entries(operation.responses))
    for (const { examples = {} } of Object.values(content))
      for (const { value } of Object.values(examples)) {
        const { code } = (value ?? {}) as { code?: unknown };
        if (typeof code === 'string' && status !== 'default') codes.set(code, Number(status));
      }
  return codes;
}

export const hasHeader = ({ operation }: Described, name: string): boolean =>
  operation.parameters?.some((one) => one.in === 'header' && one.name === name) === true;
