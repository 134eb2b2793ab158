/** Payments between people that are given back: as payments of their own, and never more than was paid. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { argumentsOf } from '../../sandbox/src/processes.ts';
import { parseUsdc, type Usdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { transfer } from '../../server/src/ledger/moveMoney.ts';
import { approveRefund, proposeRefund, refundPayment } from '../../server/src/payments/refunds/refundPayment.ts';
import { sendToUser } from '../../server/src/payments/users/sendToUser.ts';
import { urlAs } from '../support/database.ts';
import { nameOperators } from '../support/operators.ts';
import { createPerson, type PaymentsServer, type Person, readBalances, startPayments } from '../support/payments.ts';
import type { RefundTask } from '../support/ledger/refundWorker.ts';
import { HOME } from '../support/values.ts';

const TREASURY = 10_000_000_000n as Usdc;

let florin: PaymentsServer;
let treasury: bigint;
const operators = {} as Record<'anna' | 'rita' | 'rolf' | 'sven' | 'mallory', Db>;
beforeAll(async () => {
  florin = await startPayments();
  const { db, databaseUrl } = florin;
  await nameOperators(databaseUrl, { anna: 'admin', rita: 'risk', rolf: 'risk', sven: 'support' });
  for (const name of ['anna', 'rita', 'rolf', 'sven', 'mallory'] as const) {
    operators[name] = openDatabase(urlAs(databaseUrl, name), { maxConnections: 4 });
  }
  const assetId = await openAsset(db, HOME);
  const chain = await openHouseAccount(db, assetId, 'chain');
  treasury = await openHouseAccount(db, assetId, 'treasury');
  const first = { transferId: randomUUID(), debitAccount: chain, creditAccount: treasury, amount: TREASURY };
  await db.tx((tx) => transfer(tx, 'deposit', first));
});
afterAll(async () => {
  await Promise.all(Object.values(operators).map((db) => db.close()));
  await florin.stop();
});

let people = 0;
async function meet(amount = '100'): Promise<[Person, Person]> {
  const nth = people++;
  return [await createPerson(florin.db, `payer_${nth}`, amount), await createPerson(florin.db, `payee_${nth}`)];
}

async function pay(from: Person, to: Person, amount: string): Promise<string> {
  const { result } = await sendToUser(florin, {
    senderId: from.userId,
    receiver: to.username,
    amount: parseUsdc(amount),
  });
  if ('refusal' in result) throw result.refusal;
  return result.payment.paymentId;
}

/** `amount` undefined: all that is left. */
const want = (paymentId: string, amount: string | undefined, reason = 'a test') => ({
  paymentId,
  amount: amount === undefined ? undefined : parseUsdc(amount),
  reason,
});
const available = async (...some: Person[]) => (await readBalances(florin.db, some)).map(([free]) => free);
const faults = async () => (await checkBooks(florin.db)).faults;
const show = async (id: string) => (await florin.get(`/circle/transaction/${id}`)).body;
const notesOf = async (id: string): Promise<string[]> =>
  (await show(id)).timeline.map((step: { note: string | null }) => step.note);

