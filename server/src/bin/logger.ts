import { createHash } from 'node:crypto';
import { type DestinationStream, type Logger, pino } from 'pino';
import { type Lines, openLines } from '../http/ops/openLines.ts';

/**
 * JSON lines. Bodies and headers are never logged, paths only as route templates. Error texts may still contain
 * personal data, so every line is scrubbed here: credentials are removed, and e-mail addresses become a short hash, so
 * that lines about the same person can be matched.
 */
export function createLogger(level: string, destination: DestinationStream = openStandardOutput()): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: renderError },
    hooks: { streamWrite: scrub },
  };
  return pino(options, destination);
}

let standardOutput: Lines | undefined;

/** One per process. Waiting lines are written before the process ends. */
function openStandardOutput(): Lines {
  if (!standardOutput) {
    const lines = openLines(1);
    standardOutput = lines;
    process.once('exit', () => lines.close());
  }
  return standardOutput;
}

/** The output of a logger, for lines that are built by hand. */
export const findOutput = (log: Logger): Partial<Lines> & DestinationStream =>
  (log as unknown as Record<symbol, Partial<Lines> & DestinationStream>)[pino.symbols.streamSym]!;

/** Only name, message, code and stack of an error, its parts and its causes: other fields may contain secrets. */
function renderError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error);
  const { code, details, errors } = error as { code?: unknown; details?: unknown; errors?: unknown };
  return {
    name: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
    ...(Array.isArray(errors) &&
      depth < 4 && { errors: errors.slice(0, 10).map((one) => renderError(one, depth + 1)) }),
    ...(error.cause !== undefined && depth < 4 && { cause: renderError(error.cause, depth + 1) }),
    stack: error.stack,
  };
}

// Every quantifier is bounded: backtracking over a long line would block the process for seconds.
const CREDENTIALS = [
  /\beyJ[\w-]{1,2000}\.[\w-]{1,16000}(?:\.[\w-]{0,8000})?/g, // JSON Web Tokens
  /\b(?:fl[ar]|fsk)_[\w-]{20,200}/g, // our own tokens and keys
  /\bwhsec_[\w+/=-]{20,200}/g, // secrets of webhooks
  /\b(?:sbx|prd):[\w.-]{8,300}/g, // Sumsub's app tokens
  /\b_act-[\w.-]{1,4000}/g, // and the tokens that Sumsub gives to browsers
  /(?<=\b(?:Bearer|Basic) {1,4})[\w~+/.=-]{1,9000}/gi,
  /(?<=\bpostgres(?:ql)?:\/\/)[^\s"/]{1,500}@/g,
  /\b(?:LIVE|TEST)_API_KEY:[\w:-]{1,300}/g,
];
// The local part has no slash here, so that `node_modules/@scope/name` in a stack stays readable.
const EMAIL =
  /[\p{L}\p{N}_.!#$%&'*+=?^`{|}~-]{1,64}@(?:localhost\b|[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8})/giu;

export function scrub(line: string): string {
  let clean = line;
  for (const pattern of CREDENTIALS) clean = clean.replace(pattern, '[hidden]');
  return clean.includes('@') ? clean.replace(EMAIL, hashEmail) : clean;
}

const hashEmail = (email: string): string =>
  `email:${createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 12)}`;
