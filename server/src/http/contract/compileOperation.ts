/**
 * Compiles one operation of the document into the checks that FastAPI makes between router and handler: path, query and
 * body in that order, with all errors collected. If the body is not JSON, that is the only error.
 */
import { type Check, compileSchema } from './checks/compileSchema.ts';
import { createUnknownCheck, ignoresUnknown } from './checks/createUnknownCheck.ts';
import { createIssue, type Issue, type ItemShape } from './checks/issue.ts';
import { findText } from './decodeText.ts';
import { JsonNumber, type JsonObject, type JsonValue } from './json.ts';
import { getBodySchema, getSchema, type OpenApiDocument, type OperationObject, type Schema } from './openapi.ts';
import { JsonFault, parseJson } from './parseJson.ts';
import { parseQuery } from './url.ts';

interface Accepted {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: JsonValue;
}

/** The body is not text or is nested too deeply. It is answered with 400, without items. */
export const UNREADABLE = Symbol('unreadable body');

/** The accepted values, or the items of a 422 as JSON texts. */
type Outcome = Accepted | string[] | typeof UNREADABLE;

interface CompiledOperation {
  readonly readsBody: boolean;
  /** The largest allowed body; undefined: the default limit. */
  readonly bodyLimitBytes: number | undefined;
  readonly validate: (
    params: Readonly<Record<string, string>>,
    query: string,
    body: Buffer | undefined,
    contentType: string | undefined,
    /** Receives a text for each name that was ignored because the document does not have it. */
    warnings: string[],
  ) => Outcome;
}

export function compileOperation(
  document: OpenApiDocument,
  operation: OperationObject,
  shape: ItemShape,
): CompiledOperation {
  const checkParams = compileParameters(document, operation, 'path', shape);
  const checkQuery = compileParameters(document, operation, 'query', shape);
  const isIgnored = ignoresUnknown(operation);
  const parameters = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
  const checkParameterNames =
    parameters.length > 0 ? createUnknownCheck(parameters, { place: 'query', shape, isIgnored }) : undefined;
  // A file of rows, which can also be CSV. The operation reads it itself and reports faults by row and column.
  const isFile = operation.requestBody?.content['text/csv'] !== undefined;
  const isRaw = isFile || operation.requestBody?.['x-signed'] === true;
  const schema = isRaw ? undefined : getBodySchema(document, operation);
  const checkBody = schema && compileBody(schema, shape, isIgnored);

  return {
    readsBody: isRaw || checkBody !== undefined,
    bodyLimitBytes: operation.requestBody?.['x-max-bytes'],
    validate: (params, query, bytes, contentType, warnings) => {
      let parsed: JsonValue = null;
      if (!isRaw && bytes && bytes.length > 0) {
        const read = parseBody(bytes, contentType, shape);
        if (read === UNREADABLE || read instanceof Refused) return read === UNREADABLE ? read : [read.item];
        parsed = read;
      }
      const items: string[] = [];
      const given = query === '' ? NOTHING : Object.fromEntries(parseQuery(query));
      const acceptedParams = checkParams(params, items);
      const acceptedQuery = checkQuery(given, items);
      if (given !== NOTHING) checkParameterNames?.(given, items, warnings);
      const body = checkBody ? checkBody(parsed, items, warnings) : null;
      return items.length > 0
        ? items
        : { params: acceptedParams as Record<string, string>, query: acceptedQuery, body: body as JsonValue };
    },
  };
}

class Refused {
  readonly item: string;
  constructor(item: string) {
    this.item = item;
  }
}

function parseBody(
  bytes: Buffer,
  contentType: string | undefined,
  shape: ItemShape,
): JsonValue | Refused | typeof UNREADABLE {
  // A body without a JSON content type is taken as one string, and then fails as a value of the wrong type.
  if (!isJson(contentType)) return bytes.toString('utf8');
  const text = findText(bytes);
  if (text === undefined) return UNREADABLE;
  try {
    return parseJson(text);
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    if (fault.reason === undefined) return UNREADABLE;
    const loc = ['body', fault.position];
    const issue = createIssue(shape, loc, 'json_invalid', 'JSON decode error', { error: fault.reason });
    return new Refused(issue(Object.create(null)));
  }
}

/** `application/json` or `application/*+json`, parsed as Python's e-mail parser parses a Content-Type. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  if (!contentType) return false;
  const parts = contentType.split(';', 1)[0]!.trim().toLowerCase().split('/');
  return parts.length === 2 && parts[0] === 'application' && (parts[1] === 'json' || parts[1]!.endsWith('+json'));
}

interface Field {
  readonly name: string;
  readonly check: Check;
  /** The error when the field is missing; undefined if it is optional. */
  readonly missing: Issue | undefined;
  readonly fallback: JsonValue | undefined;
}

function renderDefault(schema: Schema): JsonValue | undefined {
  if (typeof schema.default === 'number') return new JsonNumber(String(schema.default));
  if (schema.default !== undefined) return schema.default;
  return schema.anyOf ? null : undefined;
}

type BodyCheck = (value: JsonValue, items: string[], warnings: string[]) => JsonValue | undefined;

function compileBody(schema: Schema, shape: ItemShape, isIgnored: boolean): BodyCheck {
  const required = schema.required ?? [];
  const fields: Field[] = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const loc = ['body', name];
    return {
      name,
      check: compileSchema(property, { shape, loc, source: 'json' }),
      missing: required.includes(name) ? createIssue(shape, loc, 'missing', 'Field required') : undefined,
      fallback: renderDefault(property),
    };
  });
  const absent = createIssue(shape, ['body'], 'missing', 'Field required');
  const wrongType = createIssue(
    shape,
    ['body'],
    'model_attributes_type',
    'Input should be a valid dictionary or object to extract fields from',
  );
  const names = fields.map(({ name }) => name);
  const checkNames = createUnknownCheck(names, { place: 'body', shape, isIgnored });
  return (value, items, warnings) => {
    if (value === null) {
      items.push(absent(null));
      return;
    }
    if (typeof value !== 'object' || Array.isArray(value) || value instanceof JsonNumber) {
      items.push(wrongType(value));
      return;
    }
    const accepted: JsonObject = {};
    for (const { name, check, missing, fallback } of fields) {
      const member = value[name];
      if (member !== undefined) accepted[name] = check(member, items) as JsonValue;
      else if (missing) items.push(missing(value));
      else if (fallback !== undefined) accepted[name] = fallback;
    }
    checkNames(value, items, warnings);
    return accepted;
  };
}

type TextValues = Record<string, string | undefined>;

function compileParameters(
  document: OpenApiDocument,
  operation: OperationObject,
  place: 'path' | 'query',
  shape: ItemShape,
): (given: Readonly<Record<string, string>>, items: string[]) => TextValues {
  const parameters = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === place)
    .map((parameter) => {
      const schema = getSchema(document, parameter.schema);
      const loc = [place, parameter.name];
      return {
        name: parameter.name,
        check: compileSchema(schema, { shape, loc, source: 'text' }),
        missing: parameter.required ? createIssue(shape, loc, 'missing', 'Field required') : undefined,
        fallback: schema.default === undefined || schema.default === null ? undefined : String(schema.default),
      };
    });
  if (parameters.length === 0) return () => NOTHING;

  return (given, items) => {
    const accepted: TextValues = {};
    for (const { name, check, missing, fallback } of parameters) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value !== undefined) accepted[name] = check(value, items) as string;
      else if (missing) items.push(missing(null));
      else accepted[name] = fallback;
    }
    return accepted;
  };
}

const NOTHING = Object.freeze({});
