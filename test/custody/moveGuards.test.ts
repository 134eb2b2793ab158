/** What PostgreSQL refuses about coin moves, even to a superuser. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Hex } from '../../server/src/core/ports.ts';
import type { Signer } from '../../server/src/core/signer.ts';
import { nonceOf, toBytes } from '../../server/src/custody/eip3009/authorizations.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { carryPayments } from '../../server/src/payments/sends/carryPayments.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { endBackoffs } from '../support/chain/endBackoffs.ts';
import { TEST_PROVIDER } from '../support/chain/provider.ts';
import { asAdmin } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

let world: CustodyWorld;
const refuses = async (message: RegExp, sql: string, ...values: unknown[]) =>
  expect(asAdmin(world.databaseUrl, sql, values), sql).rejects.toThrow(message);
const cancel = (id: string) => world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
const deaf: Pick<Signer, 'signAuthorizations'> = {
  signAuthorizations: async () => ({ outcome: 'unknown', cause: new Error('no answer') }),
};
/** Coins reserved, nothing signed. */
async function reserveOnly(amount: string, destination: Hex = randomAddress()): Promise<string> {
  const id = await world.send({ amount, destination });
  await world.work({ signer: { ...world.signer, ...deaf } });
  return id;
}

describe('a move of a wallet that signs', () => {
  let treasury: Holder;
  beforeAll(async () => {
    world = await startCustody();
    ({ treasury } = await world.fund({ treasury: '100' }));
  });
  afterAll(() => world.stop());

  const insert = `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount,
    reserved) VALUES ($1, $2, $3, 'send', 'eip3009', $4,
    coalesce((SELECT destination FROM payments WHERE payment_id = $1), $4), $5, $6)`;
  const move = (id: string, amount: bigint, reserved: bigint) =>
    [id, world.usdc.assetId, treasury.walletId, treasury.address, amount, reserved] as const;

  it('is the only one of its payment, and belongs to an open payment', async () => {
    const id = await reserveOnly('1');
    await refuses(/coin_moves_pkey/, insert, ...move(id, 1_000_000n, 0n));
    await refuses(/no open hold/, insert, ...move(randomUUID(), 1_000_000n, 0n));
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
    await refuses(/no open hold/, insert, ...move(id, 1_000_000n, 0n));
  });

  it('reserves no coin that is missing or already reserved', async () => {
    const id = await reserveOnly('60');
    await refuses(/holdings_reserved_once/, 'UPDATE holdings SET reserved = coins + 1');
    const other = await world.send({ amount: '30' });
    await asAdmin(world.databaseUrl, insert, [...move(other, 30_000_000n, 0n)]);
    await asAdmin(world.databaseUrl, 'UPDATE holdings SET coins = 80000000');
    await refuses(/holdings_reserved_once/, 'UPDATE coin_moves SET reserved = amount WHERE move_id = $1', other);
    await asAdmin(world.databaseUrl, 'UPDATE holdings SET coins = 99000000');
    await world.settleDown();
    expect([(await world.get(id)).state, (await world.get(other)).state]).toEqual(['COMPLETE', 'COMPLETE']);
  });

  it('is not signed on another rail, after its end, or after a cancellation was requested', async () => {
    const sign = 'SELECT record_signatures(ARRAY[$1::uuid], ARRAY[$2::bytea], 99999999999, ARRAY[$3::bytea])';
    const values = (id: string) => [id, toBytes(nonceOf(id)), Buffer.alloc(65)] as const;
    const id = await reserveOnly('1');
    await refuses(/provider_transfers_only_while_open|ended or is to be/, HAND_OVER, id, TEST_PROVIDER, randomUUID());
    await world.work({ chain: { ...world.chain, broadcast: async () => ({ outcome: 'unknown', message: 'no' }) } });
    expect(await cancel(id)).toBe('asked');
    await refuses(/to be cancelled/, sign, ...values(id));
    await refuses(/may still be paid/, `UPDATE payments SET state = 'CANCELLED' WHERE payment_id = $1`, id);
    await world.settleDown();
    expect((await world.get(id)).state).toBe('CANCELLED');
    await refuses(/has ended/, sign, ...values(id));
    await refuses(/cannot end differently/, `UPDATE coin_moves SET state = 'open' WHERE move_id = $1`, id);
    await refuses(/cannot change/, `UPDATE authorizations SET nonce = decode(repeat('ab', 32), 'hex')`);
    await refuses(/cannot change/, 'UPDATE authorizations SET valid_before = 1 WHERE move_id = $1', id);
  });

  it('that was never signed ends as FAILED when its signer refuses it permanently', async () => {
    const id = await world.send({ amount: '2' });
    const refusing: Signer = {
      ...world.signer,
      signAuthorizations: async (ids) => ({
        outcome: 'accepted',
        refused: ids.map((one) => ({ id: one, reason: 'this wallet is frozen', isForNow: false })),
      }),
    };
    for (let i = 0; i < 4; i++) {
      await world.work({ signer: refusing });
      await endBackoffs(world);
    }
    expect(await world.get(id)).toMatchObject({
      state: 'FAILED',
      errorDetail: 'the signer refused: this wallet is frozen',
    });
    expect(await world.faults()).toEqual([]);
  });
});

