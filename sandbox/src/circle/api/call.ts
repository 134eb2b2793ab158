import { invalid } from './refusal.ts';

/** One request to the API, parsed and authorized. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Unknown keys are ignored, as Circle does. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The variable parts of the path. */
  readonly ids: readonly string[];
}

/** The text, or undefined; an empty text counts as undefined. */
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
