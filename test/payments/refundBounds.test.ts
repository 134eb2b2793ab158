/** What PostgreSQL itself refuses about refunds, and random payments and refunds against a model. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approveRefund, proposeRefund, refundPayment } from '../../server/src/payments/refunds/refundPayment.ts';
import { openRefunds, type RefundsWorld, want } from '../support/ledger/openRefunds.ts';
import { createPerson } from '../support/payments.ts';
import { howMany } from '../support/run/thorough.ts';

let world: RefundsWorld;
beforeAll(async () => {
  world = await openRefunds();
});
afterAll(() => world.stop());

let models = 0;

describe('PostgreSQL refuses', () => {
  let id: string;
  let refundId: string;
  beforeAll(async () => {
    const [ada, bob] = await world.meet();
    id = await world.pay(ada, bob, '10');
    await world.pay(ada, bob, '10');
    ({ refundId } = await refundPayment(world.operators.anna, want(id, '9')));
  });

  const insert = `INSERT INTO refunds (refund_id, payment_id, source, amount, reason, proposed_by, booked_at)
                  VALUES ($1, $2, 'receiver', $3, 'x', 'x', now())`;

  it('a refund without its transfer, or with another one’s', async () => {
    await expect(world.florin.admin.query(insert, [randomUUID(), id, 1])).rejects.toThrow(/without its movement/);
    const [ada, bob] = await world.meet();
    const other = await world.pay(ada, bob, '1');
    await expect(world.florin.admin.query(insert, [other, id, 1_000_000])).rejects.toThrow(/without its movement/);
  });

  it('more than was paid, although the money could move', async () => {
    const again = randomUUID();
    const move = (amount: number) =>
      world.florin.admin.tx(async (tx) => {
        await tx.query(
          `SELECT ledger_refund($1, credit_account, debit_account, $3) FROM transfers WHERE transfer_id = $2`,
          [again, id, amount],
        );
        await tx.query(insert, [again, id, amount]);
      });
    await expect(move(1_000_001)).rejects.toThrow(/refunds_never_more/);
    await move(1_000_000);
    expect(await world.faults()).toEqual([]);
  });

  it.each([
    ['that a refund changes', 'UPDATE refunds SET amount = 1 WHERE refund_id = $1', /cannot change/],
    ['that a refund is reverted', 'UPDATE refunds SET booked_at = NULL WHERE refund_id = $1', /cannot change/],
    ['that a refund is deleted', 'DELETE FROM refunds WHERE refund_id = $1', /append-only/],
    ['that the refunded amount decreases', 'UPDATE refund_totals SET refunded = 0 WHERE payment_id = $2', /append/],
    ['that the paid amount increases', 'UPDATE refund_totals SET paid = 99999999 WHERE payment_id = $2', /append-only/],
    ['that the refunded total is deleted', 'DELETE FROM refund_totals WHERE payment_id = $2', /append-only/],
  ])('%s', async (_, sql, message) => {
    const value = sql.includes('$2') ? id : refundId;
    const statement = sql.replace('$2', '$1');
    await expect(world.florin.admin.query(statement, [value])).rejects.toThrow(message);
    await expect(world.operators.anna.query(statement, [value])).rejects.toThrow(/permission denied/);
  });

  it('a refund by the treasury on the word of one person', async () => {
    const [ada, bob] = await world.meet();
    const payment = await world.pay(ada, bob, '10');
    const { refundId: proposed } = await proposeRefund(world.operators.anna, want(payment, '0.5'));
    const book = (approvedBy: string) =>
      world.florin.admin.tx(async (tx) => {
        await tx.query('SELECT ledger_refund($1, $2, $3, 500000)', [proposed, world.treasury, ada.accountId]);
        await tx.query(`UPDATE refunds SET approved_by = ${approvedBy}, booked_at = now() WHERE refund_id = $1`, [
          proposed,
        ]);
      });
    await expect(book('proposed_by')).rejects.toThrow(/refunds_two_people/);
    await expect(book('NULL')).rejects.toThrow(/refunds_of_treasury_approved/);
    expect(await world.available(ada)).toEqual([90_000_000n]);
  });
});

it('random payments and refunds match a ten-line model, and the books balance', async () => {
  const deed = fc.oneof(
    fc.record({
      kind: fc.constant('pay' as const),
      from: fc.nat(2),
      to: fc.nat(2),
      amount: fc.integer({ min: 1, max: 9 }),
    }),
    fc.record({
      kind: fc.constantFrom('refund' as const, 'treasury' as const, 'repeat' as const),
      which: fc.nat(9),
      amount: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 3, maxLength: 16 }), async (deeds) => {
      const nth = models++;
      const three = await Promise.all(
        ['a', 'b', 'c'].map((one) => createPerson(world.florin.db, `model_${nth}${one}`, '10')),
      );
      // The model: what each has, and per payment who paid whom, how much, and how much came back.
      const has = [10, 10, 10];
      const payments: { id: string; from: number; to: number; paid: number; back: number }[] = [];
      let last: { run(): Promise<{ outcome: string }> } | undefined;
      for (const [i, one] of deeds.entries()) {
        if (one.kind === 'pay') {
          if (one.from === one.to || has[one.from]! < one.amount) continue;
          const id = await world.pay(three[one.from]!, three[one.to]!, String(one.amount));
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
            if (one.kind === 'refund') return refundPayment(world.operators.anna, wanted);
            const proposed = await proposeRefund(world.operators.anna, wanted);
            return proposed.outcome === 'proposed' ? approveRefund(world.operators.rita, proposed.refundId) : proposed;
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
      expect(await world.available(...three)).toEqual(has.map((amount) => BigInt(amount) * 1_000_000n));
      const totals = await world.florin.db.query<{ paid: bigint; refunded: bigint; sum: bigint }>(
        `SELECT t.paid, t.refunded, (SELECT coalesce(sum(r.amount), 0)::bigint FROM refunds r
           WHERE r.payment_id = t.payment_id AND r.booked_at IS NOT NULL) AS sum
           FROM refund_totals t WHERE t.payment_id = ANY ($1)`,
        [payments.map(({ id }) => id)],
      );
      for (const { paid, refunded, sum } of totals) expect([refunded, refunded <= paid]).toEqual([sum, true]);
    }),
    { numRuns: howMany(14, 40) },
  );
  expect(await world.faults()).toEqual([]);
});
