/**
 * Calls that must be refused: a valid call with one part made invalid, for every field, parameter and header of the
 * documents.
 */
import { ignoresUnknown } from '../../../../server/src/http/contract/checks/createUnknownCheck.ts';
import { REFUSED_URLS } from '../../guards/places.ts';
import { IMPOSSIBLE_AMOUNTS, NO_ADDRESSES, NO_NAMES, WRONG_CHECKSUM } from '../../guards/values.ts';
import { innerOf, listBadNumerals, listBadTexts, listMembers, ODD_TEXTS } from './badValues.ts';
import type { GoodCall } from './goodCalls.ts';
import { hasHeader } from './listOperations.ts';
import type { NegativesWorld } from './openWorld.ts';

export interface RawCall {
  readonly base: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Case {
  readonly operation: string;
  readonly what: string;
  readonly call: RawCall;
  /** Correct statuses; `answered`: any but an internal error, because a call that only reads may find nothing. */
  readonly expected: readonly number[] | 'refused' | 'answered';
  readonly code?: string;
}

/** Every text is allowed here, so unusual ones are no reason to refuse a call: `freeTexts` covers them. */
export const FREE_TEXT: readonly string[] = ['note', 'payment_note', 'description', 'name'];

export function listCases(good: GoodCall, world: NegativesWorld): Case[] {
  const { described } = good;
  // A signed body is read only after its signature.
  if (described.operation.requestBody?.['x-signed']) return listHeaders(good, world);
  return [
    ...listBodies(good, world),
    ...listShared(good, world),
    ...listParameters(good, world, 'path'),
    ...listParameters(good, world, 'query'),
    ...listUnknownParameters(good, world),
    ...listHeaders(good, world),
  ];
}

export function makeCall(
  good: GoodCall,
  world: NegativesWorld,
  more: Partial<GoodCall> & { text?: string | Uint8Array | undefined } = {},
): RawCall {
  const { described, params, query, headers, body } = { ...good, ...more };
  const path = described.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(toWellFormed(params[name] ?? '')),
  );
  const search = new URLSearchParams(query).toString();
  const text = 'text' in more ? more.text : body && JSON.stringify(body);
  return {
    base: described.api === 'web3' ? world.florin.web3Url : world.florin.backendUrl,
    method: described.method,
    path: path + (search && `?${search}`),
    headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(text !== undefined && { body: text }),
  };
}

/** A URL cannot contain half of a character. */
const toWellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

const isFile = ({ described }: GoodCall): boolean => described.operation.requestBody?.content['text/csv'] !== undefined;

function listBodies(good: GoodCall, world: NegativesWorld): Case[] {
  const { described, body } = good;
  if (!described.body || !body) return [];
  const { id: operation, document } = described;
  const members = listMembers(document, described.body, body)
    .filter(({ field, value }) => !(FREE_TEXT.includes(field) && value.refusedBy === 'meaning'))
    .filter(({ value }) => !(isFile(good) && ROWS_ALLOW.test(value.what)))
    .map(
      ({ field, value }): Case => ({
        operation,
        what: `${field} ${value.what}`,
        call: makeCall(good, world, { text: value.json }),
        expected: value.refusedBy === 'schema' ? [422] : 'refused',
      }),
    );
  const whole = Object.entries(WHOLE_BODIES).map(
    ([what, text]): Case => ({
      operation,
      what: `the body ${what}`,
      call: makeCall(good, world, { text }),
      expected: [400, 422],
    }),
  );
  const limit = described.operation.requestBody?.['x-max-bytes'] ?? 256 * 1024;
  return [
    ...members,
    ...whole,
    ...listUnknown(good, world),
    {
      operation,
      what: 'the body is of another type',
      call: makeCall(good, world, { headers: { ...good.headers, 'content-type': 'text/plain' } }),
      expected: [422],
    },
    {
      operation,
      what: 'the body is too large',
      call: makeCall(good, world, { text: ' '.repeat(limit + 1) }),
      expected: [413],
      code: 'request.too_large',
    },
  ];
}

