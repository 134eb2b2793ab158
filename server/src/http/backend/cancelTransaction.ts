import type { Caller } from '../../customers/sessions/sessions.ts';
import type { Db, Tx } from '../../db/database.ts';
import { hashRequest, type Replayable, replayOrRun } from '../../db/idempotency.ts';
import { readPayment } from '../../payments/read/readPayment.ts';
import { cancelPayment } from '../../payments/sends/cancelPayment.ts';
import { renderPayment } from '../answers/renderPayment.ts';
import { REPLAYED, refuse } from '../answers/renderReplay.ts';
import { parseIdempotencyKey } from '../calls/parseIdempotencyKey.ts';
import type { ApiCall, Operation } from '../contract/createApi.ts';

type Rendered = ReturnType<typeof renderPayment>;

/** With a credential only what its owner pays: another's transaction and one that nobody made look alike. */
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

/** The answer is read in the same database transaction: it shows what this call has done, and nothing later. */
async function cancel(tx: Tx, paymentId: string, payerId: string | undefined): Promise<Rendered> {
  await cancelPayment(tx, { paymentId, payerId });
  const payment = await readPayment(tx, paymentId);
  if (!payment) throw new Error(`payment ${paymentId} was cancelled and is gone`);
  return renderPayment(payment);
}
