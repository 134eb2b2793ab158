import { type ErrorCode, errorTable } from '../../../core/errors.ts';
import type { OpenApiDocument } from '../../contract/openapi.ts';
import { readDocument } from '../../contract/readDocument.ts';

type ApiName = 'backend' | 'web3';

export const API_TITLES: Readonly<Record<ApiName, string>> = { backend: 'Backend API', web3: 'Web3 API' };

/** One operation of one of the two APIs, as the handbook shows it. */
export interface Described {
  readonly api: ApiName;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  /** The codes of its problem documents. */
  readonly codes: readonly ErrorCode[];
}

const isCode = (name: string): name is ErrorCode => Object.hasOwn(errorTable, name);

/** Both documents have an example for each code that an operation answers, named after it. */
function describe(api: ApiName, document: OpenApiDocument): Described[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const {
        operationId: id,
        summary = '',
        description = '',
        tags = [''],
      } = operation as typeof operation & Annotated;
      const examples = Object.values(operation.responses).flatMap(({ content = {} }) =>
        Object.values(content).flatMap((media) => Object.keys(media.examples ?? {})),
      );
      const codes = examples.map((name) => name.split('.').slice(0, 2).join('.')).filter(isCode);
      return {
        api,
        id,
        method: method.toUpperCase(),
        path,
        summary,
        description,
        tag: tags[0]!,
        codes: [...new Set(codes)],
      };
    }),
  );
}

interface Annotated {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
}

export const operations: readonly Described[] = (['backend', 'web3'] as const).flatMap((api) =>
  describe(api, readDocument(api)),
);

const byCall = new Map(operations.map((one) => [`${one.method} ${one.path}`, one]));

/** The page for inline code: `POST /api/v1/login`, `rate.limited`. */
export function findCode(code: string): string | undefined {
  const operation = byCall.get(code);
  if (operation) return `/operations#${operation.id}`;
  return isCode(code) ? `/errors/${code}` : undefined;
}