/** If the document allows no other members: each member misspelt, and an unknown one. */
function listUnknown(good: GoodCall, world: NegativesWorld): Case[] {
  const { described, body = {} } = good;
  if (described.body?.additionalProperties !== false) return [];
  const misspelt = Object.entries(body).map(([name, value]) => {
    const { [name]: _, ...rest } = body;
    return [`${name} is misspelt`, { ...rest, [`${name}_`]: value }] as const;
  });
  return [...misspelt, ['a member is unknown', { ...body, nobody_knows_it: 1 }] as const].map(([what, changed]) => ({
    operation: described.id,
    what,
    call: makeCall(good, world, { body: changed }),
    expected: [422],
  }));
}

/** Our own operations refuse query parameters that they do not have, the given ones ignore them. */
function listUnknownParameters(good: GoodCall, world: NegativesWorld): Case[] {
  const { described, query } = good;
  const { operation } = described;
  if (!operation.parameters?.some((one) => one.in === 'query')) return [];
  const call = makeCall(good, world, { query: { ...query, nobody_knows_it: '1' } });
  const expected = ignoresUnknown(operation) ? ('answered' as const) : [422];
  return [{ operation: described.id, what: 'a query parameter is unknown', call, expected }];
}

/** Rows of a file are texts that may be left out: null and the empty text mean that. */
const ROWS_ALLOW =
  /item that (blockchain|note) (is null|is empty|is blank)|item that note (is|has) (?!very|written|of type)|item that note is written/;

/** The tables of guards that exist twice (test/http/sharedGuards.test.ts), at the calls that use them. */
function listShared(good: GoodCall, world: NegativesWorld): Case[] {
  const { described, body = {} } = good;
  return Object.keys(described.body?.properties ?? {}).flatMap((field) => {
    const [values, code] = tableOf(field);
    return values.map((value) => ({
      operation: described.id,
      what: `${field} is ${JSON.stringify(value)}`,
      call: makeCall(good, world, { body: { ...body, [field]: value } }),
      expected: 'refused' as const,
      ...(code && { code }),
    }));
  });
}

function tableOf(field: string): readonly [values: readonly unknown[], code?: string] {
  if (field === 'url') return [REFUSED_URLS, 'webhook.url'];
  if (field === 'destination_address') return [[...NO_ADDRESSES, WRONG_CHECKSUM], 'address.invalid'];
  if (field === 'amount') return [IMPOSSIBLE_AMOUNTS.map(Number)];
  return field.endsWith('username') ? [NO_NAMES] : [[]];
}

const WHOLE_BODIES: Readonly<Record<string, string | Uint8Array | undefined>> = {
  'is missing': undefined,
  'is empty': '',
  'is null': 'null',
  'is a list': '[]',
  'is a text': '"text"',
  'is a number': '5',
  'is cut short': '{"a":',
  'has a comma too many': '{"a":1,}',
  'is nested too deeply': '['.repeat(20_000),
  'is not UTF-8': Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d),
};

function listParameters(good: GoodCall, world: NegativesWorld, place: 'path' | 'query'): Case[] {
  const { described } = good;
  const parameters = (described.operation.parameters ?? []).filter((one) => one.in === place);
  return parameters.flatMap(({ name, schema, required }) => {
    const inner = innerOf(described.document, schema);
    const wrong = inner.type === 'integer' ? listBadNumerals(inner) : listBadTexts(inner);
    const spoil = (what: string, text: string | undefined, expected: Case['expected']): Case => {
      const values = { ...(place === 'path' ? good.params : good.query), [name]: text ?? '' };
      if (text === undefined) delete values[name];
      const call = makeCall(good, world, place === 'path' ? { params: values } : { query: values });
      return { operation: described.id, what: `${place} ${name} ${what}`, call, expected };
    };
    const isClosed = inner.format !== undefined || inner.enum !== undefined || inner.type === 'integer';
    const known = new Set(wrong.map(({ text }) => text));
    const odd = isClosed ? [] : Object.entries(ODD_TEXTS).filter(([, text]) => !known.has(text) && fits(text, place));
    return [
      ...(required && place === 'query' ? [spoil('is missing', undefined, [422])] : []),
      ...wrong
        .filter(({ text }) => fits(text, place))
        .map(({ what, text }) => spoil(what, text, place === 'path' ? [400, 404, 422] : [422])),
      ...odd.map(([what, text]) => spoil(what, text, described.method === 'GET' ? 'answered' : 'refused')),
    ];
  });
}

