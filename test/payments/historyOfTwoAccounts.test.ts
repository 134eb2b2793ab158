/** M21: with accounts on two blockchains, every committed payment is on exactly one page, whatever the page size. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import type { Tx } from '../../server/src/db/database.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { transfer } from '../support/ledger/moveMoney.ts';
import { openUserAccount } from '../support/ledger/openUserAccount.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { explainBalances } from '../support/properties/explainBalances.ts';
import { HOME } from '../support/values.ts';

let florin: PaymentsServer;
let alice: Person;
/** Alice's accounts and the `chain` account of the same asset. */
let home: readonly [bigint, bigint];
let other: readonly [bigint, bigint];

beforeAll(async () => {
  florin = await startPayments();
  alice = await createPerson(florin.db, 'alice');
  const open = async (blockchain: string) => {
    const assetId = await openAsset(florin.db, blockchain, 'USDC');
    const account = await openUserAccount(florin.db, assetId, alice.userId);
    return [await openHouseAccount(florin.db, assetId, 'chain'), account] as const;
  };
  home = await open(HOME);
  other = await open('ARC-TESTNET');
});
afterAll(() => florin.stop());

async function deposit(tx: Tx, [debitAccount, creditAccount]: readonly [bigint, bigint], usdc: number) {
  const amount = (BigInt(usdc) * 1_000_000n) as Usdc;
  await transfer(tx, 'deposit', { transferId: randomUUID(), debitAccount, creditAccount, amount });
}

/** The amounts on all pages, read through HTTP; `query` chooses between the two read paths of the server. */
async function readJson(limit: number, query: string): Promise<string[]> {
  const amounts: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await florin.get(`/api/v1/latest_transactions_by_username/alice?limit=${limit}${query}${cursor}`);
    for (const { amount } of body.transactions) amounts.push(amount);
    if (body.next_cursor === null) return amounts;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

async function readCsv(limit: number): Promise<string[]> {
  const amounts: string[] = [];
  let path = `/api/v1/latest_transactions_by_username/alice?limit=${limit}`;
  for (;;) {
    const { body, headers } = await florin.get(path, { accept: 'text/csv' });
    const [, ...lines] = String(body).trim().split('\r\n');
    for (const line of lines) amounts.push(line.split(',')[5]!);
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    if (!next) return amounts;
    path = next;
  }
}

it('M21: feed positions in the reverse order of an account’s entries', async () => {
  await florin.db.tx((tx) => deposit(tx, home, 1000));
  await florin.db.tx(async (tx) => {
    // The deposit of 5 gets its position here, and its entry after that of 3.
    await tx.query('SELECT pg_current_xact_id()');
    await florin.db.tx((earlier) => deposit(earlier, other, 7));
    await florin.db.tx((earlier) => deposit(earlier, home, 3));
    await deposit(tx, home, 5);
  });
  const wanted = ['1000', '3', '5', '7'];
  for (const limit of [1, 2, 3, 4, 50]) {
    for (const query of ['', '&min_amount=0'])
      expect((await readJson(limit, query)).sort(), `${limit}${query}`).toEqual(wanted);
    expect((await readCsv(limit)).sort(), `CSV ${limit}`).toEqual(wanted);
  }
  expect(await explainBalances(florin, { ask: florin.get })).toEqual([]);
});
