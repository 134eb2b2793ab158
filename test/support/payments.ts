/** People with money, and the payment operations of both APIs on real sockets, in this process. */
import { randomUUID } from 'node:crypto';
import { parseUsdc } from '../../server/src/core/money.ts';
import { openCallers } from '../../server/src/customers/sessions/openCallers.ts';
import type { Db, Queryable } from '../../server/src/db/database.ts';
import { readOn } from '../../server/src/db/standbys/openReads.ts';
import { latestTransactionsOperation } from '../../server/src/http/backend/latestTransactions.ts';
import { readLimitsOperation } from '../../server/src/http/backend/limits.ts';
import { sendUsdcOperation } from '../../server/src/http/backend/sendUsdc.ts';
import { getTransactionOperation } from '../../server/src/http/web3/getTransaction.ts';
import { openAsset } from '../../server/src/ledger/accounts.ts';
import { openHistory } from '../../server/src/payments/read/openHistory.ts';
import { openUserPayments, type UserPayments } from '../../server/src/payments/users/openUserPayments.ts';
import { insertUser } from './database/insertUser.ts';
import { openTestDatabase } from './database/openTestDatabase.ts';
import { type Answer, readAnswer } from './http/answer.ts';
import { fetchChecked } from './http/fetchChecked.ts';
import { serveOperations } from './http/serveOperations.ts';
import { unlimitedNames } from './http/unlimitedNames.ts';
import { openUserAccount } from './ledger/openUserAccount.ts';
import { recordDeposit } from './ledger/recordDeposit.ts';
import { HOME } from './values.ts';

export interface Person {
  readonly userId: string;
  readonly username: string;
  readonly accountId: bigint;
}

/** A person with a name and a deposit of `amount` USDC. */
export async function createPerson(db: Db, username: string, amount = '0'): Promise<Person> {
  const userId = await insertUser(db, username);
  const assetId = await openAsset(db, HOME, 'USDC');
  const accountId = await openUserAccount(db, assetId, userId);
  const deposit = { depositId: randomUUID(), userId, blockchain: HOME, amount: parseUsdc(amount) };
  if (amount !== '0') await db.tx((tx) => recordDeposit(tx, { ...deposit, fromAddress: `0x${'f'.repeat(40)}` }));
  return { userId, username, accountId };
}

export interface PaymentsServer {
  readonly db: Db;
  /** A connection with all rights, for what no process of ours may do. */
  readonly admin: Db;
  readonly databaseUrl: string;
  readonly adminUrl: string;
  readonly backendUrl: string;
  readonly web3Url: string;
  readonly userPayments: UserPayments;
  send(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  stop(): Promise<void>;
}

export async function startPayments(
  options: { reach?: (url: string) => Promise<string>; maxQueue?: number; giveUpAfterMs?: number } = {},
): Promise<PaymentsServer> {
  const database = await openTestDatabase();
  const { db, admin } = database;
  const { reach, ...rest } = options;
  const databaseUrl = reach ? await reach(database.url) : database.url;
  const userPayments = openUserPayments({ databaseUrl, db, homeBlockchain: HOME, currency: 'USDC', ...rest });
  const callers = openCallers(databaseUrl);
  const history = openHistory({ databaseUrl, db, sessions: callers.sessions });
  const app = { db, read: readOn(db), callers, userPayments, history, names: unlimitedNames };
  const backend = await serveOperations('backend', {
    send_usdc: sendUsdcOperation(app),
    latest_transactions_by_username: latestTransactionsOperation(app),
    read_limits: readLimitsOperation(app),
  });
  const web3 = await serveOperations('web3', {
    get_transaction_circle_transaction__transaction_id__get: getTransactionOperation(app),
  });
  const call = async (path: string, init: RequestInit): Promise<Answer> =>
    readAnswer(await fetchChecked((path.startsWith('/api/') ? backend : web3).url + path, init));

  return {
    db,
    admin,
    databaseUrl: database.url,
    adminUrl: database.adminUrl,
    backendUrl: backend.url,
    web3Url: web3.url,
    userPayments,
    send: (body, headers = {}) =>
      call('/api/v1/send_usdc', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (path, headers = {}) => call(path, { headers }),
    async stop() {
      await Promise.all([backend.close(), web3.close()]);
      await Promise.all([userPayments.close(), history.close(), callers.close()]);
      await database.remove();
    },
  };
}

/** Returns the available and held balance of each person. */
export const readBalances = (db: Queryable, people: readonly Person[]): Promise<[bigint, bigint][]> =>
  Promise.all(
    people.map(async ({ accountId }) => {
      const [row] = await db.query<{ available: bigint; held: bigint }>(
        'SELECT available, held FROM accounts WHERE account_id = $1',
        [accountId],
      );
      return [row!.available, row!.held];
    }),
  );
