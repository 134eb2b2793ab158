/**
 * Compiles the schema of one value into a check that answers like Pydantic v2 with the same model: the same error types
 * and messages, one error per value, checked in the same order. Schemas are compiled once at start. An unsupported
 * keyword is an error then, so everything published is checked.
 */

import { JsonNumber, type JsonValue } from '../json.ts';
import type { Schema } from '../openapi.ts';
import { describeBadUuid, findUuid } from '../parseUuid.ts';
import { createIssue, type Issue, type ItemShape, type Location } from './issue.ts';

/** The accepted value in its canonical spelling; or undefined, after pushing an item to `items`. */
export type Check = (value: JsonValue, items: string[]) => JsonValue | undefined;

/** `text`: a path or query parameter, always a string. `json`: a member of a body. */
interface CheckContext {
  readonly shape: ItemShape;
  readonly loc: Location;
  readonly source: 'json' | 'text';
}

const ANNOTATIONS = ['title', 'description', 'examples', 'default', 'deprecated', 'type', 'format'];
const INTERPRETED: Readonly<Record<string, readonly string[]>> = {
  string: ['pattern', 'enum', 'minLength', 'maxLength'],
  number: ['exclusiveMinimum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['items', 'minItems', 'maxItems'],
};

export function compileSchema(schema: Schema, context: CheckContext): Check {
  if (schema.anyOf) return compileNullable(schema, context);
  const type = schema.type ?? '';
  const known = INTERPRETED[type];
  if (!known) throw new TypeError(`cannot check type '${type}' at ${context.loc.join('.')}`);
  for (const keyword of Object.keys(schema)) {
    if (!known.includes(keyword) && !ANNOTATIONS.includes(keyword)) {
      throw new TypeError(`cannot check '${keyword}' at ${context.loc.join('.')}`);
    }
  }
  if (type === 'number') return compileNumber(schema, context);
  if (type === 'integer') return compileInteger(schema, context);
  if (type === 'boolean') return compileBoolean(context);
  if (type === 'array') return compileArray(schema, context);
  if (schema.format === 'uuid') return compileUuid(context);
  if (schema.format === 'date-time') return compileDateTime(context);
  return schema.enum ? compileEnum(schema.enum, context) : compileString(schema, context);
}

function issueAt(context: CheckContext, type: string, msg: string, ctx?: Record<string, unknown>): Issue {
  return createIssue(context.shape, context.loc, type, msg, ctx);
}

/** `anyOf: [X, null]`, the published form of an optional member. */
function compileNullable(schema: Schema, context: CheckContext): Check {
  const [inner, none, ...others] = schema.anyOf ?? [];
  if (!inner || none?.type !== 'null' || others.length > 0) {
    throw new TypeError(`cannot check this anyOf at ${context.loc.join('.')}`);
  }
  const check = compileSchema(inner, context);
  return (value, items) => (value === null ? null : check(value, items));
}

function plural(count: number): string {
  return count === 1 ? `${count} character` : `${count} characters`;
}

function compileString(schema: Schema, context: CheckContext): Check {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema;
  const wrongType = issueAt(context, 'string_type', 'Input should be a valid string');
  if (pattern === undefined && minLength === 0 && maxLength === Number.POSITIVE_INFINITY) {
    return (value, items) => {
      if (typeof value === 'string') return value;
      items.push(wrongType(value));
    };
  }
  // Rust's `$` matches only at the end of the text, as here; with `u` both count code points.
  const regexp = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const notText = issueAt(
    context,
    'string_unicode',
    'Input should be a valid string, unable to parse raw data as a unicode string',
  );
  const tooShort = issueAt(context, 'string_too_short', `String should have at least ${plural(minLength)}`, {
    min_length: minLength,
  });
  const tooLong = issueAt(context, 'string_too_long', `String should have at most ${plural(maxLength)}`, {
    max_length: maxLength,
  });
  const mismatch = issueAt(context, 'string_pattern_mismatch', `String should match pattern '${pattern}'`, { pattern });
  return (value, items) => {
    if (typeof value !== 'string') items.push(wrongType(value));
    else if (hasLoneSurrogate(value)) items.push(notText(value));
    else {
      const length = countCharacters(value);
      if (length < minLength) items.push(tooShort(value));
      else if (length > maxLength) items.push(tooLong(value));
      else if (regexp && !regexp.test(value)) items.push(mismatch(value));
      else return value;
    }
  };
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const hasLoneSurrogate = (text: string): boolean => LONE_SURROGATE.test(text);

function countCharacters(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) pairs++;
  return text.length - pairs;
}

function compileEnum(allowed: readonly string[], context: CheckContext): Check {
  const quoted = allowed.map((word) => `'${word}'`);
  const last = quoted.pop();
  const expected = quoted.length ? `${quoted.join(', ')} or ${last}` : `${last}`;
  const refuse = issueAt(context, 'literal_error', `Input should be ${expected}`, { expected });
  return (value, items) => {
    if (typeof value === 'string' && allowed.includes(value)) return value;
    items.push(refuse(value));
  };
}

/**
 * Strict: no numeric string, no boolean. The bound is compared as a double, like the reference does, so `1e-400` is not
 * greater than 0; the value itself stays the source text.
 */
function compileNumber(schema: Schema, context: CheckContext): Check {
  const { exclusiveMinimum: bound = Number.NEGATIVE_INFINITY } = schema;
  const wrongType = issueAt(context, 'float_type', 'Input should be a valid number');
  const notFinite = issueAt(context, 'finite_number', 'Input should be a finite number');
  const tooSmall = issueAt(context, 'greater_than', `Input should be greater than ${bound}`, { gt: bound });
  return (value, items) => {
    if (!(value instanceof JsonNumber)) items.push(wrongType(value));
    else {
      const number = Number(value.source);
      if (!(number > bound)) items.push(tooSmall(value));
      // `1e400` is a number too, but too large for a double.
      else if (number === Number.POSITIVE_INFINITY && !value.isFinite) items.push(notFinite(value));
      else return value;
    }
  };
}

/** The spellings that Pydantic accepts: `+5`, `5_0`, `5.00`, with surrounding blanks. */
const BLANK = /\p{White_Space}/u;
const INTEGER = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/;
const MAX_INTEGER_LENGTH = 4300;

function compileInteger(schema: Schema, context: CheckContext): Check {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const unparsable = issueAt(
    context,
    'int_parsing',
    'Input should be a valid integer, unable to parse string as an integer',
  );
  const oversize = issueAt(
    context,
    'int_parsing_size',
    'Unable to parse input string as an integer, exceeded maximum size',
  );
  const tooSmall = issueAt(context, 'greater_than_equal', `Input should be greater than or equal to ${minimum}`, {
    ge: minimum,
  });
  const tooLarge = issueAt(context, 'less_than_equal', `Input should be less than or equal to ${maximum}`, {
    le: maximum,
  });
  if (context.source === 'json')
    return compileJsonInteger(schema, {
      wrongType: issueAt(context, 'int_type', 'Input should be a valid integer'),
      tooSmall,
      tooLarge,
    });
  return (value, items) => {
    const text = String(value);
    if (text.length > MAX_INTEGER_LENGTH) {
      items.push(oversize(value));
      return;
    }
    const trimmed = stripBlanks(text);
    const number = INTEGER.test(trimmed) ? Number(trimmed.replace(/_|\.0+$/g, '')) : Number.NaN;
    if (Number.isNaN(number)) items.push(unparsable(value));
    else if (number < minimum) items.push(tooSmall(value));
    else if (number > maximum) items.push(tooLarge(value));
    else return String(number);
  };
}

/** In a body: only whole digits. The value stays the source text. */
function compileJsonInteger(
  { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: Schema,
  issues: Readonly<Record<'wrongType' | 'tooSmall' | 'tooLarge', Issue>>,
): Check {
  return (value, items) => {
    if (!(value instanceof JsonNumber) || !/^-?\d{1,15}$/.test(value.source)) items.push(issues.wrongType(value));
    else if (Number(value.source) < minimum) items.push(issues.tooSmall(value));
    else if (Number(value.source) > maximum) items.push(issues.tooLarge(value));
    else return value;
  };
}

/** Stricter than Pydantic, which would accept `"yes"` and 1. */
function compileBoolean(context: CheckContext): Check {
  if (context.source !== 'json') throw new TypeError(`a boolean is part of a body, at ${context.loc.join('.')}`);
  const wrongType = issueAt(context, 'bool_type', 'Input should be a valid boolean');
  return (value, items) => {
    if (typeof value === 'boolean') return value;
    items.push(wrongType(value));
  };
}

/** Removes the characters that Rust counts as white space, which differ slightly from `trim`. */
function stripBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANK.test(text.charAt(start))) start++;
  while (end > start && BLANK.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

function compileUuid(context: CheckContext): Check {
  const wrongType = issueAt(context, 'uuid_type', 'UUID input should be a string, bytes or UUID object');
  const notText = issueAt(
    context,
    'string_unicode',
    'Input should be a valid string, unable to parse raw data as a unicode string',
  );
  return (value, items) => {
    if (typeof value !== 'string') {
      items.push(wrongType(value));
      return;
    }
    const uuid = findUuid(value);
    if (uuid !== undefined) return uuid;
    if (hasLoneSurrogate(value)) items.push(notText(value));
    else {
      const error = describeBadUuid(value);
      items.push(issueAt(context, 'uuid_parsing', `Input should be a valid UUID, ${error}`, { error })(value));
    }
  };
}

function compileArray({ items: inner, minItems = 0, maxItems }: Schema, context: CheckContext): Check {
  if (context.source !== 'json' || !inner || maxItems === undefined)
    throw new TypeError(`a list is part of a body, and has items and maxItems, at ${context.loc.join('.')}`);
  // The position of an item is part of its errors.
  const checks = Array.from({ length: maxItems }, (_, i) =>
    compileSchema(inner, { ...context, loc: [...context.loc, i] }),
  );
  const wrongType = issueAt(context, 'list_type', 'Input should be a valid list');
  return (value, items) => {
    if (!Array.isArray(value)) {
      items.push(wrongType(value));
      return;
    }
    const count = value.length;
    if (count < minItems || count > maxItems) {
      const [type, bound, words] =
        count < minItems
          ? (['too_short', minItems, 'at least'] as const)
          : (['too_long', maxItems, 'at most'] as const);
      const msg = `List should have ${words} ${bound} ${bound === 1 ? 'item' : 'items'} after validation, not ${count}`;
      const key = count < minItems ? 'min_length' : 'max_length';
      items.push(issueAt(context, type, msg, { field_type: 'List', [key]: bound, actual_length: count })(value));
      return;
    }
    const before = items.length;
    const accepted = value.map((item, i) => checks[i]!(item, items));
    return items.length > before ? undefined : (accepted as JsonValue[]);
  };
}

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Stricter than Pydantic, which would accept a bare date or a Unix time: RFC 3339 with a zone, and a real day. */
function compileDateTime(context: CheckContext): Check {
  const error = 'a date and time of RFC 3339 is expected';
  const msg = `Input should be a valid datetime, ${error}`;
  const refuse = issueAt(context, 'datetime_parsing', msg, { error });
  return (value, items) => {
    const match = typeof value === 'string' ? RFC_3339.exec(value) : null;
    const day = match ? new Date(`${match[1]}-${match[2]}-${match[3]}T00:00:00Z`) : undefined;
    // The Date constructor turns 30 February into a day of March, so the day is compared.
    if (match && day?.getUTCDate() === Number(match[3]) && !Number.isNaN(Date.parse(match[0]))) return value;
    items.push(refuse(value));
  };
}
