import { invalid } from './refusal.ts';

/** One request to the API, read and allowed. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Keys that nobody knows are ignored, as at Circle. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The variable parts of the path. */
  readonly ids: readonly string[];
}

/** Text or nothing; an empty text is nothing. */
export function findText(call: Call, name: string): string | undefined {
  const value = call.body[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalid(name, 'must be text', value);
  return value;
}

export function getText(call: Call, name: string): string {
  const text = findText(call, name);
  if (text === undefined) throw invalid(name, 'is required');
  return text;
}
