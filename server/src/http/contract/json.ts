/**
 * JSON values whose numbers keep their source text: `JSON.parse` would round an amount, and errors must echo exactly
 * what the caller wrote.
 */
export class JsonNumber {
  /** The number exactly as written in the body; `NaN`, `Infinity` and `-Infinity` are possible, as in Python. */
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** False for `NaN` and the infinities; a literal too large for a double (`1e400`) is still a number. */
  get isFinite(): boolean {
    return !this.source.endsWith('N') && !this.source.endsWith('y');
  }
}

/** Parsed objects have no prototype, so `__proto__` and `constructor` are ordinary keys. */
export interface JsonObject {
  [key: string]: JsonValue;
}

export type JsonValue = string | boolean | null | JsonNumber | JsonValue[] | JsonObject;

/**
 * JSON text of a parsed value, as FastAPI's encoder would echo it: keys that begin with `_sa` are dropped at every
 * depth (FastAPI does so for SQLAlchemy), and `NaN` and the infinities, which are not JSON, become null.
 */
export function renderJson(value: JsonValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value instanceof JsonNumber) return value.isFinite ? value.source : 'null';
  if (Array.isArray(value)) {
    let text = '[';
    for (let i = 0; i < value.length; i++) text += (i ? ',' : '') + renderJson(value[i] as JsonValue);
    return `${text}]`;
  }
  let text = '{';
  for (const key in value) {
    if (key.startsWith('_sa')) continue;
    text += `${text.length > 1 ? ',' : ''}${JSON.stringify(key)}:${renderJson(value[key] as JsonValue)}`;
  }
  return `${text}}`;
}
