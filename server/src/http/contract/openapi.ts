/** The part of OpenAPI 3.1 that our documents use and the contract interprets. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly default?: string | number | boolean | null;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly exclusiveMinimum?: number;
  readonly [annotation: string]: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly schema: Schema;
  readonly [annotation: string]: unknown;
}

export interface MediaType {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown; readonly summary?: string }>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, MediaType>>;
    readonly required?: boolean;
    /** The body's size limit, if it differs from the default. */
    readonly 'x-max-bytes'?: number;
    /** Members of the body beside those of its schema, which is given and stays as it is. */
    readonly 'x-further-properties'?: Readonly<Record<string, Schema>>;
    /** The raw bytes are signed: the operation verifies them before they are parsed. */
    readonly 'x-signed'?: boolean;
  };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, MediaType>> }>>;
  readonly [annotation: string]: unknown;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly [annotation: string]: unknown };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>>; readonly [part: string]: unknown };
  readonly [annotation: string]: unknown;
}

const SCHEMAS = '#/components/schemas/';

/** The schema of the JSON body, with the members that are described beside it; undefined without one. */
export function getBodySchema(document: OpenApiDocument, { requestBody }: OperationObject): Schema | undefined {
  const given = requestBody?.content['application/json']?.schema;
  const schema = given && getSchema(document, given);
  const further = requestBody?.['x-further-properties'];
  return schema && further ? { ...schema, properties: { ...schema.properties, ...further } } : schema;
}

/** Follows `$ref`; our documents only refer to `components.schemas`. */
export function getSchema(document: OpenApiDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.startsWith(SCHEMAS) ? schema.$ref.slice(SCHEMAS.length) : '';
  const target = document.components?.schemas?.[name];
  if (!target) throw new TypeError(`unknown schema reference ${schema.$ref}`);
  return getSchema(document, target);
}
