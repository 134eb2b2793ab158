/** Values that a schema of the documents refuses, as JSON text, because no serializer would write some of them. */
import { getSchema, type OpenApiDocument, type Schema } from '../../../../server/src/http/contract/openapi.ts';

interface BadValue {
  readonly what: string;
  /** The value as it is in the body. */
  readonly json: string;
  /** `schema`: the document itself refuses it (422). `meaning`: its form is allowed, and the operation must refuse it. */
  readonly refusedBy: 'schema' | 'meaning';
}

const OF_TYPES: Readonly<Record<string, string>> = {
  string: '"text"',
  number: '1.5',
  boolean: 'true',
  array: '[]',
  object: '{}',
};

/** Texts that have broken other programs. None of them is a name, an address, a token, a position or an amount. */
export const ODD_TEXTS: Readonly<Record<string, string>> = {
  'is empty': '',
  'is blank': '  ',
  'has a NUL': 'a\u0000b',
  'has half of a character': 'a\ud800b',
  'is very long': 'x'.repeat(100_000),
  'is emoji': '💥🏳️‍🌈',
  'is written right to left': '\u202eevil',
  'has combining characters': 'e\u0301\u0300\u0302',
  'has a Kelvin sign': '\u212aelvin',
  'is SQL': "' OR 1=1; --",
  'is a path': '../../etc/passwd',
  'is a formula': '=1+1',
  'is an object as text': '[object Object]',
  'has line ends': 'a\r\nb',
};

const quote = (text: string): string => JSON.stringify(text);
const bad = (what: string, json: string, refusedBy: BadValue['refusedBy'] = 'schema'): BadValue => ({
  what,
  json,
  refusedBy,
});

export function isNullable(schema: Schema): boolean {
  return schema.anyOf?.some(({ type }) => type === 'null') === true;
}

/** Without `null` and without references. */
export function innerOf(document: OpenApiDocument, schema: Schema): Schema {
  const resolved = getSchema(document, schema);
  const inner = resolved.anyOf?.find(({ type }) => type !== 'null');
  return inner ? innerOf(document, inner) : resolved;
}

/** `good`: a valid value, as JSON text. In objects and lists, one part is made invalid. */
export function listBadValues(document: OpenApiDocument, schema: Schema, good: string): BadValue[] {
  const inner = innerOf(document, schema);
  const type = inner.type ?? 'object';
  const wrong = Object.entries(OF_TYPES).filter(([name]) => name !== type);
  return [
    ...(isNullable(getSchema(document, schema)) ? [] : [bad('is null', 'null')]),
    ...wrong.map(([name, json]) => bad(`is of type ${name}`, json)),
    ...listByType(document, inner, good),
  ];
}

function listByType(document: OpenApiDocument, schema: Schema, good: string): BadValue[] {
  switch (schema.type) {
    case 'string':
      return listTexts(schema);
    case 'number':
      return listNumbers(schema);
    case 'integer':
      return listIntegers(schema).map(({ what, text }) => bad(what, text));
    case 'array':
      return listLists(document, schema, good);
    case 'boolean':
      return [];
    default:
      return listMembers(document, schema, JSON.parse(good)).map(({ field, value }) => ({
        ...value,
        what: `${field} ${value.what}`,
      }));
  }
}

const NO_UUIDS = { 'is not a UUID': 'x', 'is a UUID cut short': '3f0c9a4e-7b1d-4c58-9e2a-6d5f0b8c1a2' };
const NO_TIMES = {
  'is not a time': 'yesterday',
  'is a day without a time': '2026-03-02',
  'is 30 February': '2026-02-30T00:00:00Z',
  'is a time without a zone': '2026-03-02T00:00:00',
  'is a Unix time': '1772409600',
};

/** Texts that the schema forbids. They are plain text, because query and path use them too. */
export function listBadTexts(schema: Schema): { readonly what: string; readonly text: string }[] {
  const found: { what: string; text: string }[] = [];
  const add = (texts: Readonly<Record<string, string>>) => {
    for (const [what, text] of Object.entries(texts)) found.push({ what, text });
  };
  if (schema.format === 'uuid') add({ ...NO_UUIDS, 'is empty': '' });
  if (schema.format === 'date-time') add({ ...NO_TIMES, 'is empty': '' });
  if (schema.enum)
    add({ 'is not an allowed word': 'neither', 'is empty': '', 'has another case': swapCase(schema.enum[0]!) });
  if (schema.maxLength !== undefined) add({ 'is too long': 'x'.repeat(schema.maxLength + 1) });
  if (schema.minLength) add({ 'is too short': 'x'.repeat(schema.minLength - 1) });
  if (schema.pattern !== undefined) {
    const pattern = new RegExp(schema.pattern, 'u');
    add(Object.fromEntries(Object.entries(ODD_TEXTS).filter(([, text]) => !pattern.test(text))));
  }
  return found;
}