describe('a refund', () => {
  it('is a payment from the receiver’s available balance; the original stays, and each leads to the other', async () => {
    const [ada, bob] = await meet();
    const id = await pay(ada, bob, '10');
    const before = await show(id);
    const first = await refundPayment(operators.anna, want(id, '4', 'the parcel was half empty'));
    expect(first).toMatchObject({ outcome: 'refunded', amount: 4_000_000n });
    const rest = await refundPayment(operators.rita, want(id, undefined, 'the other half was broken'));
    expect(rest).toMatchObject({ outcome: 'refunded', amount: 6_000_000n });
    expect(await available(ada, bob)).toEqual([100_000_000n, 0n]);

    const { timeline, ...original } = await show(id);
    expect(original).toEqual({ ...before, timeline: undefined });
    expect(timeline.map((step: { state: string | null; note: string | null }) => [step.state, step.note])).toEqual([
      ['COMPLETE', null],
      [null, `4 USDC given back in payment ${first.refundId}, 4 of 10 so far`],
      [null, `6 USDC given back in payment ${rest.refundId}, 10 of 10 so far`],
    ]);
    const refund = await show(first.refundId);
    expect(refund).toMatchObject({
      state: 'COMPLETE',
      kind: 'user',
      amount: '4',
      from: { username: bob.username },
      to: { username: ada.username },
    });
    expect(await notesOf(first.refundId)).toEqual([null, `refund of payment ${id}: the parcel was half empty`]);

    // In the history of both, and in the feed.
    for (const { username } of [ada, bob]) {
      const { body } = await florin.get(`/api/v1/latest_transactions_by_username/${username}`);
      const ids = body.transactions.map((one: { transaction_id: string }) => one.transaction_id);
      expect(ids.slice(0, 3)).toEqual([rest.refundId, first.refundId, id]);
    }
    const events = await florin.db.query('SELECT state FROM events WHERE payment_id = $1', [first.refundId]);
    expect(events).toEqual([{ state: 'COMPLETE' }]);
    const audit = await florin.db.query<{ actor: string; user_id: string; details: object }>(
      `SELECT actor, user_id, details FROM audit_log WHERE action = 'payment.refunded' AND details->>'payment_id' = $1
        ORDER BY audit_id`,
      [id],
    );
    expect(audit.map(({ actor, user_id }) => [actor.replace(/^.*_/, ''), user_id])).toEqual([
      ['anna', bob.userId],
      ['rita', bob.userId],
    ]);
    expect(await faults()).toEqual([]);
  });

  it('keeps histories whole, whatever comes before and after it', async () => {
    const [ada, bob] = await meet();
    const ids: string[] = [];
    for (let i = 0; i < 40; i++) {
      const id = await pay(ada, bob, '1');
      ids.push(id);
      if (i % 3 === 0) ids.push((await refundPayment(operators.anna, want(id, '0.5', `part ${i}`))).refundId);
    }
    for (const { username } of [ada, bob]) {
      const { body } = await florin.get(`/api/v1/latest_transactions_by_username/${username}?limit=100&min_amount=0.1`);
      const listed = body.transactions.map((one: { transaction_id: string }) => one.transaction_id);
      expect(listed.filter((id: string) => ids.includes(id))).toEqual([...ids].reverse());
    }
    expect(await faults()).toEqual([]);
  });

  it('is the same refund when it is repeated, also at once, and refused when its id belongs to something else', async () => {
    const [ada, bob] = await meet();
    const id = await pay(ada, bob, '10');
    const wanted = want(id, '3', 'asked for twice');
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => refundPayment(operators.anna, wanted)));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['before', 'before', 'before', 'refunded']);
    expect(new Set(outcomes.map(({ refundId }) => refundId)).size).toBe(1);
    const all = want(id, undefined, 'all of it');
    expect(await refundPayment(operators.anna, all)).toMatchObject({ outcome: 'refunded', amount: 7_000_000n });
    expect(await refundPayment(operators.anna, all)).toMatchObject({ outcome: 'before', amount: 7_000_000n });
    expect(await available(ada, bob)).toEqual([100_000_000n, 0n]);

    const other = await pay(ada, bob, '10');
    const call = (refundId: string, payment: string, amount: bigint) =>
      operators.anna.query<{ outcome: string }>('SELECT outcome FROM refund_payment($1, $2, $3, $4)', [
        refundId,
        payment,
        amount,
        'a test',
      ]);
    expect(await call(outcomes[0]!.refundId, other, 3_000_000n)).toEqual([{ outcome: 'mismatch' }]);
    expect(await call(outcomes[0]!.refundId, id, 2_000_000n)).toEqual([{ outcome: 'mismatch' }]);
    expect(await call(id, other, 1n)).toEqual([{ outcome: 'mismatch' }]);
    expect(await available(ada, bob)).toEqual([90_000_000n, 10_000_000n]);
  });

  it('never adds up to more than the payment, also with 64 at once from two processes', async () => {
    const [ada, bob] = await meet();
    const id = await pay(ada, bob, '10');
    await pay(ada, bob, '90');
    const task = (process: string): RefundTask => ({
      databaseUrl: urlAs(florin.databaseUrl, process === 'first' ? 'anna' : 'rita'),
      paymentId: id,
      amount: '0.7',
      reasons: Array.from({ length: 32 }, (_, i) => `${process} ${i}`),
    });
    const outcomes = (await Promise.all([runWorker(task('first')), runWorker(task('second'))])).flat();
    expect(outcomes.filter((outcome) => outcome === 'refunded')).toHaveLength(14);
    expect(outcomes.filter((outcome) => outcome === 'too_much')).toHaveLength(50);
    expect(await available(ada, bob)).toEqual([9_800_000n, 90_200_000n]);
    expect(await refundPayment(operators.anna, want(id, '0.200001'))).toMatchObject({
      outcome: 'too_much',
      left: 200_000n,
    });
    expect(await refundPayment(operators.anna, want(id, undefined))).toMatchObject({ outcome: 'refunded' });
    expect(await refundPayment(operators.anna, want(id, '0.000001'))).toMatchObject({ outcome: 'too_much', left: 0n });
    expect(await faults()).toEqual([]);
    const [stat] = await florin.db.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
    expect(stat).toEqual({ deadlocks: 0n });
  });

  it('takes nothing that the receiver has not got, and takes it from somebody who is paused', async () => {
    const [ada, bob] = await meet();
    const id = await pay(ada, bob, '10');
    await pay(bob, ada, '8');
    expect(await refundPayment(operators.anna, want(id, '3'))).toMatchObject({ outcome: 'insufficient' });
    await florin.admin.query('UPDATE accounts SET paused = true WHERE account_id = $1', [bob.accountId]);
    expect(await refundPayment(operators.anna, want(id, '2'))).toMatchObject({ outcome: 'refunded' });
    expect(await available(ada, bob)).toEqual([100_000_000n, 0n]);
    expect(await faults()).toEqual([]);
  });

  it('counts towards nobody’s limits', async () => {
    const [ada, bob] = await meet();
    const id = await pay(ada, bob, '10');
    const spent = () =>
      florin.db.query('SELECT day_spent, day_payments FROM accounts WHERE account_id = ANY ($1) ORDER BY account_id', [
        [ada.accountId, bob.accountId],
      ]);
    const before = await spent();
    await refundPayment(operators.anna, want(id, '5'));
    expect(await spent()).toEqual(before);
  });

  it('is refused of what cannot be given back, and by people who may not', async () => {
    const [ada, bob] = await meet();
    const id = await pay(ada, bob, '10');
    const { refundId } = await refundPayment(operators.anna, want(id, '1'));
    const [deposit] = await florin.db.query<{ transfer_id: string }>(
      `SELECT transfer_id FROM transfers WHERE kind = 'deposit' AND credit_account = $1`,
      [ada.accountId],
    );
    const outcomeOf = async (db: Db, paymentId: string) => (await refundPayment(db, want(paymentId, '1', 'x'))).outcome;
    expect(await outcomeOf(operators.anna, randomUUID())).toBe('unknown');
    expect(await outcomeOf(operators.anna, deposit!.transfer_id)).toBe('deposit');
    expect(await outcomeOf(operators.anna, refundId)).toBe('is_refund');
    expect(await outcomeOf(operators.sven, id)).toBe('nobody');
    expect(await outcomeOf(operators.mallory, id)).toBe('nobody');
    await florin.admin.query(`INSERT INTO pauses (scope, reason) VALUES ('all', 'moving house')`);
    expect(await refundPayment(operators.anna, want(id, '1', 'x'))).toMatchObject({
      outcome: 'paused',
      reason: 'moving house',
    });
    await florin.admin.query('DELETE FROM pauses');
    expect(await available(ada, bob)).toEqual([91_000_000n, 9_000_000n]);
  });
});

