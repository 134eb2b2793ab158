/** Coins on a real chain: sends, batches, deposits, settlement, reconciliation, and what PostgreSQL refuses. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pauseOnDrift } from '../../server/src/custody/coins/pauseOnDrift.ts';
import { reconcile } from '../../server/src/custody/coins/reconcile.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { endBackoffs } from '../support/chain/endBackoffs.ts';
import { asAdmin, urlAs } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { operate } from '../support/operate.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
let alice: Holder;
let bob: Holder;
let treasury: Holder;

beforeAll(async () => {
  world = await startCustody();
  ({ alice, bob, treasury } = await world.fund({ alice: '1000', bob: '1000', treasury: '5000' }));
});
afterAll(() => world.stop());

describe('a send to an address', () => {
  it('is relayed, mined, final and exact, and its states show it', async () => {
    const destination = randomAddress();
    const id = await world.send({ amount: '12.5', destination, walletUsername: 'alice' });
    expect((await world.get(id)).state).toBe('INITIATED');
    await world.work();
    expect((await world.get(id)).state).toBe('SENT');
    await world.mine();
    await world.work();
    expect((await world.get(id)).state).toBe('CONFIRMED');
    expect(await world.faults()).toEqual([]);
    await world.mine(2);
    await world.work();
    expect((await world.get(id)).state).toBe('CONFIRMED');
    await world.mine(1);
    await world.work();
    const done = (await readPayment(world.db, id))!;
    expect(done.state).toBe('COMPLETE');
    expect(done.from).toEqual({ username: 'alice' });
    expect(done.networkFee).toBeGreaterThan(0n);
    expect(done.timeline.map((step) => step.state)).toEqual([
      'INITIATED',
      'QUEUED',
      null,
      'SENT',
      'CONFIRMED',
      'COMPLETE',
    ]);
    expect(await world.balance(destination)).toBe(12_500_000n);
    expect(await world.faults()).toEqual([]);
  });

  it('shares a chain transaction with others, and fails alone if it cannot be executed', async () => {
    const good = Array.from({ length: 6 }, randomAddress);
    const bad = randomAddress();
    const ids = await Promise.all(good.map((destination) => world.send({ amount: '1.000001', destination })));
    const badId = await world.send({ amount: '2', destination: bad, walletUsername: 'bob' });
    await world.work({
      chain: { ...world.chain, broadcast: async () => ({ outcome: 'unknown', message: 'not yet' }) },
    });
    await world.turn('/token', { blacklist: bad });
    await world.mine();
    await world.settleDown({ turns: 8 });
    const payments = await Promise.all(ids.map((id) => world.get(id)));
    expect(new Set(payments.map((payment) => payment.txHash)).size).toBe(1);
    expect(payments.map((payment) => payment.state)).toEqual(ids.map(() => 'COMPLETE'));
    expect((await world.get(badId)).state).toBe('SENT');
    for (const destination of good) expect(await world.balance(destination)).toBe(1_000_001n);
    expect(await world.faults()).toEqual([]);

    // Given up after three attempts. The hold is released only when the last validity has passed in a final block.
    for (let i = 0; i < 12; i++) {
      await endBackoffs(world);
      await world.work();
      await world.mine();
    }
    expect((await world.get(badId)).state).toBe('SENT');
    await world.mine(1, 2_000);
    await world.mine(4);
    await world.work();
    await world.work();
    const failed = await world.get(badId);
    expect(failed).toMatchObject({ state: 'FAILED', errorDetail: 'the destination is blacklisted by the token' });
    expect(await world.balance(bad)).toBe(0n);
    expect(await world.faults()).toEqual([]);
    await expect(
      world.db.query(`INSERT INTO signatures VALUES ($1, 99999999999, $2)`, [badId, Buffer.alloc(65)]),
    ).rejects.toThrow(/ended/);
  });

  it('to a blacklisted address is denied before anything is signed', async () => {
    const bad = randomAddress();
    await world.turn('/token', { blacklist: bad });
    await world.mine();
    const id = await world.send({ amount: '3', destination: bad });
    // With the rights of a worker only.
    const db = openDatabase(urlAs(world.databaseUrl, 'worker'));
    await world.work({ db }).finally(() => db.close());
    expect(await world.get(id)).toMatchObject({ state: 'DENIED' });
    expect(await world.db.query('SELECT FROM coin_moves WHERE move_id = $1', [id])).toEqual([]);
    expect(await world.faults()).toEqual([]);
  });

  it('to one of our wallets debits the sender and credits its owner, once', async () => {
    const before = (await reconcile(world, world.network, world.usdc))!.wallets.find(
      (one) => one.walletId === bob.walletId,
    )!;
    await world.send({ amount: '7', destination: bob.address, walletUsername: 'alice' });
    await world.settleDown();
    const after = (await reconcile(world, world.network, world.usdc))!.wallets.find(
      (one) => one.walletId === bob.walletId,
    )!;
    expect(after.ledger - before.ledger).toBe(7_000_000n);
    expect(after.coins - before.coins).toBe(7_000_000n);
    expect(await world.faults()).toEqual([]);
  });

  it('returns the same answer under the same key, and is paid once', async () => {
    const destination = randomAddress();
    const key = { caller: 'web3', route: '/wallet/send-usdc', text: randomUUID() };
    const ids = await Promise.all([1, 2, 3].map(() => world.send({ amount: '4', destination, key })));
    expect(new Set(ids).size).toBe(1);
    await world.settleDown();
    await world.send({ amount: '4', destination, key });
    await world.settleDown();
    expect(await world.listTransfers(destination)).toHaveLength(1);
    await expect(world.send({ amount: '5', destination, key })).rejects.toMatchObject({ code: 'idempotency.mismatch' });
  });
});

describe('settlement', () => {
  it('moves coins ahead of a send that its wallet cannot cover', async () => {
    const carol = await world.person('carol');
    await world.payUser(alice, 'carol', '50');
    await world.payUser(bob, 'carol', '25');
    const destination = randomAddress();
    const id = await world.send({ amount: '75', destination, walletUsername: 'carol' });
    await world.settleDown();
    expect(await world.get(id)).toMatchObject({ state: 'COMPLETE' });
    expect(await world.balance(destination)).toBe(75_000_000n);
    expect(await world.balance(carol.address)).toBe(0n);
    expect(await world.faults()).toEqual([]);
    const { timeline } = (await readPayment(world.db, id))!;
    expect(timeline.some(({ note, detail = note }) => detail?.includes('just in time'))).toBe(true);
    const relayTxs = await world.db.query('SELECT DISTINCT carrier_id FROM carrier_calls WHERE move_id = $1', [id]);
    expect(relayTxs).toHaveLength(1);
  });

  it('nets many payments into at most n − 1 transfers, and appears in their timelines', async () => {
    const people = [alice, bob, await world.person('dave', '100'), await world.person('erika', '100')];
    await world.credit();
    const names = ['alice', 'bob', 'dave', 'erika'];
    const ids: string[] = [];
    for (let i = 0; i < 24; i++) {
      ids.push(
        await world.payUser(
          people[i % 4]!,
          names[(i * 7 + 1) % 4 === i % 4 ? (i + 1) % 4 : (i * 7 + 1) % 4]!,
          `1.0000${i + 10}`,
        ),
      );
    }
    const settled = await settleWallets(world, world.network, world.usdc);
    expect(settled.transfers).toBeGreaterThan(0);
    expect(settled.transfers).toBeLessThan(people.length);
    await world.settleDown();
    const { wallets, difference } = (await reconcile(world, world.network, world.usdc))!;
    expect(difference).toBe(0n);
    for (const wallet of wallets) expect(wallet.coins).toBe(wallet.ledger);
    // Published later while any commit is outstanding, also in another database of this server.
    await eventually(async () => {
      expect(await settleWallets(world, world.network, world.usdc)).toEqual({ transfers: 0, amount: 0n });
      const { timeline } = (await readPayment(world.db, ids[0]!))!;
      expect(timeline.at(-1)?.detail).toMatch(/settled on chain/);
    });
    expect(await world.faults()).toEqual([]);
  });
});

describe('a deposit', () => {
  it('is pending in a young block, credited once when final, and gone without a trace after a reorg', async () => {
    const frank = await world.person('frank');
    const credited = () =>
      world.db.query<{ amount: bigint }>('SELECT amount FROM deposits WHERE wallet_id = $1', [frank.walletId]);
    const pending = () => world.db.query('SELECT FROM pending_deposits WHERE wallet_id = $1', [frank.walletId]);
    await world.turn('/faucet', { address: frank.address, usdc: '9.000001' });
    await world.mine();
    await world.work();
    expect([await credited(), (await pending()).length]).toEqual([[], 1]);
    await world.turn('/reorg', { depth: 2, orphans: 'drop' });
    await world.work();
    expect((await pending()).length).toBe(0);
    await world.turn('/faucet', { address: frank.address, usdc: '3' });
    await world.mine(2);
    await world.work();
    await world.turn('/reorg', { depth: 2, orphans: 'return' });
    await world.work();
    expect(await credited()).toEqual([]);
    await world.mine(4);
    await world.work();
    await world.work();
    expect(await credited()).toEqual([{ amount: 3_000_000n }]);
    expect((await pending()).length).toBe(0);
    expect(await world.faults()).toEqual([]);
  });
});

describe('reconciliation', () => {
  it('pauses sends when a difference lasts, gives the reason, and signs nothing meanwhile', async () => {
    await world.db.query('UPDATE holdings SET coins = coins + 1 WHERE wallet_id = $1', [treasury.walletId]);
    await pauseOnDrift(world, world.network);
    const destination = randomAddress();
    const early = await world.send({ amount: '1', destination });
    await pauseOnDrift(world, world.network);
    await expect(world.send({ amount: '1' })).rejects.toMatchObject({
      code: 'service.paused',
      details: { reason: 'the coins on this blockchain are being counted again' },
    });
    expect(await operate(world.db, 'pause', 'list')).toContain('differs by');
    await world.work();
    expect((await world.get(early)).state).toBe('INITIATED');
    await world.db.query('UPDATE holdings SET coins = coins - 1 WHERE wallet_id = $1', [treasury.walletId]);
    await asAdmin(world.databaseUrl, 'DELETE FROM pauses');
    await world.settleDown();
    expect((await world.get(early)).state).toBe('COMPLETE');
    expect(await world.faults()).toEqual([]);
  });
});

describe('a pause', () => {
  const state = async (id: string) => (await world.get(id)).state;
  const signatures = async (id: string) =>
    (await world.db.query('SELECT FROM signatures WHERE move_id = $1', [id])).length;

  it.each([['chain'], ['all'], [`chain:${HOME}`]])(
    'of %s lets accepted sends continue, unless it stops signing',
    async (scope) => {
      const [first, second] = [await world.send({ amount: '1' }), await world.send({ amount: '1' })];
      await operate(world.db, 'pause', 'add', scope, '--signing', '--why', 'a key may be stolen');
      await expect(world.send({ amount: '1' })).rejects.toMatchObject({ code: 'service.paused' });
      await world.work();
      expect([await state(first), await signatures(first)]).toEqual(['INITIATED', 0]);
      expect(await settleWallets(world, world.network, world.usdc)).toEqual({ transfers: 0, amount: 0n });
      await operate(world.db, 'pause', 'add', scope, '--why', 'only no new ones');
      await expect(world.send({ amount: '1' })).rejects.toMatchObject({ code: 'service.paused' });
      await world.settleDown();
      expect([await state(first), await state(second)]).toEqual(['COMPLETE', 'COMPLETE']);
      await operate(world.db, 'pause', 'remove', scope);
    },
  );

  it('of signing also delays moves whose coins are already reserved', async () => {
    const id = await world.send({ amount: '1' });
    const locked = { ...world.signer, signAuthorizations: () => Promise.reject(new Error('locked')) };
    await expect(world.work({ signer: locked })).rejects.toThrow('locked');
    await operate(world.db, 'pause', 'add', 'chain', '--signing', '--why', 'a key may be stolen');
    await world.work();
    expect([await state(id), await signatures(id)]).toEqual(['QUEUED', 0]);
    await operate(world.db, 'pause', 'remove', 'chain');
    await world.settleDown();
    expect(await state(id)).toBe('COMPLETE');
    expect(await world.faults()).toEqual([]);
  });
});

describe('PostgreSQL refuses', () => {
  it.each([
    ['coins reserved after the end', `UPDATE coin_moves SET reserved = amount WHERE state = 'done'`],
    ['more reserved than there is', 'UPDATE holdings SET reserved = coins + 1'],
    ['another amount', 'UPDATE coin_moves SET amount = amount + 1'],
    ['another destination', `UPDATE coin_moves SET to_address = '0x0000000000000000000000000000000000000001'`],
    ['another rail', `UPDATE coin_moves SET rail = 'provider'`],
    ['another nonce', `UPDATE authorizations SET nonce = decode(repeat('ab', 32), 'hex')`],
    ['a gap in the nonces', 'UPDATE carriers SET nonce = nonce + 1000 WHERE previous_nonce IS NOT NULL'],
    ['a second first nonce', 'UPDATE carriers SET previous_nonce = NULL'],
    ['an edited signature', 'UPDATE signatures SET valid_before = valid_before + 1'],
    ['a dead move that comes back', `UPDATE coin_moves SET state = 'open' WHERE state = 'dead'`],
  ])('%s', async (_, statement) => {
    await expect(asAdmin(world.databaseUrl, statement)).rejects.toThrow();
  });
});
