import type { PayError } from '../../core/errors.ts';
import type { ApiAnswer } from '../contract/createApi.ts';
import { renderFailure } from '../contract/exchange.ts';

/** Tells a client that it hears the first answer again. */
export const REPLAYED = { 'Idempotency-Replayed': 'true' } as const;

/** A business refusal: thrown the first time, and answered with its mark when it is heard again under its key. */
export function refuse(refusal: PayError, replayed: boolean, requestId: string): ApiAnswer {
  if (!replayed) throw refusal;
  const { status, body } = renderFailure(refusal, requestId);
  return { status, body, contentType: 'application/problem+json', headers: REPLAYED };
}