const swapCase = (word: string): string => (word === word.toUpperCase() ? word.toLowerCase() : word.toUpperCase());

function listTexts(schema: Schema): BadValue[] {
  const byForm = listBadTexts(schema).map(({ what, text }) => bad(what, quote(text)));
  const known = new Set(byForm.map(({ json }) => json));
  const isClosed = schema.format !== undefined || schema.enum !== undefined;
  const odd = isClosed ? [] : Object.entries(ODD_TEXTS).map(([what, text]) => bad(what, quote(text), 'meaning'));
  return [...byForm, ...odd.filter(({ json }) => !known.has(json))];
}

function listNumbers({ exclusiveMinimum }: Schema): BadValue[] {
  const below = exclusiveMinimum === undefined ? [] : ['0', '-0', '0.0', '0e5', '-1', '-0.000001', '1e-400'];
  return [
    ...below.map((json) => bad(`is ${json}`, json)),
    bad('is a number in quotes', '"1"'),
    ...[
      '0.0000001',
      '1.0000001',
      '1e-7',
      '1e300',
      '1e400',
      '1000000000',
      '9'.repeat(5_000),
      `0.${'1'.repeat(5_000)}`,
    ].map((json) => bad(`is ${json.slice(0, 12)}`, json, 'meaning')),
  ];
}

function listIntegers({ minimum, maximum }: Schema): { what: string; text: string }[] {
  const texts = ['x', '', '1.5', '99999999999999999999'];
  return [
    ...(minimum === undefined ? [] : [{ what: 'is too small', text: String(minimum - 1) }]),
    ...(maximum === undefined ? [] : [{ what: 'is too large', text: String(maximum + 1) }]),
    ...texts.slice(2).map((text) => ({ what: `is ${text}`, text })),
  ];
}

/** For a query, which has only text. */
export const listBadNumerals = (schema: Schema): { readonly what: string; readonly text: string }[] => [
  ...listIntegers(schema),
  { what: 'is a word', text: 'many' },
  { what: 'is empty', text: '' },
];

function listLists(document: OpenApiDocument, schema: Schema, good: string): BadValue[] {
  const { items = {}, minItems = 0, maxItems } = schema;
  const [first] = JSON.parse(good) as unknown[];
  const text = JSON.stringify(first);
  return [
    ...(minItems > 0 ? [bad('is an empty list', '[]')] : []),
    ...(maxItems !== undefined && maxItems <= 1_000
      ? [
          bad(
            'is too long a list',
            `[${Array(maxItems + 1)
              .fill(text)
              .join(',')}]`,
          ),
        ]
      : []),
    ...listBadValues(document, items, text).map((value) => ({
      ...value,
      what: `has an item that ${value.what}`,
      json: `[${value.json}]`,
    })),
  ];
}

interface BadMember {
  readonly field: string;
  readonly value: BadValue;
}

/** The whole object with one member made invalid or left out; `value.json` is the object. */
export function listMembers(
  document: OpenApiDocument,
  schema: Schema,
  good: Readonly<Record<string, unknown>>,
): BadMember[] {
  const { properties = {}, required = [] } = schema;
  const texts = Object.fromEntries(Object.entries(good).map(([name, value]) => [name, JSON.stringify(value)]));
  return Object.entries(properties).flatMap(([field, property]) => [
    ...(required.includes(field)
      ? [{ field, value: bad('is missing', printObject({ ...texts, [field]: undefined })) }]
      : []),
    ...listBadValues(document, property, texts[field] ?? '"text"').map((value) => ({
      field,
      value: { ...value, json: printObject({ ...texts, [field]: value.json }) },
    })),
  ]);
}

export const printObject = (texts: Readonly<Record<string, string | undefined>>): string =>
  `{${Object.entries(texts)
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `${quote(name)}:${text}`)
    .join(',')}}`;