describe('a refund by the treasury', () => {
  const houseHas = async () => {
    const [row] = await florin.db.query<{ available: bigint }>('SELECT available FROM accounts WHERE account_id = $1', [
      treasury,
    ]);
    return row!.available;
  };

  it('is proposed by one person and paid when another one approves it', async () => {
    const [ada, bob] = await meet();
    const id = await pay(ada, bob, '10');
    const before = await houseHas();
    const wanted = want(id, '6', 'our mistake');
    const { refundId, outcome } = await proposeRefund(operators.anna, wanted);
    expect([outcome, (await proposeRefund(operators.anna, wanted)).outcome]).toEqual(['proposed', 'waits']);
    const as = async (name: keyof typeof operators) => (await approveRefund(operators[name], refundId)).outcome;
    expect([await as('anna'), await as('sven'), await as('mallory')]).toEqual(['same_person', 'nobody', 'nobody']);
    expect(await available(ada, bob)).toEqual([90_000_000n, 10_000_000n]);
    expect([await as('rita'), await as('rita'), await as('rolf')]).toEqual(['refunded', 'before', 'before']);
    expect(await available(ada, bob)).toEqual([96_000_000n, 10_000_000n]);
    expect(await houseHas()).toBe(before - 6_000_000n);
    expect(await notesOf(id)).toEqual([null, `6 USDC given back by the service in payment ${refundId}, 6 of 10 so far`]);
    expect(await show(refundId)).toMatchObject({ from: { username: null }, to: { username: ada.username } });
    expect(JSON.stringify([await show(id), await show(refundId)])).not.toMatch(/anna|rita/);
    // Both kinds count together.
    expect(await refundPayment(operators.anna, want(id, '5'))).toMatchObject({ outcome: 'too_much', left: 4_000_000n });
    expect(await faults()).toEqual([]);
  });

  it('waits on when others have given back too much meanwhile, or the treasury has too little', async () => {
    const [ada, bob] = await meet('20000');
    const id = await pay(ada, bob, '20000');
    const large = await proposeRefund(operators.anna, want(id, '15000'));
    expect(await approveRefund(operators.rita, large.refundId)).toMatchObject({ outcome: 'insufficient' });
    const small = await proposeRefund(operators.anna, want(id, '2'));
    await refundPayment(operators.anna, want(id, '19999'));
    expect(await approveRefund(operators.rita, small.refundId)).toMatchObject({ outcome: 'too_much', left: 1_000_000n });
    expect(await approveRefund(operators.rita, randomUUID())).toMatchObject({ outcome: 'unknown' });
    expect(await available(ada, bob)).toEqual([19_999_000_000n, 1_000_000n]);
  });

  it('is worth nothing when its proposer was removed since', async () => {
    const [ada, bob] = await meet();
    const id = await pay(ada, bob, '10');
    const { refundId } = await proposeRefund(operators.rolf, want(id, '1'));
    const rows = await florin.admin.query<{ name: string; role: string }>(
      `DELETE FROM operators WHERE name LIKE '%rolf' RETURNING name, role`,
    );
    expect((await approveRefund(operators.rita, refundId)).outcome).toBe('nobody');
    await florin.admin.query('INSERT INTO operators (name, role) VALUES ($1, $2)', [rows[0]!.name, rows[0]!.role]);
    // Named again, but later than the proposal.
    expect((await approveRefund(operators.rita, refundId)).outcome).toBe('nobody');
    expect(await available(ada)).toEqual([90_000_000n]);
  });
});

