/**
 * The Backend API as a separate process, for `bench/history.ts` and the crash story: the contract layer, authorization
 * and metrics as in `startServer`, on a database that is already migrated. Sends its parent the address.
 *
 * `checks`: `none` is the sandbox, without credentials; `session` checks the session of every access token; `all`,
 * which is production, also counts every call against the rate limits.
 */
import { readFileSync } from 'node:fs';
import { openServiceCallers } from '../../server/src/customers/keys/serviceKeys.ts';
import { createRateLimits } from '../../server/src/customers/limits/createRateLimits.ts';
import { openCallers } from '../../server/src/customers/sessions/openCallers.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { openDedicatedConnection } from '../../server/src/db/openDedicatedConnection.ts';
import { readOn } from '../../server/src/db/standbys/openReads.ts';
import { authorize } from '../../server/src/http/backend/authorize.ts';
import { latestTransactionsOperation } from '../../server/src/http/backend/latestTransactions.ts';
import { sendUsdcOperation } from '../../server/src/http/backend/sendUsdc.ts';
import { createCallLimits } from '../../server/src/http/calls/createCallLimits.ts';
import { createApi } from '../../server/src/http/contract/createApi.ts';
import type { IncomingCall } from '../../server/src/http/contract/operation.ts';
import { createMetrics } from '../../server/src/http/ops/metrics.ts';
import { openHistory } from '../../server/src/payments/read/openHistory.ts';
import { openUserPayments } from '../../server/src/payments/users/openUserPayments.ts';

const [, , databaseUrl = '', port = '0', checks = 'none'] = process.argv;
const db = openDatabase(databaseUrl);
const callers = openCallers(databaseUrl);
const { sessions } = callers;
const userPayments = openUserPayments({ databaseUrl, db, homeBlockchain: 'ETH-SEPOLIA', currency: 'USDC', sessions });
const mode = checks === 'none' ? ('sandbox' as const) : ('production' as const);
const serviceCallers = openServiceCallers(db);
const history = openHistory({ databaseUrl, db });

const PLENTY = 10_000_000;
// Limits per person as in production, but none per address: here all people share one.
const quotas = {
  address: PLENTY,
  login: PLENTY,
  user: 300,
  key: PLENTY,
  kyc: PLENTY,
  name: 30,
  preview: PLENTY,
  ask: PLENTY,
  export: PLENTY,
};
const rateConnection = openDedicatedConnection(databaseUrl, { applicationName: 'florin-limits' });
const limits = createCallLimits(createRateLimits(rateConnection), quotas);
const { names } = limits;
const app = { db, read: readOn(db), userPayments, mode, callers, serviceCallers, history, names };
const findCaller = (call: IncomingCall) => authorize(app, call);

const api = createApi({
  name: 'backend',
  document: JSON.parse(readFileSync(new URL('../../openapi/backend.json', import.meta.url), 'utf8')),
  operations: {
    send_usdc: sendUsdcOperation(app),
    latest_transactions_by_username: latestTransactionsOperation(app),
  },
  partial: true,
  items: 'brief',
  ...(checks === 'all' && { admit: limits.admit }),
  authorize: checks === 'all' ? limits.around(findCaller) : async (call) => findCaller(call),
  observe: createMetrics().observeRequest,
  logger: false,
});
process.send?.(await api.listen({ host: '127.0.0.1', port: Number(port) }));
// Ends with the parent, even if the parent is killed.
process.on('disconnect', () => process.exit(0));
