/** Cancelling over the Backend API: who may, the answer, and its repetition. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelTransactionOperation } from '../../server/src/http/backend/cancelTransaction.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { readAnswer } from '../support/http/answer.ts';
import { fetchChecked } from '../support/http/fetchChecked.ts';
import { type ServedOperations, serveOperations } from '../support/http/serveOperations.ts';

let world: CustodyWorld;
let alice: Holder;
let bob: Holder;
let api: ServedOperations;

beforeAll(async () => {
  world = await startCustody();
  ({ alice, bob } = await world.fund({ alice: '1000', bob: '1000', treasury: '1000' }));
  api = await serveOperations('backend', { cancel_transaction: cancelTransactionOperation(world) });
});
afterAll(async () => {
  await api.close();
  await world.stop();
});

describe('POST /api/v1/transactions/{transaction_id}/cancel', () => {
  async function call(id: string, holder?: Holder, headers: Record<string, string> = {}) {
    const response = await fetchChecked(`${api.url}/api/v1/transactions/${id}/cancel`, {
      method: 'POST',
      headers: { ...(holder && { 'x-test-user': holder.userId! }), ...headers },
    });
    return readAnswer(response);
  }

  it('returns the transaction to its payer; a foreign one gets the same answer as an unknown one, and is unchanged', async () => {
    const id = await world.send({ amount: '2', walletUsername: 'alice' });
    const treasury = await world.send({ amount: '2' });
    const { request_id: _, ...unknown } = (await call(randomUUID(), bob)).body;
    expect(unknown).toMatchObject({ status: 404, code: 'transaction.unknown' });
    for (const other of [id, treasury]) {
      const { status, body } = await call(other, bob);
      expect([status, { ...body, request_id: undefined }]).toEqual([404, { ...unknown, request_id: undefined }]);
      expect((await world.get(other)).state).toBe('INITIATED');
    }
    const { status, body } = await call(id, alice);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        transaction_id: id,
        state: 'CANCELLED',
        error_reason: 'cancelled before anything was signed',
      }),
    ]);
    expect((await call(id, alice)).body).toEqual(body);
    const audit = await world.db.query(
      `SELECT actor, action, user_id, details FROM audit_log WHERE details->>'payment_id' = $1`,
      [id],
    );
    expect(audit).toEqual([
      {
        actor: `user:${alice.userId}`,
        action: 'payment.cancel_asked',
        user_id: alice.userId,
        details: { payment_id: id, state: 'INITIATED', released: true },
      },
    ]);
    // Without a credential, as in the sandbox, any transaction can be cancelled.
    expect((await call(treasury)).body.state).toBe('CANCELLED');
  });

  it('reports what it waits for when the payment is signed', async () => {
    const destination = randomAddress();
    const id = await world.send({ amount: '2', destination, walletUsername: 'alice' });
    await world.work();
    const { status, body } = await call(id, alice);
    expect([status, body.state]).toEqual([200, 'SENT']);
    expect(body.timeline.at(-1)).toMatchObject({
      state: null,
      note: expect.stringContaining('the amount is held until one of the two is final'),
    });
    await world.settleDown();
    expect((await world.get(id)).state).toBe('CANCELLED');
    expect(await world.balance(destination)).toBe(0n);
  });

  it('refuses a payment that has ended, with its state; a payment between users always has', async () => {
    const id = await world.send({ amount: '2', walletUsername: 'alice' });
    await world.settleDown();
    const between = await world.payUser(alice, 'bob', '1');
    for (const ended of [id, between]) {
      const { status, body } = await call(ended, alice);
      expect([status, body.code, body.state, body.detail]).toEqual([
        409,
        'payment.ended',
        'COMPLETE',
        'The payment is COMPLETE and cannot be cancelled.',
      ]);
    }
    expect((await call(between, bob)).status).toBe(404);
    expect((await call('nonsense', alice)).status).toBe(422);
  });

  it('repeats its first answer under its key, also a refusal', async () => {
    const id = await world.send({ amount: '2', walletUsername: 'alice' });
    await world.work();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await call(id, alice, headers);
    await world.settleDown();
    const again = await call(id, alice, headers);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(again.body).toEqual(first.body);
    const other = await world.send({ amount: '2', walletUsername: 'alice' });
    expect((await call(other, alice, headers)).body.code).toBe('idempotency.mismatch');
    await world.settleDown();
    const late = { 'idempotency-key': randomUUID() };
    for (const replayed of [null, 'true']) {
      const refused = await call(other, alice, late);
      expect([refused.status, refused.body.code, refused.headers.get('idempotency-replayed')]).toEqual([
        409,
        'payment.ended',
        replayed,
      ]);
    }
  });

  it('cancels once when called many times in parallel', async () => {
    const id = await world.send({ amount: '2', walletUsername: 'alice' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => call(id, alice)));
    expect(answers.map(({ status, body }) => `${status} ${body.state}`)).toEqual(answers.map(() => '200 CANCELLED'));
    const ends = await world.db.query('SELECT kind FROM transfers WHERE hold_id = $1', [id]);
    expect(ends).toEqual([{ kind: 'release' }]);
    const audit = await world.db.query(`SELECT FROM audit_log WHERE details->>'payment_id' = $1`, [id]);
    expect(audit).toHaveLength(1);
  });
});
