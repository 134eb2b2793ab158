/** People who pay each other, a treasury with money, and operators who refund payments. */
import { randomUUID } from 'node:crypto';
import { parseUsdc, type Usdc } from '../../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../../server/src/db/database.ts';
import { openAsset, openHouseAccount } from '../../../server/src/ledger/accounts.ts';
import { checkBooks } from '../../../server/src/ledger/checkBooks.ts';
import { sendToUser } from '../../../server/src/payments/users/sendToUser.ts';
import { urlAs } from '../database.ts';
import { nameOperators } from '../operators.ts';
import { createPerson, type PaymentsServer, type Person, readBalances, startPayments } from '../payments.ts';
import { HOME } from '../values.ts';
import { transfer } from './moveMoney.ts';

const TREASURY = 10_000_000_000n as Usdc;
const NAMES = ['anna', 'rita', 'rolf', 'sven', 'mallory'] as const;

export interface RefundsWorld {
  readonly florin: PaymentsServer;
  /** `mallory` is not an operator. */
  readonly operators: Readonly<Record<(typeof NAMES)[number], Db>>;
  readonly treasury: bigint;
  /** Two people, of whom the first has this amount. */
  meet(amount?: string): Promise<[Person, Person]>;
  pay(from: Person, to: Person, amount: string): Promise<string>;
  available(...some: Person[]): Promise<bigint[]>;
  faults(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** `amount` undefined: all that is left. */
export const want = (paymentId: string, amount: string | undefined, reason = 'a test') => ({
  paymentId,
  amount: amount === undefined ? undefined : parseUsdc(amount),
  reason,
});

export async function openRefunds(): Promise<RefundsWorld> {
  const florin = await startPayments();
  const { db, databaseUrl } = florin;
  await nameOperators(databaseUrl, { anna: 'admin', rita: 'risk', rolf: 'risk', sven: 'support' });
  const operators = Object.fromEntries(
    NAMES.map((name) => [name, openDatabase(urlAs(databaseUrl, name), { maxConnections: 4 })]),
  ) as RefundsWorld['operators'];
  const assetId = await openAsset(db, HOME, 'USDC');
  const chain = await openHouseAccount(db, assetId, 'chain');
  const treasury = await openHouseAccount(db, assetId, 'treasury');
  const first = { transferId: randomUUID(), debitAccount: chain, creditAccount: treasury, amount: TREASURY };
  await db.tx((tx) => transfer(tx, 'deposit', first));
  let people = 0;
  return {
    florin,
    operators,
    treasury,
    async meet(amount = '100') {
      const nth = people++;
      return [await createPerson(db, `payer_${nth}`, amount), await createPerson(db, `payee_${nth}`)];
    },
    async pay(from, to, amount) {
      const request = { senderId: from.userId, receiver: to.username, amount: parseUsdc(amount) };
      const { result } = await sendToUser(florin, request);
      if ('refusal' in result) throw result.refusal;
      return result.payment.paymentId;
    },
    available: async (...some) => (await readBalances(db, some)).map(([free]) => free),
    faults: async () => (await checkBooks(db)).faults,
    async stop() {
      await Promise.all(Object.values(operators).map((one) => one.close()));
      await florin.stop();
    },
  };
}
