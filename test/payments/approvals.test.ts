/** Two people approve large sends: by command, in PostgreSQL, and as the customer sees it. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import type { Db } from '../../server/src/db/database.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { submitJob } from '../../server/src/payments/sends/sendCommand.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';
import { operate, planOf } from '../support/operate.ts';
import { asOperator, loginOf, type OperatorName } from '../support/operators.ts';
import { howMany } from '../support/run/thorough.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
let alice: Holder;
const WAITING = { approvalThreshold: parseUsdc('100'), newRecipientDelaySeconds: 0 };

beforeAll(async () => {
  world = await startCustody();
  ({ alice } = await world.fund({ alice: '100000', treasury: '1000' }));
});
beforeEach(() => {
  world.sendRules = WAITING;
});
afterAll(() => world.stop());

const as = (name: OperatorName, ...args: string[]) =>
  asOperator(world.databaseUrl, name, (db) => operate(db, 'payment', ...args));
const held = async () => {
  const [account] = await world.db.query<{ held: bigint }>('SELECT held FROM accounts WHERE user_id = $1', [
    alice.userId,
  ]);
  return account!.held;
};
const sendLarge = (amount = '100', destination = randomAddress()) =>
  world.send({ amount, destination, walletUsername: 'alice' });
const notesOf = async (id: string) => (await readPayment(world.db, id))!.timeline.map((step) => step.note);
/** Creates the payment's move as custody does, but in hand-written SQL. */
const MOVE = `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved)
  SELECT p.payment_id, t.asset_id, p.wallet_id, 'send', 'eip3009', $2, p.destination, t.amount, 0
    FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id WHERE p.payment_id = $1`;
const reserve = (id: string) => world.db.query(MOVE, [id, alice.address]);
/** As `anna`, an admin; without a role they are removed. */
const setRole = (name: OperatorName, role: 'admin' | 'risk' | 'support' | undefined) =>
  asOperator(world.databaseUrl, 'anna', (db) =>
    role
      ? operate(db, 'operator', 'add', loginOf(name), '--role', role)
      : operate(db, 'operator', 'remove', loginOf(name)),
  );
const approveInSql = (id: string, name: OperatorName) =>
  asOperator(world.databaseUrl, name, (db) => db.query('SELECT give_approval($1)', [id]));

it('no one approves before operators are named: an approval is worth what its operator is', async () => {
  const id = await sendLarge();
  await expect(as('mallory', 'approve', id)).rejects.toThrow(
    /no operator has been added who may\. .*florin operator add LOGIN --role admin/,
  );
  await setRole('anna', 'admin');
  await setRole('rita', 'risk');
  await setRole('rolf', 'risk');
  await setRole('sven', 'support');
  await as('anna', 'deny', id, '--why', 'a test');
});

