/** One of several processes in which operators refund the same payment concurrently; reports the outcomes. */
import { parseUsdc } from '../../../server/src/core/money.ts';
import { openDatabase } from '../../../server/src/db/database.ts';
import { refundPayment } from '../../../server/src/payments/refunds/refundPayment.ts';

export interface RefundTask {
  /** An operator's login. */
  readonly databaseUrl: string;
  readonly paymentId: string;
  readonly amount: string;
  readonly reasons: readonly string[];
}

async function work({ databaseUrl, paymentId, amount, reasons }: RefundTask): Promise<string[]> {
  const db = openDatabase(databaseUrl, { maxConnections: 8, connectTimeoutMs: 120_000, statementTimeoutMs: 120_000 });
  const done = await Promise.all(
    reasons.map((reason) => refundPayment(db, { paymentId, amount: parseUsdc(amount), reason })),
  );
  await db.close();
  return done.map(({ outcome }) => outcome);
}

process.once('message', (task: RefundTask) => {
  work(task).then(
    (outcomes) => process.send!(outcomes, () => process.disconnect()),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
