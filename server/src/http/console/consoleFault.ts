/** What the console's server answers instead of a reading, in the form of the APIs' problem documents. */
import type { SitePage } from '../contract/createApi.ts';

/** Stable: the page branches on these codes. */
const FAULTS = {
  'console.login_required': { status: 401, title: 'You are not logged in' },
  'console.password_required': { status: 401, title: 'The password of your database login is missing' },
  'console.password_wrong': { status: 401, title: 'The database refuses this password' },
  'console.forbidden': { status: 403, title: 'Your role may not do this' },
  'console.unknown': { status: 404, title: 'There is no such thing' },
  'console.invalid': { status: 400, title: 'The request is wrong' },
  'console.refused': { status: 409, title: 'This cannot be done' },
} as const;
export type ConsoleCode = keyof typeof FAULTS;

export class ConsoleFault extends Error {
  readonly code: ConsoleCode;
  readonly more: Readonly<Record<string, unknown>>;

  constructor(code: ConsoleCode, detail: string = FAULTS[code].title, more: Readonly<Record<string, unknown>> = {}) {
    super(detail);
    this.name = 'ConsoleFault';
    this.code = code;
    this.more = more;
  }
}

export const invalid = (detail: string, parameter?: string): ConsoleFault =>
  new ConsoleFault('console.invalid', detail, parameter === undefined ? {} : { parameter });

/** Other errors are answered by the API: with their problem document, or as a defect with 500. */
export function renderFault({ code, message, more }: ConsoleFault): SitePage {
  const { status, title } = FAULTS[code];
  const problem = { type: `urn:florin:${code}`, title, status, code, detail: message, retryable: false, ...more };
  return { status, contentType: 'application/problem+json', body: JSON.stringify(problem), headers: [] };
}
