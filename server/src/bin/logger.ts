import { createHash } from 'node:crypto';
import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * JSON lines. Bodies and headers are never logged, paths only as route templates; what still reaches a line by way
 * of an error's text is scrubbed here, once, for everybody: credentials go, e-mail addresses become a short hash by
 * which two lines about one person can be matched.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: renderError },
    hooks: { streamWrite: scrub },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Name, message, code and stack of an error and of its causes. Its other fields may hold anything. */
function renderError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error);
  const { code, details } = error as { code?: unknown; details?: unknown };
  return {
    name: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
    ...(error.cause !== undefined && depth < 4 && { cause: renderError(error.cause, depth + 1) }),
    stack: error.stack,
  };
}

const CREDENTIALS = [
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, // JSON Web Tokens
  /\bfl[ar]_[\w-]{20,}/g, // our own tokens
  /(?<=\b(?:Bearer|Basic) )[\w~+/.=-]+/gi,
  /(?<=\bpostgres(?:ql)?:\/\/)[^@\s"]+(?=@)/g,
  /\b(?:LIVE|TEST)_API_KEY:[\w:-]+/g,
];
const EMAIL = /[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+/gi;

export function scrub(line: string): string {
  let clean = line;
  for (const pattern of CREDENTIALS) clean = clean.replace(pattern, '[hidden]');
  return clean.includes('@') ? clean.replace(EMAIL, hashEmail) : clean;
}

const hashEmail = (email: string): string =>
  `email:${createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 12)}`;
