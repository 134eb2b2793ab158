import type { Caller } from '../../customers/sessions/sessions.ts';
import type { Queryable } from '../../db/database.ts';
import { findKeyedPayment } from '../../payments/search/findKeyedPayment.ts';
import { parseIdempotencyKey } from '../calls/parseIdempotencyKey.ts';
import type { Operation } from '../contract/operation.ts';
import { getRequiredCaller } from './authorize.ts';

/** The calls with which a person pays. */
const ROUTES = ['/api/v1/send_usdc', '/api/v1/send_to_address'];

/** Reads the primary: a standby may not know the payment yet, and the person would pay again. */
export const findKeyedPaymentOperation =
  (app: { readonly db: Queryable }): Operation =>
  async (call) => {
    const { userId } = getRequiredCaller(call.caller as Caller | undefined);
    const key = parseIdempotencyKey({ 'idempotency-key': call.query.idempotency_key! })!;
    const found = await findKeyedPayment(app.db, { userId, routes: ROUTES, key });
    return {
      body: { outcome: found.outcome, transaction_id: found.outcome === 'accepted' ? found.paymentId : null },
    };
  };
