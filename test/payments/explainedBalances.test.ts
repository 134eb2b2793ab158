/**
 * Property (b), M21 and M27: while many write to two and three accounts of a person, every reader sees every row once.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase, type Tx } from '../../server/src/db/database.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { advancePayments } from '../../server/src/payments/state.ts';
import { hold, postHold, releaseHold, transfer } from '../support/ledger/moveMoney.ts';
import { openUserAccount } from '../support/ledger/openUserAccount.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { explainBalances } from '../support/properties/explainBalances.ts';
import { readRows } from '../support/properties/readRows.ts';
import { openRandom } from '../support/prove/random.ts';
import { HOME } from '../support/values.ts';

/** One person's account in one asset, and those of the service. */
interface Account {
  readonly own: bigint;
  readonly chain: bigint;
  readonly loss: bigint;
}

const SEED = 28_021;
const WRITERS = 4;
const STEPS = 6;
const random = openRandom(SEED);

let florin: PaymentsServer;
/** Two connections for each writer. */
let writers: Db;
let people: Person[];
const accounts = new Map<Person, Account[]>();
/** What is committed, by person. */
const committed = new Map<Person, Set<string>>();

beforeAll(async () => {
  florin = await startPayments();
  writers = openDatabase(florin.adminUrl, { maxConnections: 2 * WRITERS });
  people = await Promise.all(['alice', 'bob'].map((name) => createPerson(florin.db, name)));
  for (const [nth, person] of people.entries()) {
    const blockchains = [HOME, 'ARC-TESTNET', 'BASE-SEPOLIA'].slice(0, 3 - nth);
    const own = await Promise.all(blockchains.map((blockchain) => openAccount(person, blockchain)));
    accounts.set(person, own);
    committed.set(person, new Set());
    for (const account of own) await commit(person, (tx, id) => move(tx, id, account.chain, account.own, 1_000n));
  }
});
afterAll(async () => {
  await writers.close();
  await florin.stop();
});

async function openAccount({ userId }: Person, blockchain: string): Promise<Account> {
  const assetId = await openAsset(florin.db, blockchain, 'USDC');
  const [own, chain, loss] = [
    await openUserAccount(florin.db, assetId, userId),
    await openHouseAccount(florin.db, assetId, 'chain'),
    await openHouseAccount(florin.db, assetId, 'loss'),
  ];
  return { own, chain, loss };
}

const usdc = (whole: bigint): Usdc => (whole * 1_000_000n) as Usdc;
const ends = (id: string, { own, chain }: Account, amount: Usdc) => ({
  transferId: randomUUID(),
  holdId: id,
  debitAccount: own,
  creditAccount: chain,
  amount,
});

/** Its feed position comes before its entry: often another transaction of the same person comes in between. */
async function commit(
  owner: Person,
  work: (tx: Tx, id: string) => Promise<unknown>,
  isOvertaken = true,
): Promise<void> {
  const id = randomUUID();
  await writers.tx(async (tx) => {
    await tx.query('SELECT pg_current_xact_id()');
    if (isOvertaken && random.chance(0.5)) await depositTo(owner, false);
    await work(tx, id);
  });
  committed.get(owner)!.add(id);
}

function depositTo(person: Person, isOvertaken: boolean): Promise<void> {
  const { own, chain } = random.pick(accounts.get(person)!);
  return commit(person, (tx, id) => move(tx, id, chain, own, 1n + BigInt(random.int(9))), isOvertaken);
}

const move = (tx: Tx, transferId: string, debitAccount: bigint, creditAccount: bigint, whole: bigint) =>
  transfer(tx, 'deposit', { transferId, debitAccount, creditAccount, amount: usdc(whole) });

/** What the service books without a payment; `debtOf` as `ledger_cover_debt` writes it. */
const book = (tx: Tx, transferId: string, debitAccount: bigint, creditAccount: bigint, debtOf?: string) => {
  const movement = { transferId, debitAccount, creditAccount, amount: usdc(2n) };
  return transfer(tx, 'internal', { ...movement, ...(debtOf && { fromAddress: debtOf }) });
};

async function send(tx: Tx, id: string, account: Account, end: 'open' | 'COMPLETE' | 'FAILED'): Promise<void> {
  const amount = usdc(3n);
  await hold(tx, { transferId: id, debitAccount: account.own, creditAccount: account.chain, amount });
  const destination = `0x${'a'.repeat(40)}`;
  await tx.query(`INSERT INTO payments (payment_id, state, destination) VALUES ($1, 'INITIATED', $2)`, [
    id,
    destination,
  ]);
  if (end === 'open') return;
  await advancePayments(tx, [{ paymentId: id, state: 'QUEUED' }]);
  await (end === 'FAILED' ? releaseHold : postHold)(tx, ends(id, account, amount));
  await advancePayments(tx, [{ paymentId: id, state: end, ...(end === 'FAILED' && { errorReason: 'a test' }) }]);
}

async function pay([from, to]: readonly [Person, Person]): Promise<void> {
  const { body } = await florin.send({ sender_user_id: from.userId, receiver_username: to.username, amount: 1 });
  for (const person of [from, to]) committed.get(person)!.add(body.transaction_id);
}

/** Every movement that can touch an account of a person. */
function step(): Promise<void> {
  const [person, other] = random.shuffle(people) as [Person, Person];
  const account = random.pick(accounts.get(person)!);
  const { own, loss } = account;
  return random.pick([
    () => pay([person, other]),
    () => depositTo(person, true),
    () => commit(person, (tx, id) => book(tx, id, loss, own)),
    () => commit(person, (tx, id) => book(tx, id, own, loss)),
    () => commit(person, (tx, id) => book(tx, id, loss, own, randomUUID())),
    () => commit(person, (tx, id) => book(tx, id, own, loss, randomUUID())),
    ...(['open', 'COMPLETE', 'FAILED'] as const).map(
      (end) => () => commit(person, (tx, id) => send(tx, id, account, end)),
    ),
  ])();
}

/** Reads the whole history page by page, and compares it with what was committed before. */
async function readWhileOthersWrite(person: Person, limit: number): Promise<void> {
  const before = [...committed.get(person)!];
  const shown = (await readRows(florin.db, person.userId, limit)).map((row) => row.transaction_id);
  expect(new Set(shown).size, 'no row twice').toBe(shown.length);
  expect(
    before.filter((id) => !shown.includes(id)),
    'no row missing',
  ).toEqual([]);
}

it(`M21, M27: explains every balance (seed ${SEED})`, async () => {
  let writing = WRITERS;
  const write = async () => {
    for (let n = 0; n < STEPS; n++) await step();
    writing--;
  };
  const read = async (person: Person) => {
    while (writing > 0) await readWhileOthersWrite(person, 1 + random.int(3));
  };
  await Promise.all([...Array.from({ length: WRITERS }, write), ...people.map(read)]);
  for (const person of people) await readWhileOthersWrite(person, 1);
  expect(await explainBalances(florin, { seed: SEED, ask: florin.get })).toEqual([]);
});
