import type { PayError } from '../../core/errors.ts';
import { renderFailure } from '../contract/exchange.ts';
import type { ApiAnswer } from '../contract/operation.ts';

/** Marks the answer as the stored answer to an earlier request with the same key. */
export const REPLAYED = { 'Idempotency-Replayed': 'true' } as const;

/**
 * Throws a refusal the first time. When the refusal is repeated under its key, answers it with `Idempotency-Replayed`.
 */
export function refuse(refusal: PayError, replayed: boolean, requestId: string): ApiAnswer {
  if (!replayed) throw refusal;
  const { status, body } = renderFailure(refusal, requestId);
  return { status, body, contentType: 'application/problem+json', headers: REPLAYED, code: refusal.code };
}
