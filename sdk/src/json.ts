/**
 * JSON without floats. `JSON.stringify` can write a number only from a double, and `JSON.parse` reads every number into
 * one; amounts must not pass through either.
 */
import { fromMicros, toMicros } from './amounts.ts';
import { FlorinError } from './FlorinError.ts';

/** The body of a request. Members named in `amounts` are decimal text and become JSON numbers with the same digits. */
export function writeBody(body: Readonly<Record<string, unknown>>, amounts: readonly string[]): string {
  const members = Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = amounts.includes(name) ? writeAmount(name, value) : JSON.stringify(value);
      return `${JSON.stringify(name)}:${text}`;
    });
  return `{${members.join(',')}}`;
}

function writeAmount(name: string, value: unknown): string {
  try {
    return fromMicros(toMicros(value as string));
  } catch (cause) {
    const { code, title, detail } = cause as FlorinError;
    const fields = [{ loc: ['body', name], msg: detail, type: code }];
    throw new FlorinError({ code, title, detail: `${name}: ${detail}`, fields });
  }
}

/** A string (skipped, so that its digits stay) or a number. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A number that a double cannot hold is returned as text. Our service sends amounts as text anyway. */
export function readJson(text: string): unknown {
  if (!/[\d.]{16}|\d[eE]/.test(text)) return JSON.parse(text);
  const quoted = text.replace(TOKENS, (token) => (token.startsWith('"') || isExact(token) ? token : `"${token}"`));
  return JSON.parse(quoted);
}

/** Whether the double has the same value as this number. */
function isExact(text: string): boolean {
  const [digits, power] = normalize(text);
  const [read, readPower] = normalize(String(Number(text)));
  return digits === read && power === readPower;
}

/** A number as significant digits and a power of ten, so that `1.50` and `15e-1` are equal. */
function normalize(text: string): readonly [string, number] {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return [text, 0];
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return ['0', 0];
  return [sign + significant, Number(exponent) - fraction.length + digits.length - significant.length];
}