describe('a send that reaches the threshold', () => {
  it('waits for two different people, and is paid when they have approved it', async () => {
    const before = await held();
    const destination = randomAddress();
    const id = await sendLarge('100', destination);
    expect(await held()).toBe(before + 100_000_000n);
    for (let i = 0; i < 3; i++) {
      await world.work();
      await world.mine();
    }
    expect((await world.get(id)).state).toBe('INITIATED');
    expect(await world.db.query('SELECT FROM coin_moves WHERE move_id = $1', [id])).toEqual([]);
    expect(await notesOf(id)).toEqual(['accepted, the amount is held; waits for approval by two operators, 0 of 2']);
    expect(await as('anna', 'waiting')).toMatch(
      new RegExp(
        `${id}\n.* 100 USDC .*from +alice \\(user ${alice.userId}, identity check: .*${destination}\nthis address +is NEW: .*approved +0 of 2\n`,
        's',
      ),
    );

    const plan = (name: OperatorName) =>
      asOperator(world.databaseUrl, name, (db) => planOf(db, 'payment', 'approve', id));
    expect(await plan('anna')).toMatch(/effect +waits, 0 of 2 → waits for another operator, 1 of 2\n$/);
    expect(await as('anna', 'approve', id)).toBe('Approved: 1 of 2.\n');
    expect(await plan('rita')).toMatch(/this address +is NEW.*effect +waits, 1 of 2 → it is sent now\./s);
    await expect(as('anna', 'approve', id)).rejects.toThrow(/from another person/);
    expect(await as('sven', 'waiting')).toMatch(/1 of 2 \(\w+_anna\)/);
    await world.work();
    expect((await world.get(id)).state).toBe('INITIATED');

    expect(await as('rita', 'approve', id)).toBe('Approved: 2 of 2.\n');
    expect((await world.get(id)).state).toBe('CLEARED');
    await expect(as('rolf', 'approve', id)).rejects.toThrow(/does not wait for approval/);
    await world.settleDown();
    const payment = (await readPayment(world.db, id))!;
    expect(payment.state).toBe('COMPLETE');
    expect(await world.balance(destination)).toBe(100_000_000n);
    const next = await sendLarge('100', destination);
    expect(await as('sven', 'waiting')).toContain('has received from this wallet before');
    await as('anna', 'deny', next, '--why', 'a test');
    expect(payment.timeline.map((step) => step.note).slice(0, 4)).toEqual([
      'accepted, the amount is held; waits for approval by two operators, 0 of 2',
      'approved by an operator; waits for approval by two operators, 1 of 2',
      'approved by a second operator, 2 of 2',
      'approved by two operators; its coins are being reserved',
    ]);
    expect(JSON.stringify(payment, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toMatch(
      /anna|rita/,
    );
    const log = await world.db.query(
      `SELECT actor, action, user_id, details FROM audit_log WHERE details->>'payment_id' = $1 ORDER BY audit_id`,
      [id],
    );
    const approved = (actor: string, approvals: number) => ({
      actor,
      action: 'payment.approved',
      user_id: alice.userId,
      details: { payment_id: id, approvals, needed: 2 },
    });
    expect(log).toEqual([approved(`operator:${loginOf('anna')}`, 1), approved(`operator:${loginOf('rita')}`, 2)]);
    expect(await world.faults()).toEqual([]);
  });

  it('one micro-USDC less does not wait', async () => {
    const id = await sendLarge('99.999999');
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
  });

  it('denied by one person, releases its money immediately, and cannot change any more', async () => {
    const before = await held();
    const id = await sendLarge('500');
    await as('anna', 'approve', id);
    await expect(as('rita', 'deny', id)).rejects.toThrow(/--why/);
    expect(await as('rita', 'deny', id, '--why', 'the customer was called')).toMatch(/available again/);
    expect(await world.get(id)).toMatchObject({
      state: 'DENIED',
      errorReason: 'the operator of this service has denied it',
      errorDetail: 'denied by an operator: the customer was called',
    });
    expect(await held()).toBe(before);
    await expect(as('rolf', 'approve', id)).rejects.toThrow(/does not wait for approval/);
    await expect(as('rolf', 'deny', id, '--why', 'again')).rejects.toThrow(/does not wait for approval/);
    await expect(reserve(id)).rejects.toThrow(/no open hold/);
    const [last] = await world.db.query(
      `SELECT actor, action, details FROM audit_log WHERE details->>'payment_id' = $1 ORDER BY audit_id DESC LIMIT 1`,
      [id],
    );
    expect(last).toEqual({
      actor: `operator:${loginOf('rita')}`,
      action: 'payment.denied',
      details: { payment_id: id, reason: 'the customer was called' },
    });
    expect(await world.faults()).toEqual([]);
  });

  it('can be denied until it is signed, and then only cancelled', async () => {
    const [early, late] = [await sendLarge('200'), await sendLarge('300')];
    for (const id of [early, late]) for (const name of ['anna', 'rita'] as const) await as(name, 'approve', id);
    expect(await as('rolf', 'deny', early, '--why', 'second thoughts')).toMatch(/available again/);
    await world.work();
    await expect(as('rolf', 'deny', late, '--why', 'too late')).rejects.toThrow(`florin payment cancel ${late}`);
    await world.settleDown();
    expect([(await world.get(early)).state, (await world.get(late)).state]).toEqual(['DENIED', 'COMPLETE']);
    expect(await world.faults()).toEqual([]);
  });

  it('keeps its decision when the configuration changes', async () => {
    const large = await sendLarge('150');
    world.sendRules = { ...WAITING, approvalThreshold: undefined };
    const free = await sendLarge('150');
    await world.settleDown({ turns: 8 });
    expect([(await world.get(large)).state, (await world.get(free)).state]).toEqual(['INITIATED', 'COMPLETE']);
    await as('anna', 'deny', large, '--why', 'a test');
  });

  it.each([
    ['nothing', ['approve'], /PAYMENT is missing/],
    ['no id', ['deny', 'everything', '--why', 'x'], /not the whole id of a payment or the hash/],
    ['two ids', ['approve', randomUUID(), randomUUID()], /is one argument too many/],
    ['a stranger', ['approve', randomUUID()], /does not wait for approval/],
    ['an unknown option', ['approve', '--yse'], /no option --yse/],
  ])('%s gets a clear message', async (_, args, message) => {
    await expect(as('anna', ...args)).rejects.toThrow(message);
  });

  it('is not approved by support, nor by an unknown person', async () => {
    const id = await sendLarge();
    await expect(as('sven', 'approve', id)).rejects.toThrow(/role support, which may not/);
    await expect(as('mallory', 'approve', id)).rejects.toThrow(/not an operator/);
    await as('anna', 'deny', id, '--why', 'a test');
  });
});

describe('PostgreSQL refuses', () => {
  it('a move with fewer than two approvals, the same person twice, and a third', async () => {
    const id = await sendLarge();
    await expect(reserve(id)).rejects.toThrow(/waits/);
    await approveInSql(id, 'anna');
    await expect(reserve(id)).rejects.toThrow(/waits/);
    await expect(approveInSql(id, 'anna')).rejects.toThrow(/approved .* before/);
    await expect(approveInSql(id, 'sven')).rejects.toThrow(/not an operator who may approve/);
    await approveInSql(id, 'rita');
    await expect(approveInSql(id, 'rolf')).rejects.toThrow(/waits for no approval/);
    await reserve(id);
    await world.settleDown();
    await expect(approveInSql(id, 'rolf')).rejects.toThrow(/waits for no approval/);
  });

  it.each([
    ['a payment that needs fewer people than it did', 'UPDATE payments SET approvals_needed = 0 WHERE payment_id = $1'],
    ['a payment that waits less than it did', 'UPDATE payments SET not_before = now() WHERE payment_id = $1'],
    ['an approval in another name', `UPDATE approvals SET operator = 'rolf' WHERE payment_id = $1`],
    ['a deleted approval', 'DELETE FROM approvals WHERE payment_id = $1'],
    [
      'a payment that needs one person',
      `INSERT INTO payments (payment_id, state, destination, approvals_needed)
       VALUES ($1, 'INITIATED', '0x', 1)`,
    ],
  ])('%s', async (_, statement) => {
    const id = await sendLarge();
    await approveInSql(id, 'anna');
    await expect(world.db.query(statement, [id])).rejects.toThrow(/permission denied/);
    await expect(asAdmin(world.databaseUrl, statement, [id])).rejects.toThrow(
      /cannot change|append-only|violates check/,
    );
    await as('rita', 'deny', id, '--why', 'a test');
  });

  it('to reserve, to clear and to sign with the approval of a person who was removed since', async () => {
    const destination = randomAddress();
    const id = await sendLarge('100', destination);
    expect(await as('rita', 'approve', id)).toBe('Approved: 1 of 2.\n');
    await setRole('rita', undefined);
    expect(await as('rolf', 'approve', id)).toBe('Approved: 1 of 2.\n');
    // What a worker's login may do; an operator's may not even do that.
    const schedule = (db: Db) => db.query('SELECT schedule_job($1, $2, NULL)', [submitJob(HOME), id]);
    await expect(asOperator(world.databaseUrl, 'rolf', schedule)).rejects.toThrow(/permission denied/);
    await schedule(world.db);
    await world.work();
    await world.work();
    expect((await world.get(id)).state).toBe('INITIATED');
    expect(await notesOf(id)).toEqual([
      'accepted, the amount is held; waits for approval by two operators, 0 of 2',
      'approved by an operator; waits for approval by two operators, 1 of 2',
    ]);
    await expect(reserve(id)).rejects.toThrow(/waits/);
    for (const state of ['CLEARED', 'QUEUED', 'CONFIRMED']) {
      await world.db
        .tx(async (tx) => {
          await tx.query('SELECT payments_advance(ARRAY[$1::uuid], ARRAY[$2], NULL, NULL, NULL)', [id, state]);
          await tx.query(MOVE, [id, alice.address]);
        })
        .then(
          () => expect.fail(`reserved after ${state}`),
          (error: Error) => expect(error.message).toMatch(/waits|approved/),
        );
    }
    await asAdmin(world.databaseUrl, 'ALTER TABLE coin_moves DISABLE TRIGGER coin_moves_guard');
    await reserve(id);
    await asAdmin(world.databaseUrl, 'ALTER TABLE coin_moves ENABLE TRIGGER coin_moves_guard');
    const soon = BigInt(Math.floor(Date.now() / 1000)) + 900n;
    expect(await world.signer.signAuthorizations([id], soon)).toMatchObject({
      outcome: 'accepted',
      refused: [{ reason: expect.stringMatching(/waits for approval/) }],
    });
    // Another person's approval is the second valid one.
    expect(await as('anna', 'approve', id)).toBe('Approved: 2 of 2.\n');
    expect((await world.get(id)).state).toBe('CLEARED');
    await setRole('rolf', undefined);
    // Two people who were operators then cleared it: nothing is taken back, and no third approval is needed.
    expect(await notesOf(id)).toContain('approved by a second operator, 2 of 2');
    await expect(as('anna', 'approve', id)).rejects.toThrow(/from another person|does not wait for approval/);
    await setRole('rolf', 'risk');
    await expect(as('rolf', 'approve', id)).rejects.toThrow(/from another person|does not wait for approval/);
    await setRole('rita', 'risk');
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
    expect(await world.balance(destination)).toBe(100_000_000n);
  });

  it('an approval in SQL also starts the payment, without a job by the approver', async () => {
    const id = await sendLarge();
    await approveInSql(id, 'anna');
    await approveInSql(id, 'rita');
    expect(await world.db.query('SELECT kind FROM jobs WHERE key = $1', [id])).toEqual([{ kind: submitJob(HOME) }]);
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
  });

  it('more concurrent approvals than the two it needs', async () => {
    const id = await sendLarge();
    const outcomes = await Promise.allSettled(
      (['anna', 'rita', 'rolf', 'anna', 'rita', 'rolf'] as const).map((name) => as(name, 'approve', id)),
    );
    expect(outcomes.filter((one) => one.status === 'fulfilled')).toHaveLength(2);
    const jobs = await world.db.query('SELECT FROM jobs WHERE key = $1', [id]);
    expect(jobs).toHaveLength(1);
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
  });
});

it('in any order of actions, it is reserved only after two approvals and never after an end', async () => {
  const deed = fc.oneof(
    fc.record({
      kind: fc.constant('approve' as const),
      name: fc.constantFrom<OperatorName[]>('anna', 'rita', 'rolf', 'sven'),
    }),
    fc.record({ kind: fc.constantFrom('deny' as const, 'cancel' as const, 'reserve' as const) }),
  );
  const isDone = (work: Promise<unknown>) =>
    work.then(
      () => true,
      () => false,
    );
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 8 }), async (deeds) => {
      const id = await sendLarge();
      // The model: who has approved, whether it is reserved, how it ended.
      const approved = new Set<string>();
      let reserved = false;
      let end: string | undefined;
      for (const one of deeds) {
        if (one.kind === 'approve') {
          const counts = !end && approved.size < 2 && one.name !== 'sven' && !approved.has(one.name);
          expect(await isDone(as(one.name, 'approve', id))).toBe(counts);
          if (counts) approved.add(one.name);
        } else if (one.kind === 'reserve') {
          const counts: boolean = !end && !reserved && approved.size === 2;
          expect(await isDone(reserve(id))).toBe(counts);
          reserved ||= counts;
        } else if (one.kind === 'deny') {
          expect(await isDone(as('anna', 'deny', id, '--why', 'a test'))).toBe(!end);
          end ??= 'DENIED';
        } else {
          const cancelled = world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
          expect(await isDone(cancelled)).toBe(end !== 'DENIED');
          end ??= 'CANCELLED';
        }
        const expected = end ?? (approved.size === 2 ? 'CLEARED' : 'INITIATED');
        expect((await world.get(id)).state).toBe(expected);
      }
      if (!end) await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
    }),
    { numRuns: howMany(14, 40) },
  );
  await world.settleDown();
  expect(await held()).toBe(0n);
  expect(await world.faults()).toEqual([]);
});
