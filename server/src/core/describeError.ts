const MAX_DEPTH = 8;
const MAX_LENGTH = 600;

/**
 * Describes an error in one line: the message, then its causes and every part of an AggregateError (nodes and `fetch`
 * use one to name the host that failed). A message that only repeats the text before it is left out.
 */
export function describeError(error: unknown): string {
  const words = describe(error, 0).replace(/\s+/g, ' ');
  return words.length > MAX_LENGTH ? `${words.slice(0, MAX_LENGTH - 1)}…` : words;
}

function describe(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return describeAnswer(error, depth);
  const own = findWords(error);
  if (depth === MAX_DEPTH) return own;
  const parts = error instanceof AggregateError ? error.errors.map((one) => describe(one, depth + 1)) : [];
  const cause = error.cause === undefined ? '' : describe(error.cause, depth + 1);
  const why = [...new Set([...parts, cause])].filter((text) => text !== '' && !own.includes(text)).join('; ');
  if (own === '' || why === '') return own || why || error.name;
  // Many wrappers end with the message of their cause.
  const [first = ''] = why.split(': ');
  return own.endsWith(first) ? own + why.slice(first.length) : `${own}: ${why}`;
}

/** Socket errors can have a code and no message. */
function findWords(error: Error): string {
  const { code, details } = error as { code?: unknown; details?: { dependency?: unknown } };
  if (typeof details?.dependency === 'string') return `${details.dependency} does not answer`;
  return error.message || (typeof code === 'string' ? code : '');
}

/** A provider's answer other than `accepted` contains the reason. */
function describeAnswer(answer: unknown, depth: number): string {
  const { outcome, cause, reason } = (answer ?? {}) as { outcome?: unknown; cause?: unknown; reason?: unknown };
  if (outcome === 'unknown') return depth === MAX_DEPTH ? 'unknown' : describe(cause, depth + 1);
  return outcome === 'rejected' ? `refused: ${reason}` : String(answer);
}
