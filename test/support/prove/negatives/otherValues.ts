/** Two kinds of changes to a valid body: one that makes another request, and one that only writes it differently. */
import { randomUUID } from 'node:crypto';
import type { Schema } from '../../../../server/src/http/contract/openapi.ts';
import { HOME } from '../../values.ts';
import { innerOf, isNullable, printObject } from './badValues.ts';
import type { Cast, GoodCall } from './goodCalls.ts';
import { OTHER_CHAIN } from './openWorld.ts';

export const OTHER_PAYEE = '0x1d3a5b7c9e0f2a4b6c8d0e1f3a5b7c9d1e3f5a7b';

type Values = Readonly<Record<string, unknown>>;

/** By field name: valid values that make another request. A field without an entry gets one from its schema. */
const othersOf = ({ bob }: Cast): Readonly<Record<string, readonly unknown[]>> => ({
  amount: [2.5, 1.500001],
  destination_address: [OTHER_PAYEE],
  blockchain: [OTHER_CHAIN],
  wallet_username: ['bob', null],
  funding_wallet_id: [bob.walletId],
  receiver_username: ['carol', 'nobody_here'],
  payer_username: ['carol', null],
  note: ['Lunch', 'dinner', null],
  payment_note: ['Lunch', 'dinner', null],
  expires_at: ['2099-01-01T00:00:00Z', null],
  url: ['http://127.0.0.1:1/other'],
  types: [['*'], ['payment.*', 'kyc.*']],
  order: ['in_order'],
  description: ['Another shop', null],
  username: ['another_name'],
});

/** The body with each field changed in turn. */
export function listOthers(good: GoodCall, cast: Cast): { readonly what: string; readonly body: Values }[] {
  const { described, body = {} } = good;
  return Object.entries(described.body?.properties ?? {}).flatMap(([field, schema]) => {
    const inner = innerOf(described.document, schema);
    const values = othersOf(cast)[field] ?? [deriveOther(inner, body[field])];
    return values
      .filter((value) => JSON.stringify(value) !== JSON.stringify(body[field]))
      .map((value) => ({ what: `${field} is ${JSON.stringify(value)}`, body: { ...body, [field]: value } }));
  });
}

function deriveOther({ type, format, enum: words }: Schema, value: unknown): unknown {
  if (words) return words.find((word) => word !== value);
  if (format === 'uuid') return randomUUID();
  if (format === 'date-time') return '2099-01-01T00:00:00Z';
  if (type === 'number' || type === 'integer') return Number(value ?? 0) + 1;
  if (type === 'boolean') return value !== true;
  if (type === 'array')
    return [...((value as unknown[] | undefined) ?? []), ...((value as unknown[] | undefined) ?? [])];
  return `${value ?? ''}x`;
}

/** The meaning of a field that is left out or null. */
const MEANT: Readonly<Record<string, unknown>> = { blockchain: HOME, order: 'any', description: '' };

/** The same request in another spelling, as JSON text. */
export function listSpellings(good: GoodCall): { readonly what: string; readonly text: string }[] {
  const { described, body } = good;
  if (!described.body || !body) return [];
  const texts = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, JSON.stringify(value)]));
  const found = [
    {
      what: 'with its members in another order',
      text: printObject(Object.fromEntries(Object.entries(texts).reverse())),
    },
    { what: 'with whitespace and line ends', text: JSON.stringify(body, null, 4) },
    { what: 'with escaped letters', text: printObject(mapTexts(texts, escapeLetters)) },
    // Where unknown members are allowed they mean nothing.
    ...(described.body.additionalProperties === false
      ? []
      : [{ what: 'with an unknown member', text: printObject({ ...texts, nobody_knows_it: '[1]' }) }]),
  ];
  for (const [field, schema] of Object.entries(described.body.properties ?? {})) {
    const put = (text: string | undefined) => printObject({ ...texts, [field]: text });
    const value = body[field];
    const isAbsent = value === undefined || (field in MEANT && value === MEANT[field]);
    if (isAbsent) {
      found.push({ what: `without ${field}`, text: put(undefined) });
      if (isNullable(schema)) found.push({ what: `with ${field} null`, text: put('null') });
    }
    const spellings = value === undefined ? [] : respell(field, innerOf(described.document, schema), value);
    for (const text of spellings) found.push({ what: `with ${field} ${text}`, text: put(text) });
  }
  return found;
}

/** JSON texts that mean the same value. */
function respell(field: string, { type, format }: Schema, value: unknown): string[] {
  const text = String(value);
  if (type === 'number')
    return [
      text.includes('.') ? `${text}00` : `${text}.00`,
      `${text}e0`,
      `${Number(value) * 10}e-1`,
      `${Number(value) / 10}E+1`,
    ];
  if (format === 'uuid') return [`"${text.toUpperCase()}"`];
  if (format === 'date-time') {
    const moved = new Date(Date.parse(text) + 2 * 3_600_000).toISOString().replace('Z', '+02:00');
    return [`"${text.replace('Z', '+00:00')}"`, `"${moved}"`, `"${text.replace('Z', '000Z')}"`];
  }
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return [`"${text.toLowerCase()}"`, `"0x${text.slice(2).toUpperCase()}"`];
  return field.endsWith('username') ? [`"${text.toUpperCase()}"`] : [];
}

const mapTexts = (texts: Readonly<Record<string, string>>, change: (text: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]));

const escapeLetters = (json: string): string =>
  json.replace(/[A-Za-z](?=[^"]*"$)/g, (letter) =>
    json.startsWith('"') ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
  );
