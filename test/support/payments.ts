/** People with money, and the payment operations of both APIs on real sockets, in this process. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseUsdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { latestTransactionsOperation } from '../../server/src/http/backend/latestTransactions.ts';
import { readLimitsOperation } from '../../server/src/http/backend/limits.ts';
import { sendUsdcOperation } from '../../server/src/http/backend/sendUsdc.ts';
import { createApi } from '../../server/src/http/contract/createApi.ts';
import type { OpenApiDocument } from '../../server/src/http/contract/openapi.ts';
import { getTransactionOperation } from '../../server/src/http/web3/getTransaction.ts';
import { openAsset, openUserAccount } from '../../server/src/ledger/accounts.ts';
import { recordDeposit } from '../../server/src/payments/recordDeposit.ts';
import { openUserPayments, type UserPayments } from '../../server/src/payments/users/openUserPayments.ts';
import { createTestDatabase } from './postgres/database.ts';

export const HOME = 'ETH-SEPOLIA';

export interface Person {
  readonly userId: string;
  readonly username: string;
  readonly accountId: bigint;
}

/** A person with a name and `amount` USDC, deposited like any other coin. */
export async function createPerson(db: Db, username: string, amount = '0'): Promise<Person> {
  const userId = randomUUID();
  await db.query(`INSERT INTO users (user_id, issuer, subject) VALUES ($1, 'test', $2)`, [userId, username]);
  await db.query('INSERT INTO username_skeletons (skeleton, user_id) VALUES (username_skeleton($2), $1)', [
    userId,
    username,
  ]);
  await db.query('INSERT INTO usernames (username, user_id, claimed_at) VALUES ($2, $1, now())', [userId, username]);
  const assetId = await openAsset(db, HOME);
  const accountId = await openUserAccount(db, assetId, userId);
  const deposit = { depositId: randomUUID(), userId, blockchain: HOME, amount: parseUsdc(amount) };
  if (amount !== '0') await db.tx((tx) => recordDeposit(tx, { ...deposit, fromAddress: `0x${'f'.repeat(40)}` }));
  return { userId, username, accountId };
}

export interface PaymentsServer {
  readonly db: Db;
  /** For what no process of ours may do. */
  readonly admin: Db;
  readonly databaseUrl: string;
  readonly backendUrl: string;
  readonly web3Url: string;
  readonly userPayments: UserPayments;
  send(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers the way a client without types does
  readonly body: any;
}

const readDocument = (name: string): OpenApiDocument =>
  JSON.parse(readFileSync(new URL(`../../openapi/${name}.json`, import.meta.url), 'utf8'));

export async function startPayments(
  options: { reach?: (url: string) => Promise<string>; maxQueue?: number; giveUpAfterMs?: number } = {},
): Promise<PaymentsServer> {
  const database = await createTestDatabase();
  const db = openDatabase(database.url);
  const admin = openDatabase(database.adminUrl, { maxConnections: 2 });
  const { reach, ...rest } = options;
  const databaseUrl = reach ? await reach(database.url) : database.url;
  const userPayments = openUserPayments({ databaseUrl, db, homeBlockchain: HOME, ...rest });
  const app = { db, userPayments };
  const backend = createApi({
    name: 'backend',
    document: readDocument('backend'),
    operations: {
      send_usdc: sendUsdcOperation(app),
      latest_transactions_by_username: latestTransactionsOperation(app),
      read_limits: readLimitsOperation(app),
    },
    partial: true,
    items: 'brief',
    // Tests name their caller in a header; without it the call is bare, as in the sandbox.
    authorize: async ({ headers }) => (headers['x-test-user'] ? { userId: headers['x-test-user'] } : undefined),
    logger: false,
  });
  const web3 = createApi({
    name: 'web3',
    document: readDocument('web3'),
    operations: { get_transaction_circle_transaction__transaction_id__get: getTransactionOperation(app) },
    partial: true,
    items: 'full',
    logger: false,
  });
  const backendUrl = await backend.listen({ host: '127.0.0.1', port: 0 });
  const web3Url = await web3.listen({ host: '127.0.0.1', port: 0 });

  async function call(path: string, init: RequestInit): Promise<Answer> {
    const answer = await fetch((path.startsWith('/api/') ? backendUrl : web3Url) + path, init);
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json');
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  }

  return {
    db,
    admin,
    databaseUrl: database.url,
    backendUrl,
    web3Url,
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
      await userPayments.close();
      await Promise.all([db.close(), admin.close()]);
      await database.drop();
    },
  };
}
