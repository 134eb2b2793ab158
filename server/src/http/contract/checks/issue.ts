/**
 * One item of a 422's `detail`, as JSON text. Everything except the caller's input is known at start, so an issue is
 * prepared once and a refusal costs one concatenation.
 */
import { type JsonValue, renderJson } from '../json.ts';

/** `full`: type, loc, msg, input, ctx (Web3 API). `brief`: loc (all strings), msg, type (Backend API). */
export type ItemShape = 'full' | 'brief';
export type Location = readonly (string | number)[];
export type Issue = (input: JsonValue) => string;

export function createIssue(
  shape: ItemShape,
  loc: Location,
  type: string,
  msg: string,
  ctx?: Readonly<Record<string, unknown>>,
): Issue {
  if (shape === 'brief') {
    const item = JSON.stringify({ loc: loc.map(String), msg, type });
    return () => item;
  }
  const head = `${JSON.stringify({ type, loc, msg }).slice(0, -1)},"input":`;
  const tail = ctx ? `,"ctx":${JSON.stringify(ctx)}}` : '}';
  return (input) => head + renderInput(input) + tail;
}

let lastInput: JsonValue = null;
let lastText = 'null';

/** Every missing field echoes the whole body, so its text is cached instead of being rendered once per field. */
function renderInput(input: JsonValue): string {
  if (input !== lastInput) {
    lastText = renderJson(input);
    lastInput = input;
  }
  return lastText;
}