describe('PostgreSQL refuses', () => {
  let id: string;
  let refundId: string;
  beforeAll(async () => {
    const [ada, bob] = await meet();
    id = await pay(ada, bob, '10');
    await pay(ada, bob, '10');
    ({ refundId } = await refundPayment(operators.anna, want(id, '9')));
  });

  const insert = `INSERT INTO refunds (refund_id, payment_id, source, amount, reason, proposed_by, booked_at)
                  VALUES ($1, $2, 'receiver', $3, 'x', 'x', now())`;

  it('a refund without its movement, or with that of something else', async () => {
    await expect(florin.admin.query(insert, [randomUUID(), id, 1])).rejects.toThrow(/without its movement/);
    const [ada, bob] = await meet();
    const other = await pay(ada, bob, '1');
    await expect(florin.admin.query(insert, [other, id, 1_000_000])).rejects.toThrow(/without its movement/);
  });

  it('more than was paid, although the money could move', async () => {
    const again = randomUUID();
    const move = (amount: number) =>
      florin.admin.tx(async (tx) => {
        await tx.query(
          `SELECT ledger_refund($1, credit_account, debit_account, $3) FROM transfers WHERE transfer_id = $2`,
          [again, id, amount],
        );
        await tx.query(insert, [again, id, amount]);
      });
    await expect(move(1_000_001)).rejects.toThrow(/refunds_never_more/);
    await move(1_000_000);
    expect(await faults()).toEqual([]);
  });

  it.each([
    ['that a refund changes', 'UPDATE refunds SET amount = 1 WHERE refund_id = $1', /cannot change/],
    ['that a refund is taken back', 'UPDATE refunds SET booked_at = NULL WHERE refund_id = $1', /cannot change/],
    ['that a refund vanishes', 'DELETE FROM refunds WHERE refund_id = $1', /append-only/],
    ['that what was given back becomes less', 'UPDATE refund_totals SET refunded = 0 WHERE payment_id = $2', /append/],
    ['that more was paid', 'UPDATE refund_totals SET paid = 99999999 WHERE payment_id = $2', /append-only/],
    ['that it is forgotten', 'DELETE FROM refund_totals WHERE payment_id = $2', /append-only/],
  ])('%s', async (_, sql, message) => {
    const value = sql.includes('$2') ? id : refundId;
    const statement = sql.replace('$2', '$1');
    await expect(florin.admin.query(statement, [value])).rejects.toThrow(message);
    await expect(operators.anna.query(statement, [value])).rejects.toThrow(/permission denied/);
  });

  it('that the treasury gives something back by the word of one person', async () => {
    const [ada, bob] = await meet();
    const payment = await pay(ada, bob, '10');
    const { refundId: proposed } = await proposeRefund(operators.anna, want(payment, '0.5'));
    const book = (approvedBy: string) =>
      florin.admin.tx(async (tx) => {
        await tx.query('SELECT ledger_refund($1, $2, $3, 500000)', [proposed, treasury, ada.accountId]);
        await tx.query(`UPDATE refunds SET approved_by = ${approvedBy}, booked_at = now() WHERE refund_id = $1`, [
          proposed,
        ]);
      });
    await expect(book('proposed_by')).rejects.toThrow(/refunds_two_people/);
    await expect(book('NULL')).rejects.toThrow(/refunds_of_treasury_approved/);
    expect(await available(ada)).toEqual([90_000_000n]);
  });
});

