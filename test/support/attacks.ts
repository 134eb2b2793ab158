/** A server in production mode with people, and what attacks on it need. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import type { Db } from '../../server/src/db/database.ts';
import type { TestChain } from './chain/chain.ts';
import type { Recorder } from './database/recordStatements.ts';
import type { Answer } from './http/answer.ts';
import { recordDeposit } from './ledger/recordDeposit.ts';
import type { Production } from './production.ts';
import type { TestServer } from './server.ts';

export interface World {
  /** Separate processes among doubles that look like production, with a chain. */
  readonly florin: Production;
  /** Production mode in this process, with TLS of its own. */
  readonly tls: TestServer & { readonly authority: string };
  readonly sandbox: TestServer;
  readonly db: Db;
  /** Every statement that the processes of `florin` send. */
  readonly recorder: Recorder;
  readonly chain: TestChain;
  readonly mallory: Person;
  readonly victim: Person;
  /** A service key that may read and send. */
  readonly service: { readonly authorization: string };
  /** Requests that were started with the world and never finished. */
  readonly slow: { readonly head: Promise<string>; readonly body: Promise<string>; readonly overTls: Promise<string> };
}

export interface Attack {
  readonly attack: string;
  readonly wanted: string;
  /** The result, to be compared with `wanted`. */
  probe(world: World): Promise<string>;
}

interface Person {
  readonly userId: string;
  readonly name: string;
  readonly address: `0x${string}`;
  readonly bearer: { readonly authorization: string };
}

export async function join(florin: Production, name: string): Promise<Person> {
  const logIn = async () => {
    const claims = { sub: name, jti: randomUUID(), email: `${name}@example.com`, email_verified: true };
    return florin.call('POST', '/api/v1/login', { id_token: await florin.issuer.sign(claims) });
  };
  const { body } = await logIn();
  // On a busy machine the signer may need longer than a login waits for it.
  while (body.wallet.address === null) body.wallet = (await logIn()).body.wallet;
  const bearer = { authorization: `Bearer ${body.access_token}` };
  await florin.call('POST', '/api/v1/set_username', { user_id: body.user.user_id, username: name }, bearer);
  return { userId: body.user.user_id, name, address: body.wallet.address, bearer };
}

/** Gives a person coins, which arrive on the chain. */
export async function fund({ chain, db }: Pick<World, 'chain' | 'db'>, person: Person, amount = '100'): Promise<void> {
  const before = await availableOf(db, person);
  await chain.mint(person.address, amount);
  await chain.mineUntil(async () => expect(await availableOf(db, person)).toBe(before + parseUsdc(amount)));
}

/** For a server without a chain: credits what a worker would have credited. */
export const credit = (db: Db, userId: string, amount = '100') =>
  db.tx((tx) =>
    recordDeposit(tx, {
      depositId: randomUUID(),
      userId,
      blockchain: 'ETH-SEPOLIA',
      amount: parseUsdc(amount),
      fromAddress: `0x${'f'.repeat(40)}`,
    }),
  );

export async function availableOf(db: Db, { userId }: Pick<Person, 'userId'>): Promise<bigint> {
  const [row] = await db.query<{ available: bigint }>('SELECT available FROM accounts WHERE user_id = $1', [userId]);
  return row?.available ?? 0n;
}

/** All balances and transfers as text, to be compared before and after. */
export const books = async (db: Db): Promise<string> =>
  JSON.stringify(
    await db.query('SELECT account_id::text, available::text, held::text FROM accounts ORDER BY account_id'),
  );

export const key = () => ({ 'idempotency-key': randomUUID() });

export const send = ({ florin }: World, from: Person, body: unknown, headers: Record<string, string> = key()) =>
  florin.call('POST', '/api/v1/send_usdc', body, { ...from.bearer, ...headers });

export const payment = ({ victim }: World, from: Person, amount: unknown = 1) => ({
  sender_user_id: from.userId,
  receiver_username: victim.name,
  amount,
});

export const logIn = async ({ florin }: World, idToken: string): Promise<string> => {
  const { status, body } = await florin.call('POST', '/api/v1/login', { id_token: idToken });
  return status === 401 ? `401 ${body.reason}` : String(status);
};

/** The number of different answers, apart from fields that always differ. */
export const distinct = (answers: readonly Answer[]): number =>
  new Set(answers.map(({ status, body }) => JSON.stringify([status, { ...body, request_id: '' }]))).size;

/** Statuses and codes, in order. */
export const codes = (answers: readonly { status: number; body: { code?: string } }[]) =>
  answers.map(({ status, body }) => (body?.code ? `${status} ${body.code}` : String(status))).join(', ');

export const count = (answers: readonly { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;
