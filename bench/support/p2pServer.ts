/**
 * The Backend API as a process of its own, for `bench/p2p.ts` and the crash story: the contract layer, authorization
 * and metrics as in `startServer`, on a database that is already migrated. Tells its parent the address.
 */
import { readFileSync } from 'node:fs';
import { openDatabase } from '../../server/src/db/database.ts';
import { authorize } from '../../server/src/http/backend/authorize.ts';
import { latestTransactionsOperation } from '../../server/src/http/backend/latestTransactions.ts';
import { sendUsdcOperation } from '../../server/src/http/backend/sendUsdc.ts';
import { createApi } from '../../server/src/http/contract/createApi.ts';
import { createMetrics } from '../../server/src/http/ops/metrics.ts';
import { openUserPayments } from '../../server/src/payments/openUserPayments.ts';

const [, , databaseUrl = '', port = '0'] = process.argv;
const db = openDatabase(databaseUrl);
const userPayments = openUserPayments({ databaseUrl, db, homeBlockchain: 'ETH-SEPOLIA' });
const app = { db, userPayments, mode: 'sandbox' as const };
const api = createApi({
  name: 'backend',
  document: JSON.parse(readFileSync(new URL('../../openapi/backend.json', import.meta.url), 'utf8')),
  operations: {
    send_usdc: sendUsdcOperation(app),
    latest_transactions_by_username: latestTransactionsOperation(app),
  },
  partial: true,
  items: 'brief',
  authorize: (call) => authorize(app, call),
  observe: createMetrics().observeRequest,
  logger: false,
});
process.send?.(await api.listen({ host: '127.0.0.1', port: Number(port) }));
// A parent that was killed must not leave us behind.
process.on('disconnect', () => process.exit(0));
