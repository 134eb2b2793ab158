/** Refunds of payments between people: separate payments, never more than was paid. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { argumentsOf } from '../../sandbox/src/processes.ts';
import type { Db } from '../../server/src/db/database.ts';
import {
  approveRefund,
  denyRefund,
  proposeRefund,
  refundPayment,
} from '../../server/src/payments/refunds/refundPayment.ts';
import { urlAs } from '../support/database.ts';
import { openRefunds, type RefundsWorld, want } from '../support/ledger/openRefunds.ts';
import type { RefundTask } from '../support/ledger/refundWorker.ts';

let world: RefundsWorld;
beforeAll(async () => {
  world = await openRefunds();
});
afterAll(() => world.stop());

const show = async (id: string) => (await world.florin.get(`/circle/transaction/${id}`)).body;
const notesOf = async (id: string): Promise<string[]> =>
  (await show(id)).timeline.map((step: { note: string | null }) => step.note);

describe('a refund', () => {
  it('is a payment from the receiver’s available balance; the original stays, and each links to the other', async () => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    const before = await show(id);
    const first = await refundPayment(world.operators.anna, want(id, '4', 'the parcel was half empty'));
    expect(first).toMatchObject({ outcome: 'refunded', amount: 4_000_000n });
    const rest = await refundPayment(world.operators.rita, want(id, undefined, 'the other half was broken'));
    expect(rest).toMatchObject({ outcome: 'refunded', amount: 6_000_000n });
    expect(await world.available(ada, bob)).toEqual([100_000_000n, 0n]);

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
      const { body } = await world.florin.get(`/api/v1/latest_transactions_by_username/${username}`);
      const ids = body.transactions.map((one: { transaction_id: string }) => one.transaction_id);
      expect(ids.slice(0, 3)).toEqual([rest.refundId, first.refundId, id]);
    }
    const events = await world.florin.db.query('SELECT type FROM feed WHERE subject_id = $1', [first.refundId]);
    expect(events).toEqual([{ type: 'refund.complete' }]);
    const audit = await world.florin.db.query<{ actor: string; user_id: string; details: object }>(
      `SELECT actor, user_id, details FROM audit_log WHERE action = 'payment.refunded' AND details->>'payment_id' = $1
        ORDER BY audit_id`,
      [id],
    );
    expect(audit.map(({ actor, user_id }) => [actor.replace(/^.*_/, ''), user_id])).toEqual([
      ['anna', bob.userId],
      ['rita', bob.userId],
    ]);
    expect(await world.faults()).toEqual([]);
  });

  it('keeps histories complete, whatever comes before and after it', async () => {
    const [ada, bob] = await world.meet();
    const ids: string[] = [];
    for (let i = 0; i < 40; i++) {
      const id = await world.pay(ada, bob, '1');
      ids.push(id);
      if (i % 3 === 0) ids.push((await refundPayment(world.operators.anna, want(id, '0.5', `part ${i}`))).refundId);
    }
    for (const { username } of [ada, bob]) {
      const { body } = await world.florin.get(
        `/api/v1/latest_transactions_by_username/${username}?limit=100&min_amount=0.1`,
      );
      const listed = body.transactions.map((one: { transaction_id: string }) => one.transaction_id);
      expect(listed.filter((id: string) => ids.includes(id))).toEqual([...ids].reverse());
    }
    expect(await world.faults()).toEqual([]);
  });

  it('is the same refund when it is repeated, also concurrently, and refused when its id belongs to another payment', async () => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    const wanted = want(id, '3', 'asked for twice');
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => refundPayment(world.operators.anna, wanted)));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['before', 'before', 'before', 'refunded']);
    expect(new Set(outcomes.map(({ refundId }) => refundId)).size).toBe(1);
    const all = want(id, undefined, 'all of it');
    expect(await refundPayment(world.operators.anna, all)).toMatchObject({ outcome: 'refunded', amount: 7_000_000n });
    expect(await refundPayment(world.operators.anna, all)).toMatchObject({ outcome: 'before', amount: 7_000_000n });
    expect(await world.available(ada, bob)).toEqual([100_000_000n, 0n]);

    const other = await world.pay(ada, bob, '10');
    const call = (refundId: string, payment: string, amount: bigint) =>
      world.operators.anna.query<{ outcome: string }>('SELECT outcome FROM refund_payment($1, $2, $3, $4)', [
        refundId,
        payment,
        amount,
        'a test',
      ]);
    expect(await call(outcomes[0]!.refundId, other, 3_000_000n)).toEqual([{ outcome: 'mismatch' }]);
    expect(await call(outcomes[0]!.refundId, id, 2_000_000n)).toEqual([{ outcome: 'mismatch' }]);
    expect(await call(id, other, 1n)).toEqual([{ outcome: 'mismatch' }]);
    expect(await world.available(ada, bob)).toEqual([90_000_000n, 10_000_000n]);
  });

  it('never adds up to more than the payment, also with 64 in parallel from two processes', async () => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    await world.pay(ada, bob, '90');
    const task = (process: string): RefundTask => ({
      databaseUrl: urlAs(world.florin.databaseUrl, process === 'first' ? 'anna' : 'rita'),
      paymentId: id,
      amount: '0.7',
      reasons: Array.from({ length: 32 }, (_, i) => `${process} ${i}`),
    });
    const outcomes = (await Promise.all([runWorker(task('first')), runWorker(task('second'))])).flat();
    expect(outcomes.filter((outcome) => outcome === 'refunded')).toHaveLength(14);
    expect(outcomes.filter((outcome) => outcome === 'too_much')).toHaveLength(50);
    expect(await world.available(ada, bob)).toEqual([9_800_000n, 90_200_000n]);
    expect(await refundPayment(world.operators.anna, want(id, '0.200001'))).toMatchObject({
      outcome: 'too_much',
      left: 200_000n,
    });
    expect(await refundPayment(world.operators.anna, want(id, undefined))).toMatchObject({ outcome: 'refunded' });
    expect(await refundPayment(world.operators.anna, want(id, '0.000001'))).toMatchObject({
      outcome: 'too_much',
      left: 0n,
    });
    expect(await world.faults()).toEqual([]);
    const [stat] = await world.florin.db.query(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(stat).toEqual({ deadlocks: 0n });
  });

  it('takes nothing beyond the receiver’s balance, and works on a paused receiver', async () => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    await world.pay(bob, ada, '8');
    expect(await refundPayment(world.operators.anna, want(id, '3'))).toMatchObject({ outcome: 'insufficient' });
    await world.florin.admin.query('UPDATE accounts SET paused = true WHERE account_id = $1', [bob.accountId]);
    expect(await refundPayment(world.operators.anna, want(id, '2'))).toMatchObject({ outcome: 'refunded' });
    expect(await world.available(ada, bob)).toEqual([100_000_000n, 0n]);
    expect(await world.faults()).toEqual([]);
  });

  it('counts towards no one’s limits', async () => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    const spent = () =>
      world.florin.db.query(
        'SELECT day_spent, day_payments FROM accounts WHERE account_id = ANY ($1) ORDER BY account_id',
        [[ada.accountId, bob.accountId]],
      );
    const before = await spent();
    await refundPayment(world.operators.anna, want(id, '5'));
    expect(await spent()).toEqual(before);
  });

  it('is refused for what cannot be refunded, and to people who may not refund', async () => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    const { refundId } = await refundPayment(world.operators.anna, want(id, '1'));
    const [deposit] = await world.florin.db.query<{ transfer_id: string }>(
      `SELECT transfer_id FROM transfers WHERE kind = 'deposit' AND credit_account = $1`,
      [ada.accountId],
    );
    const outcomeOf = async (db: Db, paymentId: string) => (await refundPayment(db, want(paymentId, '1', 'x'))).outcome;
    expect(await outcomeOf(world.operators.anna, randomUUID())).toBe('unknown');
    expect(await outcomeOf(world.operators.anna, deposit!.transfer_id)).toBe('deposit');
    expect(await outcomeOf(world.operators.anna, refundId)).toBe('is_refund');
    expect(await outcomeOf(world.operators.sven, id)).toBe('not_operator');
    expect(await outcomeOf(world.operators.mallory, id)).toBe('not_operator');
    await world.florin.admin.query(`INSERT INTO pauses (scope, reason) VALUES ('all', 'moving house')`);
    expect(await refundPayment(world.operators.anna, want(id, '1', 'x'))).toMatchObject({
      outcome: 'paused',
      reason: 'moving house',
    });
    await world.florin.admin.query('DELETE FROM pauses');
    expect(await world.available(ada, bob)).toEqual([91_000_000n, 9_000_000n]);
  });
});

describe('a refund by the treasury', () => {
  const houseHas = async () => {
    const [row] = await world.florin.db.query<{ available: bigint }>(
      'SELECT available FROM accounts WHERE account_id = $1',
      [world.treasury],
    );
    return row!.available;
  };

  it('is proposed by one person and paid when another one approves it', async () => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    const before = await houseHas();
    const wanted = want(id, '6', 'our mistake');
    const { refundId, outcome } = await proposeRefund(world.operators.anna, wanted);
    expect([outcome, (await proposeRefund(world.operators.anna, wanted)).outcome]).toEqual(['proposed', 'waits']);
    const as = async (name: keyof RefundsWorld['operators']) =>
      (await approveRefund(world.operators[name], refundId)).outcome;
    expect([await as('anna'), await as('sven'), await as('mallory')]).toEqual([
      'same_person',
      'not_operator',
      'not_operator',
    ]);
    expect(await world.available(ada, bob)).toEqual([90_000_000n, 10_000_000n]);
    const together = await Promise.all([as('rita'), as('rolf'), as('rita')]);
    expect(together.sort()).toEqual(['before', 'before', 'refunded']);
    expect(await world.available(ada, bob)).toEqual([96_000_000n, 10_000_000n]);
    expect(await houseHas()).toBe(before - 6_000_000n);
    expect(await notesOf(id)).toEqual([
      null,
      `6 USDC given back by the service in payment ${refundId}, 6 of 10 so far`,
    ]);
    expect(await show(refundId)).toMatchObject({ from: { username: null }, to: { username: ada.username } });
    expect(JSON.stringify([await show(id), await show(refundId)])).not.toMatch(/anna|rita/);
    // Both kinds count together.
    expect(await refundPayment(world.operators.anna, want(id, '5'))).toMatchObject({
      outcome: 'too_much',
      left: 4_000_000n,
    });
    expect(await world.faults()).toEqual([]);
  });

  it('keeps waiting when others have refunded too much meanwhile, or the treasury has too little', async () => {
    const [ada, bob] = await world.meet('20000');
    const id = await world.pay(ada, bob, '20000');
    const large = await proposeRefund(world.operators.anna, want(id, '15000'));
    expect(await approveRefund(world.operators.rita, large.refundId)).toMatchObject({ outcome: 'insufficient' });
    const small = await proposeRefund(world.operators.anna, want(id, '2'));
    await refundPayment(world.operators.anna, want(id, '19999'));
    expect(await approveRefund(world.operators.rita, small.refundId)).toMatchObject({
      outcome: 'too_much',
      left: 1_000_000n,
    });
    expect(await approveRefund(world.operators.rita, randomUUID())).toMatchObject({ outcome: 'unknown' });
    expect(await world.available(ada, bob)).toEqual([19_999_000_000n, 1_000_000n]);
  });

  it('is denied by one person, and never paid after that; a paid one cannot be denied', async () => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    const wanted = want(id, '2', 'a doubtful one');
    const { refundId } = await proposeRefund(world.operators.anna, wanted);
    expect((await denyRefund(world.operators.sven, refundId, 'no')).outcome).toBe('not_operator');
    expect((await denyRefund(world.operators.anna, refundId, 'second thoughts')).outcome).toBe('denied');
    expect((await approveRefund(world.operators.rita, refundId)).outcome).toBe('denied');
    expect((await proposeRefund(world.operators.anna, wanted)).outcome).toBe('denied');
    expect((await denyRefund(world.operators.rita, randomUUID(), 'x')).outcome).toBe('unknown');
    const other = await proposeRefund(world.operators.anna, want(id, '2', 'a clear one'));
    // An approval and a denial at the same time: one of them counts.
    const [paid, denied] = await Promise.all([
      approveRefund(world.operators.rita, other.refundId),
      denyRefund(world.operators.rolf, other.refundId, 'no'),
    ]);
    const isPaid = paid.outcome === 'refunded';
    expect([paid.outcome, denied.outcome]).toEqual(isPaid ? ['refunded', 'before'] : ['denied', 'denied']);
    expect(await world.available(ada)).toEqual([isPaid ? 92_000_000n : 90_000_000n]);
    const change = 'UPDATE refunds SET denied_at = NULL, denied_by = NULL WHERE refund_id = $1';
    await expect(world.florin.admin.query(change, [refundId])).rejects.toThrow(/cannot change/);
  });

  it('does not count when its proposer was removed since', async () => {
    const [ada, bob] = await world.meet();
    const id = await world.pay(ada, bob, '10');
    const { refundId } = await proposeRefund(world.operators.rolf, want(id, '1'));
    const rows = await world.florin.admin.query<{ name: string; role: string }>(
      `DELETE FROM operators WHERE name LIKE '%rolf' RETURNING name, role`,
    );
    expect((await approveRefund(world.operators.rita, refundId)).outcome).toBe('not_operator');
    await world.florin.admin.query('INSERT INTO operators (name, role) VALUES ($1, $2)', [
      rows[0]!.name,
      rows[0]!.role,
    ]);
    // Named again, but later than the proposal.
    expect((await approveRefund(world.operators.rita, refundId)).outcome).toBe('not_operator');
    expect(await world.available(ada)).toEqual([90_000_000n]);
  });
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
