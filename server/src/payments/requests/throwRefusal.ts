import { type ErrorCode, PayError } from '../../core/errors.ts';

/** The error codes that database functions return about requests; the compiler checks that the error table has them. */
const REFUSALS = [
  'account.closed',
  'auth.forbidden',
  'money_request.ended',
  'money_request.expiry',
  'money_request.too_many',
  'money_request.unknown',
  'payment.self',
  'username.needed',
  'username.unknown',
] as const satisfies readonly ErrorCode[];

interface Refusal {
  readonly code: string;
  readonly details?: Readonly<Record<string, string | number>>;
}

export function throwRefusal(refusal: unknown): void {
  if (refusal === null) return;
  const { code, details = {} } = refusal as Refusal;
  const known = REFUSALS.find((one) => one === code);
  if (!known) throw new Error(`the database refused with ${code}, which is not in REFUSALS`);
  throw new PayError(known, details);
}
