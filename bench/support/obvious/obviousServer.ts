/**
 * The obvious way to pay, for comparison (`bench/contention.ts`): one call of a PL/pgSQL function and one durable commit
 * per payment. It locks the rows of both people in the order of their ids. Everything else, from the socket to the
 * answer, is Florin's own code. It checks no limits, no pauses and no KYC, so it does less than Florin for a payment.
 * Sends its parent the address.
 */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { openDatabase } from '../../../server/src/db/database.ts';
import { sendUsdcOperation } from '../../../server/src/http/backend/sendUsdc.ts';
import { createApi } from '../../../server/src/http/contract/createApi.ts';
import type { PayCommand, PayOutcome } from '../../../server/src/payments/users/payCommand.ts';

const [, , databaseUrl = '', connections = '8'] = process.argv;
const pool = new pg.Pool({ connectionString: databaseUrl, max: Number(connections) });

interface Row {
  readonly available: string;
  readonly sender_name: string;
  readonly paid_at: Date;
}

async function submit({ paymentId, senderId, receiver, amount }: PayCommand): Promise<PayOutcome> {
  const { rows } = await pool.query<Row>({
    name: 'pay',
    text: 'SELECT available, sender_name, paid_at FROM pay($1, $2, $3, $4)',
    values: [paymentId, senderId, receiver, amount],
  });
  const { available, sender_name: from, paid_at: at } = rows[0]!;
  const paid = { available: BigInt(available), atMs: at.getTime(), from, to: receiver!, typed: null, note: null };
  return { before: false, result: { outcome: 'paid', ...paid } };
}

const userPayments = {
  blockchain: 'ETH-SEPOLIA',
  submit,
  preview: () => Promise.reject(new Error('there are no previews')),
  close: () => pool.end(),
};
const names = { left: () => 1, spend: () => undefined };

const api = createApi({
  name: 'backend',
  document: JSON.parse(readFileSync(new URL('../../../openapi/backend.json', import.meta.url), 'utf8')),
  operations: { send_usdc: sendUsdcOperation({ db: openDatabase(databaseUrl), userPayments, names }) },
  partial: true,
  items: 'brief',
  authorize: async () => undefined,
  logger: false,
});
process.send?.(await api.listen({ host: '127.0.0.1', port: 0 }));
process.on('disconnect', () => process.exit(0));
