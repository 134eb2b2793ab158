/** The ledger against hand-written SQL: by one of our logins, and by a superuser. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Usdc } from '../../server/src/core/money.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { hold } from '../support/ledger/moveMoney.ts';
import { createPerson, type PaymentsServer, type Person, readBalances, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

let florin: PaymentsServer;
let chain: bigint;
beforeAll(async () => {
  florin = await startPayments();
  chain = await openHouseAccount(florin.db, await openAsset(florin.db, HOME, 'USDC'), 'chain');
});
afterAll(() => florin.stop());

const balances = (people: readonly Person[]) => readBalances(florin.db, people);

describe('hand-written SQL', () => {
  let victim: Person;
  let other: Person;
  let held: string;
  beforeAll(async () => {
    [victim, other] = [await createPerson(florin.db, 'victim', '5'), await createPerson(florin.db, 'other', '5')];
    held = randomUUID();
    const amount = 1_000_000n as Usdc;
    await florin.db.tx((tx) =>
      hold(tx, { transferId: held, debitAccount: victim.accountId, creditAccount: chain, amount }),
    );
    await florin.admin.query(`INSERT INTO payments (payment_id, state, destination) VALUES ($1, 'SENT', '0xabc')`, [
      held,
    ]);
    await florin.admin.query(
      `INSERT INTO refusals (payment_id, receiver, amount, code, details, created_at)
       VALUES (gen_random_uuid(), 'nobody', 1, 'username.unknown', '{}', now())`,
    );
    const assetId = await openAsset(florin.db, 'OTHER-CHAIN', 'USDC');
    await openHouseAccount(florin.db, assetId, 'chain');
  });

  const V = () => victim.accountId;
  const O = () => other.accountId;
  const otherChain = `(SELECT account_id FROM accounts JOIN assets USING (asset_id) JOIN networks USING (network_id) WHERE blockchain = 'OTHER-CHAIN')`;
  const row = (values: string) => `INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount,
    debit_entry, credit_entry, debit_available, credit_available, created_at, asset_id, kind) VALUES (${values})`;
  const illegal: [string, () => string][] = [
    ['raise one’s own balance', () => `UPDATE accounts SET available = available + 1 WHERE account_id = ${V()}`],
    ['take money', () => `UPDATE accounts SET available = available - 1 WHERE account_id = ${V()}`],
    [
      'release held money',
      () => `UPDATE accounts SET held = 0, available = available + held WHERE account_id = ${V()}`,
    ],
    ['reset the limits', () => `UPDATE accounts SET day_spent = 0, month_spent = 0`],
    ['reset spending', () => 'DELETE FROM spendings'],
    ['start a new hour', () => `SELECT ledger_turn_hour(1, ARRAY[${V()}], ARRAY[1], ARRAY[1], ARRAY[1::bigint])`],
    ['reduce spending', () => `SELECT ledger_write_counters(a) FROM accounts a`],
    ['delete a tier', () => 'DELETE FROM tiers'],
    ['delete the history of a tier', () => 'DELETE FROM tier_changes'],
    ['give an account away', () => `UPDATE accounts SET user_id = gen_random_uuid() WHERE account_id = ${V()}`],
    [
      'allow a person to overdraw',
      () => `UPDATE accounts SET kind = 'chain', user_id = NULL WHERE account_id = ${V()}`,
    ],
    ['delete an account', () => `DELETE FROM accounts WHERE account_id = ${V()}`],
    ['empty the accounts', () => 'TRUNCATE accounts CASCADE'],
    [
      'open a rich account',
      () => `INSERT INTO accounts (asset_id, kind, available) SELECT asset_id, 'fees', 5 FROM assets`,
    ],
    [
      'open a second account',
      () =>
        `INSERT INTO accounts (asset_id, kind, user_id) SELECT asset_id, kind, user_id FROM accounts WHERE account_id = ${V()}`,
    ],
    ['write history', () => row(`gen_random_uuid(), 1, ${chain}, ${V()}, 5, 900, 900, 0, 0, now(), 1, 'deposit'`)],
    ['edit history', () => `UPDATE transfers SET amount = amount + 1 WHERE debit_account = ${V()}`],
    ['delete history', () => `DELETE FROM transfers WHERE credit_account = ${V()}`],
    ['forget history', () => 'TRUNCATE transfers CASCADE'],
    ['move nothing', () => `SELECT testing.move(gen_random_uuid(), 'internal', ${V()}, ${O()}, 0, NULL, NULL)`],
    ['move backwards', () => `SELECT testing.move(gen_random_uuid(), 'internal', ${V()}, ${O()}, -5, NULL, NULL)`],
    ['move to oneself', () => `SELECT testing.move(gen_random_uuid(), 'internal', ${V()}, ${V()}, 5, NULL, NULL)`],
    ['invent a kind', () => `SELECT testing.move(gen_random_uuid(), 'gift', ${V()}, ${O()}, 5, NULL, NULL)`],
    ['cross assets', () => `SELECT testing.move(gen_random_uuid(), 'internal', ${otherChain}, ${O()}, 5, NULL, NULL)`],
    [
      'move to an unknown account',
      () => `SELECT testing.move(gen_random_uuid(), 'internal', ${V()}, 987654321, 5, NULL, NULL)`,
    ],
    [
      'pay into another asset',
      () =>
        `SELECT ledger_pay_batch(NULL, NULL, (SELECT asset_id FROM assets JOIN networks USING (network_id) WHERE blockchain = 'OTHER-CHAIN'), (SELECT names_epoch FROM ledger_state), (SELECT names_random FROM ledger_state), ARRAY[${V()}], '{-1}', '{1}', '{1}', '{1}', '{1}', ARRAY[gen_random_uuid()], '{f}', '{1}', '{0}', '{1}', '{a}', '{b}', '{c}')`,
    ],
    [
      'pay from the chain account',
      () =>
        `SELECT ledger_pay_batch(NULL, NULL, 1::smallint, (SELECT names_epoch FROM ledger_state), (SELECT names_random FROM ledger_state), ARRAY[${chain}, ${V()}], '{-1,1}', '{1,0}', '{1,0}', '{1,1}', '{1,1}', ARRAY[gen_random_uuid()], '{f}', '{1}', '{2}', '{1}', '{a}', '{b}', '{c}')`,
    ],
    [
      'pay a negative amount',
      () =>
        `SELECT ledger_pay_batch(NULL, NULL, 1::smallint, (SELECT names_epoch FROM ledger_state), (SELECT names_random FROM ledger_state), ARRAY[${V()}, ${O()}], '{1,-1}', '{0,0}', '{1,0}', '{1,1}', '{1,1}', ARRAY[gen_random_uuid()], '{f}', '{1}', '{2}', '{-1}', '{a}', '{b}', '{c}')`,
    ],
    ['pay from another wallet', () => `UPDATE payments SET wallet_id = gen_random_uuid() WHERE payment_id = '${held}'`],
    [
      'invent a payment without a transfer',
      () => `INSERT INTO payments (payment_id, state, destination) VALUES (gen_random_uuid(), 'INITIATED', '0xabc')`,
    ],
    [
      'invent an event without a payment',
      () => `INSERT INTO payment_events (seq, payment_id, state, at) VALUES (1, gen_random_uuid(), 'SENT', now())`,
    ],
    ['move a payment to an earlier state', () => `UPDATE payments SET state = 'QUEUED' WHERE payment_id = '${held}'`],
    ['invent a state', () => `UPDATE payments SET state = 'DONE' WHERE payment_id = '${held}'`],
    ['send elsewhere', () => `UPDATE payments SET destination = '0xdef' WHERE payment_id = '${held}'`],
    ['delete a payment', () => `DELETE FROM payments WHERE payment_id = '${held}'`],
    ['edit an event', () => `UPDATE payment_events SET state = 'FAILED'`],
    ['delete an event', () => 'DELETE FROM payment_events'],
    ['delete a refusal', () => 'DELETE FROM refusals'],
    ['delete the answers under all keys', () => 'TRUNCATE idempotency_records CASCADE'],
  ];
  it.each(illegal)('cannot %s', async (_, sql) => {
    await expect(florin.db.query(sql())).rejects.toThrow(
      /permission denied|refused|violates|cannot|are not valid|hold no common|not all accounts/,
    );
  });

  /** What a superuser, who needs no privilege, can still do: write the ledger's own tables, never its history. */
  const leftToSuperusers = [
    'raise one’s own balance',
    'take money',
    'release held money',
    'reset the limits',
    'reset spending',
    'start a new hour',
    'reduce spending',
    'write history',
  ];
  it.each(illegal.filter(([name]) => !leftToSuperusers.includes(name)))('cannot %s, with any login', async (_, sql) => {
    await expect(florin.admin.query(sql())).rejects.toThrow(
      /refused|violates|cannot|are not valid|hold no common|not all accounts/,
    );
  });

  it('has changed nothing', async () => {
    expect(await checkBooks(florin.db)).toMatchObject({ faults: [] });
    expect(await balances([victim, other])).toEqual([
      [4_000_000n, 1_000_000n],
      [5_000_000n, 0n],
    ]);
  });

  it('cannot overdraw, or end a hold twice or beyond its amount', async () => {
    const move = (kind: string, amount: number, holdId: string | null) =>
      florin.db
        .query<{ outcome: string }>('SELECT outcome FROM testing.move(gen_random_uuid(), $1, $2, $3, $4, $5, NULL)', [
          kind,
          V(),
          chain,
          amount,
          holdId,
        ])
        .then(([result]) => result!.outcome);
    expect(await move('internal', 4_000_001, null)).toBe('insufficient');
    expect(await move('hold', 4_000_001, null)).toBe('insufficient');
    expect(await move('post', 1_000_001, held)).toBe('mismatch');
    expect(await move('release', 999_999, held)).toBe('mismatch');
    expect(await move('post', 1, randomUUID())).toBe('unknown_hold');
    expect(await move('post', 400_000, held)).toBe('applied');
    expect(await move('post', 400_000, held)).toBe('ended');
    expect(await move('release', 1_000_000, held)).toBe('ended');
    expect(await balances([victim])).toEqual([[4_600_000n, 0n]]);
  });
  const someHold = () => `ARRAY[(gen_random_uuid(), ${V()}, ${chain}, 1, NULL, NULL)::new_hold]`;
  const newPayment = () => `DO $$ DECLARE id uuid := gen_random_uuid(); BEGIN
    PERFORM testing.move(id, 'hold', ${V()}, ${chain}, 1, NULL, NULL);
    INSERT INTO payments (payment_id, state, destination) VALUES (id, 'INITIATED', '0xabc');
  END $$`;
  const lastMovement = () =>
    row(`gen_random_uuid(), ledger_tx_seq() + 65535, ${chain}, ${V()}, 1, 900, 900, 0, 0, now(), 1, 'deposit'`);
  const lastState = () =>
    `INSERT INTO payment_events (seq, payment_id, state, at) VALUES (ledger_tx_seq() + 32767, '${held}', 'QUEUED', now())`;
  const onePlaceTooMany: [string, () => string, () => string][] = [
    [
      'a movement',
      lastMovement,
      () => `SELECT testing.move(gen_random_uuid(), 'deposit', ${chain}, ${V()}, 1, NULL, NULL)`,
    ],
    ['many holds', lastMovement, () => `SELECT ledger_hold_many(${someHold()})`],
    ['a payment on the chain', lastMovement, () => `SELECT ledger_hold_paid(gen_random_uuid(), ${V()}, ${chain}, 1)`],
    [
      'deposits',
      lastMovement,
      () => `SELECT testing.deposit(1::smallint, ARRAY[gen_random_uuid()], ARRAY[${V()}], '{1}', '{x}')`,
    ],
    ['a new payment', lastState, newPayment],
    ['a state of a payment', lastState, () => `UPDATE payments SET state = 'CONFIRMED' WHERE payment_id = '${held}'`],
  ];
  it.each(onePlaceTooMany)('cannot give %s a feed position of another writer', async (_, fill, sql) => {
    const all = florin.admin.tx(async (tx) => {
      await tx.query(fill());
      await tx.query(sql());
    });
    await expect(all).rejects.toThrow(/too many (movements|changes of states) in one commit/);
  });
});
