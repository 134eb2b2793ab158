/**
 * One of several processes that concurrently pay, hold, post and release on the same few accounts; reports the
 * outcomes.
 */
import { randomUUID } from 'node:crypto';
import type { Usdc } from '../../server/src/core/money.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { openUserPayments } from '../../server/src/payments/users/openUserPayments.ts';
import { sendToUser } from '../../server/src/payments/users/sendToUser.ts';
import { hold, postHold, releaseHold } from './ledger/moveMoney.ts';
import type { Person } from './payments.ts';
import { HOME } from './values.ts';

export interface WorkerTask {
  readonly databaseUrl: string;
  readonly people: readonly (Omit<Person, 'accountId'> & { readonly accountId: string })[];
  readonly chain: string;
  /** Shared by all processes, so that several use the same key. */
  readonly sharedKeys: readonly string[];
  readonly commands: number;
}

export interface WorkerReport {
  readonly paid: readonly string[];
  readonly refused: number;
  readonly holds: readonly string[];
  readonly faults: readonly string[];
}

const random = (count: number): number => Math.floor(Math.random() * count);

async function work({ databaseUrl, people, chain, sharedKeys, commands }: WorkerTask): Promise<WorkerReport> {
  const db = openDatabase(databaseUrl, { maxConnections: 4, connectTimeoutMs: 120_000 });
  const userPayments = openUserPayments({ databaseUrl, db, homeBlockchain: HOME, currency: 'USDC', concurrency: 2 });
  const [paid, holds, faults]: [string[], string[], string[]] = [[], [], []];
  let refused = 0;

  async function pay(): Promise<void> {
    const shared = random(4) === 0;
    const text = shared ? sharedKeys[random(sharedKeys.length)]! : randomUUID();
    // All requests with the same shared key are equal.
    const [from, to, amount] = shared
      ? [0, 1, 1]
      : [random(people.length), random(people.length), 1 + random(4_000_000)];
    const senderId = people[from]!.userId;
    const { result } = await sendToUser(
      { userPayments },
      {
        senderId,
        receiver: people[to]!.username,
        amount: BigInt(amount) as Usdc,
        key: { caller: senderId, route: 'worker', text },
      },
    );
    if ('refusal' in result) refused++;
    else paid.push(result.payment.paymentId);
  }

  async function holdAndEnd(): Promise<void> {
    const accounts = { debitAccount: BigInt(people[random(people.length)]!.accountId), creditAccount: BigInt(chain) };
    const amount = BigInt(2 + random(2_000_000)) as Usdc;
    const holdId = randomUUID();
    try {
      await db.tx((tx) => hold(tx, { transferId: holdId, ...accounts, amount }));
    } catch {
      refused++;
      return;
    }
    holds.push(holdId);
    const part = (amount / 2n) as Usdc;
    const ends = await Promise.all([
      db.tx((tx) => releaseHold(tx, { transferId: randomUUID(), holdId, ...accounts, amount })),
      db.tx((tx) => postHold(tx, { transferId: randomUUID(), holdId, ...accounts, amount: part })),
      db.tx((tx) => postHold(tx, { transferId: randomUUID(), holdId, ...accounts, amount })),
    ]);
    if (ends.filter((end) => end === 'applied').length !== 1) faults.push(`hold ${holdId} ended as ${ends}`);
  }

  let left = commands;
  const caller = async () => {
    while (left-- > 0) await (random(8) === 0 ? holdAndEnd() : pay());
  };
  await Promise.all(Array.from({ length: 16 }, caller));
  await userPayments.close();
  await db.close();
  return { paid, refused, holds, faults };
}

process.once('message', (task: WorkerTask) => {
  work(task).then(
    (report) => process.send!(report, () => process.disconnect()),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
