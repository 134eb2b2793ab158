/** The list of people whom a person has paid is filled from the ledger on request, each row once. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFirstTime, readPayees } from '../../server/src/payments/read/readPayees.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';

let florin: PaymentsServer;
const friends: Person[] = [];
beforeAll(async () => {
  florin = await startPayments();
  for (const name of ['friend_a', 'friend_b', 'friend_c', 'friend_d'])
    friends.push(await createPerson(florin.db, name));
});
afterAll(() => florin.stop());

const pay = async (from: Person, to: Person, amount = 1) => {
  const body = { sender_user_id: from.userId, receiver_username: to.username, amount };
  expect((await florin.send(body)).status).toBe(200);
};
const note = async (person: Person, most: number): Promise<boolean> => {
  const [row] = await florin.db.query<{ more: boolean }>('SELECT note_payees($1, $2) AS more', [person.userId, most]);
  return row!.more;
};
const stored = (person: Person) =>
  florin.db.query<{ person: string; payments: number; last_seq: bigint }>(
    'SELECT person, payments::int, last_seq FROM payees WHERE user_id = $1 ORDER BY last_seq DESC',
    [person.userId],
  );
/** What a scan of the whole ledger returns. */
const wanted = (person: Person) =>
  florin.db.query(
    `SELECT c.user_id AS person, count(*)::int AS payments, max(t.seq) AS last_seq
       FROM transfers t JOIN accounts d ON d.account_id = t.debit_account JOIN accounts c ON c.account_id = t.credit_account
      WHERE t.kind = 'user' AND d.user_id = $1 GROUP BY c.user_id ORDER BY 3 DESC`,
    [person.userId],
  );

describe('collecting a person’s payees', () => {
  it('gives the same in small steps as in one, also while payments arrive', async () => {
    const payer = await createPerson(florin.db, 'stepwise', '1000');
    for (let i = 0; i < 70; i++) await pay(payer, friends[(i * i) % 3]!);
    let steps = 0;
    while (await note(payer, 7)) {
      steps++;
      if (steps % 3 === 0) await pay(payer, friends[3]!);
    }
    expect(steps).toBeGreaterThan(9);
    expect(await stored(payer)).toEqual(await wanted(payer));
    expect(await note(payer, 7)).toBe(false);
    expect(await stored(payer)).toEqual(await wanted(payer));
  });

  it('collects nothing twice when many requests are concurrent', async () => {
    const payer = await createPerson(florin.db, 'asked_often', '1000');
    for (let i = 0; i < 30; i++) await pay(payer, friends[i % 2]!);
    await Promise.all(Array.from({ length: 12 }, () => readPayees(florin.db, { userId: payer.userId, limit: 10 })));
    expect(await stored(payer)).toEqual(await wanted(payer));
  });

  it('reports who is paid for the first time, by the current name', async () => {
    const payer = await createPerson(florin.db, 'first_timer', '10');
    const { userId } = payer;
    expect(await isFirstTime(florin.db, userId, { username: 'friend_a' })).toBe(true);
    await pay(payer, friends[0]!);
    expect(await isFirstTime(florin.db, userId, { username: 'friend_a' })).toBe(false);
    expect(await isFirstTime(florin.db, userId, { username: 'friend_b' })).toBe(true);
    expect(await isFirstTime(florin.db, userId, { address: `0x${'a'.repeat(40)}` })).toBe(true);
    // Receiving does not count as paying.
    expect(await isFirstTime(florin.db, friends[0]!.userId, { username: 'first_timer' })).toBe(true);
  });
});

describe('PostgreSQL refuses', () => {
  const insert = (columns: string, ...values: unknown[]) =>
    florin.admin.query(
      `INSERT INTO payees (user_id, ${columns}, last_seq, last_at, last_asset, payments)
       SELECT $1, ${values.map((_, i) => `$${i + 2}`).join(', ')}, -1, now(), min(asset_id), 1 FROM assets`,
      [friends[0]!.userId, ...values],
    );

  it('an unknown payee, two payees in one row, or the payer', async () => {
    await expect(insert('person', friends[0]!.userId)).rejects.toThrow(/payees_other/);
    await expect(insert('person', null)).rejects.toThrow(/payees_one_kind/);
    await expect(insert('person, address', friends[1]!.userId, `0x${'a'.repeat(40)}`)).rejects.toThrow(
      /payees_one_kind/,
    );
    await expect(insert('person', randomUUID())).rejects.toThrow(/payees_person_fkey/);
  });

  it('that a server writes the list by itself', async () => {
    for (const table of ['payees', 'payee_reads']) {
      await expect(florin.db.query(`DELETE FROM ${table}`)).rejects.toThrow(/permission denied/);
    }
  });
});
