import { PayError } from '../../core/errors.ts';
import type { Caller } from '../../customers/sessions/sessions.ts';
import type { Read } from '../../db/standbys/openReads.ts';
import { readPayment } from '../../payments/read/readPayment.ts';
import { answerTagged } from '../answers/answerTagged.ts';
import { renderPayment } from '../answers/renderPayment.ts';
import type { Operation } from '../contract/operation.ts';
import { getRequiredCaller } from './authorize.ts';

/** Only payer and receiver can see a transaction. Anyone else gets the same answer as for an unknown transaction. */
export const getTransactionOperation =
  ({ read }: { readonly read: Read }): Operation =>
  async (call) => {
    const { userId } = getRequiredCaller(call.caller as Caller | undefined);
    const payment = await read((db) => readPayment(db, call.params.transaction_id!, userId));
    if (!payment) throw new PayError('transaction.unknown');
    return answerTagged(call, JSON.stringify(renderPayment(payment)));
  };
