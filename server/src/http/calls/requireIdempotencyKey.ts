import { PayError } from '../../core/errors.ts';
import type { Operation } from '../contract/operation.ts';

/** For calls that move money, if configured: without a key, a repeated call pays twice. */
export const requireIdempotencyKey =
  (operation: Operation): Operation =>
  (call) =>
    call.headers['idempotency-key'] === undefined
      ? Promise.reject(new PayError('idempotency.required'))
      : operation(call);
