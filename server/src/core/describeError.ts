const MAX_DEPTH = 8;
const MAX_LENGTH = 600;

/**
 * What went wrong and why, in one line: the message, then the causes, and every part of an AggregateError, which is how
 * nodes and `fetch` say which host failed. A message that only repeats what stands before it is left out.
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

/** Errors of sockets may have a code and no message. */
function findWords(error: Error): string {
  const { code, details } = error as { code?: unknown; details?: { dependency?: unknown } };
  if (typeof details?.dependency === 'string') return `${details.dependency} does not answer`;
  return error.message || (typeof code === 'string' ? code : '');
}

/** An answer of a provider that is no acceptance says why. */
function describeAnswer(answer: unknown, depth: number): string {
  const { outcome, cause, reason } = (answer ?? {}) as { outcome?: unknown; cause?: unknown; reason?: unknown };
  if (outcome === 'unknown') return depth === MAX_DEPTH ? 'unknown' : describe(cause, depth + 1);
  return outcome === 'rejected' ? `refused: ${reason}` : String(answer);
}
