/** An account's history is read from row to row, without an index that every payment would have to write. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { finishUpgrade } from '../../server/src/db/finishUpgrade.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { hold, releaseHold, transfer } from '../support/ledger/moveMoney.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

let florin: PaymentsServer;
let people: Person[];
let chain: bigint;
beforeAll(async () => {
  florin = await startPayments();
  chain = await openHouseAccount(florin.db, await openAsset(florin.db, HOME, 'USDC'), 'chain');
  people = await Promise.all(['ann', 'ben', 'cleo'].map((name) => createPerson(florin.db, `${name}_entries`, '100')));
});
afterAll(() => florin.stop());

const AMOUNT = 1_000n as Usdc;
const pay = (from: Person, to: Person, amount = 0.001) =>
  florin.send({ sender_user_id: from.userId, receiver_username: to.username, amount });

/** Rounds of payments in batches, some of them refused, with deposits, holds and releases between. */
async function live(rounds: number): Promise<void> {
  const [a, b, c] = people as [Person, Person, Person];
  for (let round = 0; round < rounds; round++) {
    await Promise.all([pay(a, b), pay(b, c), pay(c, a, 1_000), pay(a, c), pay(c, b), pay(a, b)]);
    await florin.admin.tx(async (tx) => {
      const deposit = () => ({
        transferId: randomUUID(),
        debitAccount: chain,
        creditAccount: b.accountId,
        amount: AMOUNT,
      });
      if (round % 3 === 0) {
        await transfer(tx, 'deposit', deposit());
        await transfer(tx, 'deposit', deposit());
      }
      if (round % 4 !== 0) return;
      const held = { transferId: randomUUID(), debitAccount: a.accountId, creditAccount: chain, amount: AMOUNT };
      await hold(tx, held);
      if (round % 8 === 0) await releaseHold(tx, { ...held, transferId: randomUUID(), holdId: held.transferId });
    });
  }
}

/** Reads every account from every position, and compares with all its rows, sorted by number. */
async function readFromEverywhere(): Promise<void> {
  const wrong = await florin.db.query(
    `WITH legs AS (
       SELECT debit_account AS account_id, debit_entry AS entry, seq, debit_available AS after FROM transfers
       UNION ALL
       SELECT credit_account, credit_entry, seq, credit_available FROM transfers WHERE credit_entry IS NOT NULL
     ), asked AS (
       SELECT account_id, top, bottom FROM accounts, generate_series(1, entries + 1) AS top,
              LATERAL (VALUES (1), (greatest(1, top - 40))) AS b(bottom)
        WHERE kind = 'user'
     )
     SELECT * FROM asked
      WHERE (SELECT array_agg(ROW(e.entry, (e.transfer).seq, e.available_after))
               FROM ledger_entries(account_id, top, bottom) e)
            IS DISTINCT FROM
            (SELECT array_agg(ROW(l.entry, l.seq, l.after) ORDER BY l.entry DESC) FROM legs l
              WHERE l.account_id = asked.account_id AND l.entry < asked.top AND l.entry >= asked.bottom)`,
  );
  expect(wrong).toEqual([]);
}

const readIndexes = async () =>
  (await florin.admin.query<{ name: string }>(`SELECT indexname AS name FROM pg_indexes WHERE tablename = 'transfers'`))
    .map(({ name }) => name)
    .sort();
const SMALL = ['transfers_credit_posts', 'transfers_debit_posts'];
const WHOLE = ['transfers_by_credit', 'transfers_by_debit'];

describe('the rows of an account', () => {
  it('can be read from any position, whatever wrote them, and payments are in no index by account', async () => {
    await live(20);
    await readFromEverywhere();
    expect(await checkBooks(florin.db)).toMatchObject({ faults: [] });
    expect(await readIndexes()).toEqual(
      ['transfers_by_seq', ...SMALL, 'transfers_hold_ended', 'transfers_pkey'].sort(),
    );
    const [count] = await florin.db.query<{ payments: number; indexed: number }>(
      `SELECT count(*)::int AS payments, count(*) FILTER (WHERE debit_prev IS NULL)::int AS indexed
         FROM transfers WHERE kind = 'user'`,
    );
    expect(count!.payments).toBe(100);
    // Only where another operation wrote in between.
    expect(count!.indexed).toBeLessThan(20);
  });

  it('can be read in a database of the previous release, before and after its indexes are replaced', async () => {
    // As the previous release left it: the rows have no links, and the indexes are complete.
    for (const side of ['debit', 'credit']) {
      await florin.admin.query(
        `CREATE UNIQUE INDEX transfers_by_${side} ON transfers (${side}_account, ${side}_entry)`,
      );
      await florin.admin.query(`DROP INDEX transfers_${side}_posts`);
    }
    await florin.admin.query('ALTER TABLE transfers DISABLE TRIGGER transfers_append_only');
    await florin.admin.query('UPDATE transfers SET debit_prev = NULL, credit_prev = NULL');
    await florin.admin.query('ALTER TABLE transfers ENABLE TRIGGER transfers_append_only');
    await florin.admin.query('UPDATE accounts SET last_seq = NULL, last_entry = NULL');
    await live(3);
    await readFromEverywhere();

    // An interrupted attempt leaves an invalid index.
    await florin.admin.query('CREATE UNIQUE INDEX transfers_debit_posts ON transfers (debit_account, debit_entry)');
    await florin.admin.query(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'transfers_debit_posts'::regclass`,
    );
    let isFinished = false;
    const finishing = finishUpgrade(florin.adminUrl).finally(() => {
      isFinished = true;
    });
    while (!isFinished) await live(1);
    await finishing;
    await finishUpgrade(florin.adminUrl);
    const indexes = await readIndexes();
    expect(indexes).toEqual(expect.arrayContaining(SMALL));
    for (const name of WHOLE) expect(indexes).not.toContain(name);
    await live(3);
    await readFromEverywhere();
    expect(await checkBooks(florin.db)).toMatchObject({ faults: [] });
  });
});