it('whatever is paid and given back in whatever order, a model of ten lines says the same, and the books balance', async () => {
  const deed = fc.oneof(
    fc.record({ kind: fc.constant('pay' as const), from: fc.nat(2), to: fc.nat(2), amount: fc.integer({ min: 1, max: 9 }) }),
    fc.record({
      kind: fc.constantFrom('refund' as const, 'treasury' as const, 'repeat' as const),
      which: fc.nat(9),
      amount: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 3, maxLength: 16 }), async (deeds) => {
      const nth = people++;
      const three = await Promise.all(['a', 'b', 'c'].map((one) => createPerson(florin.db, `model_${nth}${one}`, '10')));
      // The model: what each has, and per payment who paid whom, how much, and how much came back.
      const has = [10, 10, 10];
      const payments: { id: string; from: number; to: number; paid: number; back: number }[] = [];
      let last: { run(): Promise<{ outcome: string }> } | undefined;
      for (const [i, one] of deeds.entries()) {
        if (one.kind === 'pay') {
          if (one.from === one.to || has[one.from]! < one.amount) continue;
          const id = await pay(three[one.from]!, three[one.to]!, String(one.amount));
          payments.push({ id, from: one.from, to: one.to, paid: one.amount, back: 0 });
          has[one.from]! -= one.amount;
          has[one.to]! += one.amount;
        } else if (one.kind === 'repeat') {
          if (last) expect((await last.run()).outcome).toBe('before');
        } else if (payments.length > 0) {
          const payment = payments[one.which % payments.length]!;
          const left = payment.paid - payment.back;
          const amount = one.amount ?? left;
          const isTooMuch = amount === 0 || amount > left;
          const wanted = want(payment.id, one.amount === undefined ? undefined : String(amount), `deed ${i}`);
          const isPoor = one.kind === 'refund' && has[payment.to]! < amount;
          const run = async () => {
            if (one.kind === 'refund') return refundPayment(operators.anna, wanted);
            const proposed = await proposeRefund(operators.anna, wanted);
            return proposed.outcome === 'proposed' ? approveRefund(operators.rita, proposed.refundId) : proposed;
          };
          const { outcome } = await run();
          expect(outcome).toBe(isTooMuch ? 'too_much' : isPoor ? 'insufficient' : 'refunded');
          if (outcome !== 'refunded') continue;
          last = { run };
          payment.back += amount;
          has[payment.from]! += amount;
          if (one.kind === 'refund') has[payment.to]! -= amount;
        }
      }
      expect(await available(...three)).toEqual(has.map((amount) => BigInt(amount) * 1_000_000n));
      const totals = await florin.db.query<{ paid: bigint; refunded: bigint; sum: bigint }>(
        `SELECT t.paid, t.refunded, (SELECT coalesce(sum(r.amount), 0)::bigint FROM refunds r
           WHERE r.payment_id = t.payment_id AND r.booked_at IS NOT NULL) AS sum
           FROM refund_totals t WHERE t.payment_id = ANY ($1)`,
        [payments.map(({ id }) => id)],
      );
      for (const { paid, refunded, sum } of totals) expect([refunded, refunded <= paid]).toEqual([sum, true]);
    }),
    { numRuns: 60 },
  );
  expect(await faults()).toEqual([]);
});

function runWorker(task: RefundTask): Promise<string[]> {
  const child = spawn(process.execPath, argumentsOf('test/support/ledger/refundWorker'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send(task);
  return new Promise((resolve, reject) => {
    child.once('message', (outcomes) => resolve(outcomes as string[]));
    child.once('exit', (code) => reject(new Error(`a process ended with ${code}`)));
  });
}
