/**
 * Generates `examples/python/florin.py`: a client of both APIs that needs only Python's standard library. `runtime.py` is its
 * hand-written part; the methods come from the OpenAPI documents.
 */
import { readFileSync } from 'node:fs';
import { getBodySchema, type OpenApiDocument, type Schema } from '../../server/src/http/contract/openapi.ts';
import { findAmounts, findCredential, isRepeatable, type Listed, listOperations, READING } from '../describeClient.ts';

const NOTE = `"""The client of Florin for Python: both APIs, with the standard library alone.

Written by \`npm run generate\` from the OpenAPI documents. Do not edit.
"""

`;
const CLASSES = {
  backend: ['BackendApi', 'People, payments between them, events, webhooks and payouts.'],
  web3: ['Web3Api', 'Wallets and payments to addresses, with a service key.'],
} as const;
type ApiName = keyof typeof CLASSES;

/** Names that no argument can have. */
const TAKEN = ['from', 'self'];

interface Argument {
  readonly name: string;
  readonly python: string;
  readonly type: string;
  readonly required: boolean;
}

export function writePython(documents: Readonly<Record<ApiName, string>>): string {
  const runtime = readFileSync(new URL('runtime.py', import.meta.url), 'utf8');
  const classes = (Object.keys(CLASSES) as ApiName[]).map((api) => {
    const document = JSON.parse(documents[api]) as OpenApiDocument;
    const methods = listOperations(document).flatMap((found) => writeMethods(api, document, found));
    const [name, about] = CLASSES[api];
    return `class ${name}(_Api):\n    """${about}"""\n\n${methods.join('\n')}`;
  });
  return `${NOTE}${[runtime.trimEnd(), ...classes.map((text) => text.trimEnd())].join('\n\n\n')}\n`;
}

/** Two methods for an operation that answers JSON or CSV. */
function writeMethods(api: ApiName, document: OpenApiDocument, found: Listed): string[] {
  const types = Object.keys(found.operation.responses['200']?.content ?? {});
  return types.map((type) =>
    writeMethod(api, document, found, type, types.length > 1 && type === 'text/csv' ? '_csv' : ''),
  );
}

function writeMethod(api: ApiName, document: OpenApiDocument, found: Listed, accept: string, suffix: string): string {
  const { path, method, operation } = found;
  const parameters = operation.parameters ?? [];
  const inPlace = (place: string) =>
    parameters
      .filter((one) => one.in === place)
      .map(({ name, schema, required = false }) => toArgument(document, name, schema, required));
  const [inPath, query] = [inPlace('path'), inPlace('query')];
  const takes = (header: string) => parameters.some((one) => one.in === 'header' && one.name === header);
  const content = operation.requestBody?.content ?? {};
  const isFile = 'text/csv' in content;
  const schema = getBodySchema(document, operation);
  const body = schema && readBody(document, schema, isFile);
  const waits = takes('Prefer');
  const keyed = takes('Idempotency-Key');
  const changes = method !== 'get' && !READING.includes(operation.operationId);

  const named = [...(body ?? []), ...query].sort((a, b) => Number(b.required) - Number(a.required));
  const options = [
    ...(isFile ? ['csv: str = UNSET'] : []),
    ...(waits ? ['wait: int = UNSET'] : []),
    ...(keyed ? ['key: str = UNSET'] : []),
  ];
  const keywords = [...named.map(writeArgument), ...options];
  const signature = ['self', ...inPath.map(writeArgument), ...(keywords.length > 0 ? ['*', ...keywords] : [])];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => `{_quote(${rename(name)})}`);
  const asDict = (list: readonly Argument[]) =>
    `{${list.map(({ name, python }) => `"${name}": ${python}`).join(', ')}}`;
  const amounts = findAmounts(document, operation);
  const how = [
    ...(query.length > 0 ? [`query=${asDict(query)}`] : []),
    ...(body ? [`body=${asDict(body)}`] : []),
    ...(amounts.length > 0 ? [`amounts=(${amounts.map((name) => `"${name}",`).join(' ')})`] : []),
    ...(isFile ? ['csv=csv'] : []),
    ...(waits ? ['wait=wait'] : []),
    ...(keyed ? ['keyed=True', 'key=key'] : []),
    ...(changes ? ['changes=True'] : []),
    ...(isRepeatable(operation.operationId, method) ? ['repeatable=True'] : []),
    ...(accept === 'application/json' ? [] : [`accept="${accept}"`]),
    ...(findCredential(api, operation) === undefined ? ['credential=False'] : []),
  ];
  const returns = { 'text/csv': 'str', 'text/event-stream': 'Iterator[Dict[str, Any]]' }[accept] ?? 'Answer';
  const call = [`"${method.toUpperCase()}"`, `${filled === path ? '' : 'f'}"${filled}"`, ...how];
  return [
    ...wrap(`    def ${nameMethod(found)}${suffix}(`, signature, `) -> ${returns}:`),
    `        """${operation.summary as string}.${keyed ? ' Carried out once per `key`.' : ''}"""`,
    ...wrap('        return self._call(', call, ')'),
    '',
  ].join('\n');
}

/** FastAPI's ids end with the path and the method: `wallet_overview_subgraph_wallet_overview_get`. */
function nameMethod({ path, method, operation }: Listed): string {
  return operation.operationId.replace(`${path.replaceAll(/\W/g, '_')}_${method}`, '');
}

/** In one line if it fits. */
function wrap(start: string, items: readonly string[], end: string): string[] {
  const line = `${start}${items.join(', ')}${end}`;
  if (line.length <= 120) return [line];
  const indent = /^ */.exec(start)![0];
  const inner = `${indent}    `;
  const lines = items.flatMap((item) => {
    const [, head, members, tail] = /^(.*\{)(.*)(\})$/.exec(item) ?? [];
    if (inner.length + item.length < 120 || members === undefined) return [`${inner}${item},`];
    return [inner + head, ...members.split(', ').map((one) => `${inner}    ${one},`), `${inner}${tail},`];
  });
  return [start, ...lines, `${indent}${end}`];
}

const rename = (name: string): string => (TAKEN.includes(name) ? `${name}_` : name);

const writeArgument = ({ python, type, required }: Argument): string =>
  `${python}: ${type}${required ? '' : ' = UNSET'}`;

function resolve(document: OpenApiDocument, schema: Schema): Schema {
  return schema.$ref ? resolve(document, document.components!.schemas![schema.$ref.split('/').at(-1)!]!) : schema;
}

/** The members of a body as arguments. Those of a file are optional: the file itself may be given instead. */
function readBody(document: OpenApiDocument, schema: Schema, isFile: boolean): Argument[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, one]) =>
    toArgument(document, name, one, required.includes(name) && !isFile),
  );
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  boolean: 'bool',
  number: 'Amount',
  array: 'List[Any]',
};

function toArgument(document: OpenApiDocument, name: string, schema: Schema, required: boolean): Argument {
  const options = (resolve(document, schema).anyOf as readonly Schema[] | undefined) ?? [schema];
  const types = options.flatMap((one) => [resolve(document, one).type ?? 'any'].flat() as string[]);
  const plain = types.filter((type) => type !== 'null').map((type) => TYPES[type] ?? 'Any');
  const [type = 'Any'] = plain.length === 1 ? plain : ['Any'];
  return { name, python: rename(name), type: types.includes('null') ? `Optional[${type}]` : type, required };
}