/** An empty part of a path, or one with a slash, is another path; a long line is refused before it is read. */
const fits = (text: string, place: 'path' | 'query'): boolean =>
  text.length < 5_000 && (place === 'query' || (text !== '' && !text.includes('/')));

const NO_KEYS: Readonly<Record<string, string>> = {
  'is empty': '',
  'is empty in quotes': '""',
  'is too long': 'x'.repeat(256),
  'is too long in quotes': `"${'x'.repeat(256)}"`,
  'has a letter beyond ASCII': 'caf\u00e9',
  'has a tab': 'a\tb',
};

const NO_CREDENTIALS: Readonly<Record<string, string>> = {
  'is of another scheme': 'Basic YWxpY2U6c2VjcmV0',
  'has no token': 'Bearer',
  'has two tokens': 'Bearer one two',
  'has too long a token': `Bearer ${'x'.repeat(600)}`,
  'has a letter beyond ASCII': 'Bearer caf\u00e9',
  'has an unknown token of a person': `Bearer fla_${'A'.repeat(43)}`,
  'has an unknown key': `Bearer fsk_${'A'.repeat(43)}`,
};

function listHeaders(good: GoodCall, world: NegativesWorld): Case[] {
  const { described, headers } = good;
  const { id: operation, caller, isOptional } = described;
  const spoil = (
    what: string,
    changed: Record<string, string | undefined>,
    expected: Case['expected'],
    code?: string,
  ): Case => {
    const all = Object.entries({ ...headers, ...changed }).filter(
      (one): one is [string, string] => one[1] !== undefined,
    );
    return {
      operation,
      what,
      call: makeCall(good, world, { headers: Object.fromEntries(all) }),
      expected,
      ...(code && { code }),
    };
  };
  const { authorization } = headers;
  const foreign = caller === 'person' ? world.keys.payouts : world.keys.events;
  return [
    ...(hasHeader(described, 'Idempotency-Key')
      ? Object.entries(NO_KEYS).map(([what, key]) =>
          spoil(`Idempotency-Key ${what}`, { 'idempotency-key': key }, [400], 'idempotency.invalid'),
        )
      : []),
    ...(authorization === undefined
      ? []
      : [
          ...Object.entries(NO_CREDENTIALS).map(([what, text]) =>
            spoil(`Authorization ${what}`, { authorization: text }, [401], 'auth.invalid'),
          ),
          spoil('Authorization is that of another kind', { authorization: `Bearer ${foreign}` }, [401, 403]),
          ...(isOptional
            ? []
            : [spoil('Authorization is missing', { authorization: undefined }, [401], 'auth.required')]),
        ]),
    ...(described.operation.parameters ?? [])
      .filter((one) => one.in === 'header' && one.required)
      .flatMap(({ name }) => [
        spoil(`${name} is missing`, { [name]: undefined }, [401]),
        spoil(`${name} is empty`, { [name]: '' }, [401]),
        spoil(`${name} is something else`, { [name]: 'x' }, [401]),
      ]),
    ...(described.method === 'GET'
      ? []
      : [spoil('Origin is another site', { origin: 'https://evil.example' }, [403], 'request.origin')]),
  ];
}
