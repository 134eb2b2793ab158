import { PayError } from '../../core/errors.ts';
import type { ServiceCaller } from '../../customers/keys/serviceKeys.ts';
import type { Read } from '../../db/standbys/openReads.ts';
import { readPayment } from '../../payments/read/readPayment.ts';
import { renderPayment, withoutNote } from '../answers/renderPayment.ts';
import { mayReadNotes } from '../calls/authorizeKey.ts';
import type { Operation } from '../contract/operation.ts';
import { findUuid } from '../contract/parseUuid.ts';

export const getTransactionOperation =
  ({ read }: { readonly read: Read }): Operation =>
  async (call) => {
    // The parameter can be any text, but every payment id is a UUID.
    const paymentId = findUuid(call.params.transaction_id!);
    const payment = paymentId && (await read((db) => readPayment(db, paymentId)));
    if (!payment) throw new PayError('transaction.unknown');
    const isShown = mayReadNotes(call.caller as ServiceCaller | undefined);
    return { body: renderPayment(isShown ? payment : withoutNote(payment)) };
  };
