import type { OpenApiDocument, OperationObject } from '../contract/openapi.ts';

/** The location and mode of an API, as its pages show them. */
export interface Reference {
  /** The sandbox: calls work without a credential. */
  readonly isOpen: boolean;
  readonly blockchains: readonly string[];
  /** Where callers reach the APIs, if configured. */
  readonly urls: Readonly<Partial<Record<'web3' | 'backend', string>>>;
  /** Values that replace those of the documents in examples, so that the examples work. */
  readonly readExamples: () => Readonly<Record<string, string>>;
}

interface Security {
  readonly [scheme: string]: readonly string[];
}

/**
 * The document with the facts of this installation: its server, its credentials, its blockchains. The document in the
 * repository must be true everywhere, so it contains none of these (docs/decisions/0050-given-and-own.md).
 */
export function describeServed(document: OpenApiDocument, name: string, reference: Reference): OpenApiDocument {
  const { isOpen, blockchains, urls } = reference;
  const url = urls[name as keyof typeof urls];
  const values = reference.readExamples();
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [method, describeOperation(operation, values, isOpen)]),
    ),
  ]);
  return {
    ...document,
    info: { ...document.info, description: `${renderLinks(name, urls)}\n\n${document.info.description}` },
    // Relative to the document's own location, which is always right.
    servers: [{ url: url ?? '/', description: isOpen ? 'Local development' : 'Production' }],
    // Must be a complete URL; the description has the path.
    externalDocs: url === undefined ? undefined : { ...(document.externalDocs as object), url: `${url}/errors` },
    // The sandbox needs no credential, as the interface says.
    ...(name === 'web3' && !isOpen && { security: REQUIRED }),
    'x-blockchains': blockchains,
    paths: Object.fromEntries(paths),
  };
}

const REQUIRED: Security[] = [{ serviceKey: [] }, { serviceKey: [], clientCertificate: [] }];
const TITLES = { web3: 'Web3 API', backend: 'Backend API' };

function renderLinks(name: string, urls: Reference['urls']): string {
  const other = name === 'web3' ? 'backend' : 'web3';
  const links = ['[Start](/)', '[Errors](/errors)', '[Guides](/guides)'];
  return [...(urls[other] ? [`[${TITLES[other]}](${urls[other]}/docs)`] : []), ...links].join(' · ');
}

type Values = Readonly<Record<string, string>>;
type Parameter = NonNullable<OperationObject['parameters']>[number];

function describeOperation(operation: OperationObject, values: Values, isOpen: boolean): OperationObject {
  const { parameters } = operation;
  const { security } = operation as { security?: Security[] };
  const required = security?.filter((one) => Object.keys(one).length > 0) ?? [];
  return {
    ...fillIn(operation, values),
    ...(isOpen && parameters && { parameters: parameters.map((one) => describeParameter(one, values)) }),
    ...(!isOpen && required.length > 0 && { security: required }),
  };
}

/** Removes the example key: with a fixed key, the call would pay once and never again. */
function describeParameter(parameter: Parameter, values: Values): Parameter {
  const { example, ...rest } = parameter;
  return parameter.name === 'Idempotency-Key' ? rest : fillIn(parameter, values);
}

/** Replaces only whole texts, so that only examples change. */
function fillIn<Node>(node: Node, values: Values): Node {
  const fill = (one: unknown): unknown => {
    if (typeof one === 'string') return Object.hasOwn(values, one) ? values[one] : one;
    if (Array.isArray(one)) return one.map(fill);
    if (one === null || typeof one !== 'object') return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, fill(member)]));
  };
  return fill(node) as Node;
}
