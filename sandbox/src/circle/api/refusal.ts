/** A refusal in Circle's form. The SDK reads `code`; the HTTP status of most codes is not documented. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: readonly object[] | undefined;
  constructor(status: number, code: number, message: string, errors?: readonly object[]) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/** A parameter that cannot be parsed, in the form of Circle's validation. */
export const invalid = (location: string, message: string, invalidValue?: unknown): Refusal =>
  new Refusal(400, 2, `API parameter invalid: ${location} ${message}`, [
    { error: 'invalid_value', message: `${location} ${message}`, location, invalidValue: invalidValue ?? null },
  ]);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Circle's ids are UUIDs of any version. */
export function getId(value: unknown): string {
  if (typeof value !== 'string' || !UUID.test(value)) throw new Refusal(400, 156009, `"${value}" is not a UUID`);
  return value.toLowerCase();
}

export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);
