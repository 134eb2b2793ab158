import type { Caller } from '../../customers/sessions/sessions.ts';
import type { Db, Tx } from '../../db/database.ts';
import { hashRequest, type Replayable, replayOrRun } from '../../db/idempotency.ts';
import { readPayment } from '../../payments/read/readPayment.ts';
import { cancelPayment } from '../../payments/sends/cancelPayment.ts';
import { renderPayment, withoutNote } from '../answers/renderPayment.ts';
import { REPLAYED, refuse } from '../answers/renderReplay.ts';
import { parseIdempotencyKey } from '../calls/parseIdempotencyKey.ts';
import type { ApiCall, Operation } from '../contract/operation.ts';

type Rendered = ReturnType<typeof renderPayment>;

/**
 * With a credential, only the payer's own transaction: another person's transaction gets the same answer as an unknown
 * one.
 */
export const cancelTransactionOperation =
  (app: { readonly db: Db }): Operation =>
  async (call) => {
    const { replayed, result } = await cancelOnce(app, call);
    if ('refusal' in result) return refuse(result.refusal, replayed, call.requestId);
    return { body: result.answer, ...(replayed && { headers: REPLAYED }) };
  };

function cancelOnce(app: { readonly db: Db }, call: ApiCall): Promise<Replayable<Rendered>> {
  const payerId = (call.caller as Caller | undefined)?.userId;
  const paymentId = call.params.transaction_id!;
  const key = parseIdempotencyKey(call.headers);
  return app.db.tx(async (tx) => {
    const work = () => cancel(tx, paymentId, payerId);
    if (key === undefined) return { replayed: false, result: { answer: await work() } };
    const { route } = call;
    return replayOrRun(tx, { caller: payerId ?? 'backend', route, key, hash: hashRequest(paymentId) }, work);
  });
}

/** Reads the answer in the same database transaction, so it shows exactly what this call has done. */
async function cancel(tx: Tx, paymentId: string, payerId: string | undefined): Promise<Rendered> {
  await cancelPayment(tx, { paymentId, payerId });
  const payment = await readPayment(tx, paymentId);
  if (!payment) throw new Error(`payment ${paymentId} was cancelled and is gone`);
  // The answer is stored under the key, and a note can be removed.
  return renderPayment(withoutNote(payment));
}
