/**
 * A JSON parser that accepts and refuses exactly what Python's `json.loads` does, with its messages and positions:
 * `NaN` and `Infinity` are values, the last of two equal keys wins, positions count code points. It follows CPython's
 * scanner (Modules/_json.c) step by step, because the position of an error depends on the order of the checks.
 *
 * The cursor is a module variable, because parsing is synchronous; returning it would cost a tuple per value.
 */
import { JsonNumber, type JsonObject, type JsonValue } from './json.ts';

/** Why a text is not JSON. Not an Error, because its stack would cost more than parsing. */
export class JsonFault {
  /** Python's message; undefined if Python fails otherwise: nested too deeply, or an integer with too many digits. */
  readonly reason: string | undefined;
  /** In code points from the start of the text. */
  readonly position: number;

  constructor(reason: string | undefined, position: number) {
    this.reason = reason;
    this.position = position;
  }
}

/** The depth at which the reference service reaches CPython's recursion limit; it also bounds ours. */
const MAX_DEPTH = 961;
const MAX_INTEGER_DIGITS = 4300;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

let text = '';
let at = 0;
let depth = 0;

export function parseJson(source: string): JsonValue {
  text = source;
  at = 0;
  depth = 0;
  skipBlanks();
  const value = parseValue();
  skipBlanks();
  if (at !== text.length) throw fault('Extra data', at);
  return value;
}

function fault(reason: string, position: number): JsonFault {
  let pairs = 0;
  for (let i = 1; i < position; i++) {
    if (isSurrogate(text.charCodeAt(i - 1), 0xd800) && isSurrogate(text.charCodeAt(i), 0xdc00)) {
      pairs++;
      i++;
    }
  }
  return new JsonFault(reason, position - pairs);
}

function isSurrogate(code: number, from: 0xd800 | 0xdc00): boolean {
  return (code & 0xfc00) === from;
}

function skipBlanks(): void {
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    at++;
  }
}

function parseValue(): JsonValue {
  switch (text.charCodeAt(at)) {
    case QUOTE:
      return parseString();
    case 0x7b:
      return parseObject();
    case 0x5b:
      return parseArray();
    case 0x6e:
      if (takeWord('null')) return null;
      break;
    case 0x74:
      if (takeWord('true')) return true;
      break;
    case 0x66:
      if (takeWord('false')) return false;
      break;
    case 0x4e:
      if (takeWord('NaN')) return new JsonNumber('NaN');
      break;
    case 0x49:
      if (takeWord('Infinity')) return new JsonNumber('Infinity');
      break;
    case MINUS:
      if (takeWord('-Infinity')) return new JsonNumber('-Infinity');
      break;
  }
  return parseNumber();
}

function takeWord(word: string): boolean {
  if (!text.startsWith(word, at)) return false;
  at += word.length;
  return true;
}

function isDigit(position: number): boolean {
  const code = text.charCodeAt(position);
  return code >= ZERO && code <= NINE;
}

function parseNumber(): JsonNumber {
  const start = at;
  let end = start;
  if (text.charCodeAt(end) === MINUS) end++;
  if (!isDigit(end)) throw fault('Expecting value', start);
  const whole = end;
  // A leading zero ends the number: `01` is 0, followed by an unexpected 1.
  if (text.charCodeAt(end) === ZERO) end++;
  else while (isDigit(end)) end++;
  const wholeEnd = end;
  if (text.charCodeAt(end) === 0x2e && isDigit(end + 1)) {
    end += 2;
    while (isDigit(end)) end++;
  }
  if ((text.charCodeAt(end) | 0x20) === 0x65) {
    const sign = text.charCodeAt(end + 1);
    const digits = sign === MINUS || sign === 0x2b ? end + 2 : end + 1;
    if (isDigit(digits)) {
      end = digits + 1;
      while (isDigit(end)) end++;
    }
  }
  at = end;
  if (end === wholeEnd && end - whole > MAX_INTEGER_DIGITS) throw new JsonFault(undefined, 0);
  return new JsonNumber(text.slice(start, end));
}

function enter(): void {
  if (++depth > MAX_DEPTH) throw new JsonFault(undefined, 0);
  at++;
  skipBlanks();
}

function parseArray(): JsonValue[] {
  const values: JsonValue[] = [];
  enter();
  if (text.charCodeAt(at) !== 0x5d) {
    for (;;) {
      values.push(parseValue());
      skipBlanks();
      const code = text.charCodeAt(at);
      if (code === 0x5d) break;
      if (code !== 0x2c) throw fault("Expecting ',' delimiter", at);
      at++;
      skipBlanks();
    }
  }
  depth--;
  at++;
  return values;
}

/**
 * An object without inherited keys. `Object.create(null)` would do, but V8 keeps such an object as a hash table, which
 * is slower to fill and to read.
 */
const Bare = function Bare() {} as unknown as new () => JsonObject;
Bare.prototype = Object.create(null);

function parseObject(): JsonObject {
  const object = new Bare();
  enter();
  if (text.charCodeAt(at) !== 0x7d) {
    for (;;) {
      if (text.charCodeAt(at) !== QUOTE) throw fault('Expecting property name enclosed in double quotes', at);
      const key = parseString();
      skipBlanks();
      if (text.charCodeAt(at) !== 0x3a) throw fault("Expecting ':' delimiter", at);
      at++;
      skipBlanks();
      object[key] = parseValue();
      skipBlanks();
      const code = text.charCodeAt(at);
      if (code === 0x7d) break;
      if (code !== 0x2c) throw fault("Expecting ',' delimiter", at);
      at++;
      skipBlanks();
    }
  }
  depth--;
  at++;
  return object;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function parseString(): string {
  const begin = at;
  let value = '';
  let from = at + 1;
  let next = from;
  for (;;) {
    const code = text.charCodeAt(next);
    if (code === QUOTE) {
      at = next + 1;
      return from === begin + 1 ? text.slice(from, next) : value + text.slice(from, next);
    }
    if (code <= 0x1f) throw fault('Invalid control character at', next);
    if (code === BACKSLASH) {
      value += text.slice(from, next);
      if (next + 1 >= text.length) throw fault('Unterminated string starting at', begin);
      if (text.charCodeAt(next + 1) === 0x75) {
        value += parseUnicodeEscape(next);
        from = next + 6;
      } else {
        const character = ESCAPES[text.charAt(next + 1)];
        if (character === undefined) throw fault('Invalid \\escape', next);
        value += character;
        from = next + 2;
      }
      next = from;
    } else if (next >= text.length) throw fault('Unterminated string starting at', begin);
    else next++;
  }
}

/** One code unit. The two halves of an escaped surrogate pair join automatically, since strings are UTF-16. */
function parseUnicodeEscape(backslash: number): string {
  const digits = text.slice(backslash + 2, backslash + 6);
  // At the end of the text, CPython reports the escape as invalid, not the string as unterminated.
  if (backslash + 6 >= text.length || !/^[0-9a-fA-F]{4}$/.test(digits)) {
    throw fault('Invalid \\uXXXX escape', backslash + 1);
  }
  return String.fromCharCode(Number.parseInt(digits, 16));
}
