import { PayError } from '../../core/errors.ts';
import type { Queryable } from '../../db/database.ts';
import { findPayment } from '../../payments/findPayment.ts';
import type { Operation } from '../contract/createApi.ts';
import { renderPayment } from '../renderPayment.ts';

export const getTransactionOperation =
  (app: { readonly db: Queryable }): Operation =>
  async (call) => {
    const payment = await findPayment(app.db, call.params.transaction_id!);
    if (!payment) throw new PayError('transaction.unknown');
    return { body: renderPayment(payment) };
  };