describe('a signer that is slow or refuses', () => {
  beforeAll(async () => {
    world = await startCustody();
    await world.fund({ treasury: '100' });
  });
  afterAll(() => world.stop());
  /** Signed, and not on the chain yet. */
  const signOnly = async (): Promise<string> => {
    const id = await world.send({ amount: '1' });
    await world.work({ chain: { ...world.chain, broadcast: async () => ({ outcome: 'unknown', message: 'no' }) } });
    return id;
  };

  it('does not delay what was signed before', async () => {
    const signed = await signOnly();
    let end = (): void => {};
    const late: ReturnType<Signer['signAuthorizations']> = new Promise((resolve) => {
      end = () => resolve({ outcome: 'unknown', cause: 'it took too long' });
    });
    const slow: Signer = { ...world.signer, signAuthorizations: () => late };
    const waiting = await world.send({ amount: '2' });
    const turn = world.work({ signer: slow });
    const app = { db: world.db, rails: world.rails, signer: slow };
    // The other turn goes on to the end of the test: it waits for a signature.
    while ((await world.get(signed)).state !== 'COMPLETE') {
      await carryPayments(app, world.network);
      await world.mine();
      while (await trackPayments(app, world.network));
    }
    await eventually(async () => expect((await world.get(waiting)).state).toBe('QUEUED'));
    end();
    await turn;
    await endBackoffs(world);
    await world.settleDown();
    expect((await world.get(waiting)).state).toBe('COMPLETE');
    expect(await world.faults()).toEqual([]);
  });

  it('is asked for a cancellation with growing delays, and immediately when it was only rate-limited', async () => {
    const id = await signOnly();
    expect(await cancel(id)).toBe('asked');
    let refusal: object = { isNext: true };
    let asked = 0;
    const refusing: Signer = {
      ...world.signer,
      async signCancellations(ids) {
        asked += ids.length;
        return {
          outcome: 'accepted',
          refused: ids.map((one) => ({ id: one, reason: 'no', isForNow: true, ...refusal })),
        };
      },
    };
    const ask = () => world.work({ signer: refusing });
    const readWait = async () => {
      const [row] = await world.db.query<{ refusals: number; is_long: boolean }>(
        `SELECT cancel_refusals AS refusals, coalesce(cancel_after > clock_timestamp() + interval '2 minutes', false) AS is_long
           FROM authorizations WHERE move_id = $1`,
        [id],
      );
      return row;
    };
    const waitUntil = (text: string) =>
      asAdmin(
        world.databaseUrl,
        `UPDATE authorizations SET cancel_after = clock_timestamp() + $2::interval WHERE move_id = $1`,
        [id, text],
      );
    await ask();
    await ask();
    expect([asked, await readWait()]).toEqual([2, { refusals: 0, is_long: false }]);
    refusal = {};
    await ask();
    expect([asked, await readWait()]).toEqual([3, { refusals: 1, is_long: false }]);
    await waitUntil('1 hour');
    await ask();
    expect(asked).toBe(3);
    await asAdmin(world.databaseUrl, 'UPDATE authorizations SET cancel_refusals = 9 WHERE move_id = $1', [id]);
    await waitUntil('-1 second');
    await ask();
    expect([asked, await readWait()]).toEqual([4, { refusals: 10, is_long: true }]);
    await waitUntil('-1 second');
    await world.settleDown();
    expect((await world.get(id)).state).toBe('CANCELLED');
    expect(await world.faults()).toEqual([]);
  });
});

const HAND_OVER = 'INSERT INTO provider_transfers (move_id, provider, key) VALUES ($1, $2, $3)';

describe('a move of a wallet whose provider sends', () => {
  let id: string;
  beforeAll(async () => {
    world = await startCustody({}, { walletProvider: TEST_PROVIDER });
    await world.fund({ treasury: '100' });
    world.provider.switches.isSlow = true;
    id = await world.send({ amount: '8', destination: randomAddress() });
    await world.work();
  });
  afterAll(() => world.stop());

  it('is handed over once, under one key, and not after its end or after a cancellation was requested', async () => {
    await refuses(/provider_transfers_pkey/, HAND_OVER, id, TEST_PROVIDER, randomUUID());
    await refuses(/another one/, 'UPDATE provider_transfers SET key = $2 WHERE move_id = $1', id, randomUUID());
    await refuses(/another one/, `UPDATE provider_transfers SET provider_id = 'x' WHERE move_id = $1`, id);
    await refuses(/history|append-only/, 'DELETE FROM provider_transfers WHERE move_id = $1', id);
    await refuses(
      /violates foreign key|ended or is to be cancelled/,
      HAND_OVER,
      randomUUID(),
      TEST_PROVIDER,
      randomUUID(),
    );
    await cancel(id);
    await refuses(/ended or is to be cancelled/, HAND_OVER, id, TEST_PROVIDER, randomUUID());
  });

  it('is not given up while the provider may still make it, and neither is its payment', async () => {
    const end = `UPDATE coin_moves SET state = 'dead', reserved = 0 WHERE move_id = $1`;
    await refuses(/may still make the transfer/, end, id);
    for (const state of ['FAILED', 'DENIED', 'CANCELLED']) {
      await refuses(/may still be paid/, 'UPDATE payments SET state = $2 WHERE payment_id = $1', id, state);
    }
    // The provider reports that it is over, but blocks that are not final yet may contain it.
    await world.mine();
    const head = (await world.chain.getHead()).number;
    await world.db.query(
      `UPDATE provider_transfers SET provider_state = 'cancelled', ended_head = $2 WHERE move_id = $1`,
      [id, head],
    );
    await refuses(/may still make the transfer/, end, id);
    await refuses(/stays started/, 'UPDATE coin_moves SET started_at = NULL WHERE move_id = $1', id);
    await refuses(/stays requested/, 'UPDATE coin_moves SET cancel_wanted_at = NULL WHERE move_id = $1', id);
    await world.settleDown();
    expect((await world.get(id)).state).toBe('CANCELLED');
    expect(await world.faults()).toEqual([]);
  });
});
