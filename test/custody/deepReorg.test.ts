/** The chain replaces final blocks. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Hex } from '../../server/src/core/ports.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { noteRestore } from '../../server/src/operators/restores.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { backUp } from '../support/chain/backUp.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';
import { openUserAccount } from '../support/ledger/openUserAccount.ts';

let world: CustodyWorld;
beforeEach(async () => {
  world = await startCustody();
});
afterEach(() => world.stop());

interface Sent {
  readonly id: string;
  readonly destination: Hex;
}

/** Broadcast, with so many blocks behind it that a deep reorg drops no deposit. */
async function sendAfterManyBlocks(): Promise<Sent> {
  await world.treasury('100');
  await world.credit();
  await world.mine(12);
  await world.work();
  const destination = randomAddress();
  const id = await world.send({ amount: '5', destination });
  await world.work();
  return { id, destination };
}

it('keeps what is COMPLETE, relays it again, bears the vanished deposit, and reports it', async () => {
  const alice = await world.person('alice', '100');
  const { id, destination } = await sendAfterManyBlocks();
  await world.turn('/faucet', { address: alice.address, usdc: '7' });
  await world.mine();
  for (let i = 0; i < 4; i++) {
    await world.mine();
    await world.work();
  }
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await world.faults()).toEqual([]);

  await world.turn('/reorg', { depth: 7, orphans: 'drop' });
  expect(await world.balance(destination)).toBe(0n);
  await world.mine(5);
  for (let i = 0; i < 10; i++) {
    await world.work();
    await world.mine();
  }
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await world.balance(destination)).toBe(5_000_000n);
  const pauses = await world.db.query<{ cause: string; reason: string }>('SELECT cause, reason FROM pauses');
  expect(pauses.map((pause) => pause.cause).sort()).toEqual(['contradicted', 'reorg']);
  expect(pauses.find((pause) => pause.cause === 'contradicted')!.reason).toMatch(/deposit of 7 USDC vanished/);
  const [loss] = await world.db.query<{ available: bigint }>(`SELECT available FROM accounts WHERE kind = 'loss'`);
  expect(loss!.available).toBe(-7_000_000n);
  expect(await world.faults()).toEqual([]);
  await expect(world.send({ amount: '1' })).rejects.toMatchObject({ code: 'service.paused' });
});

it('bears any number of vanished deposits, some in each commit', async () => {
  const many = 600;
  const alice = await world.person('alice', '100');
  await world.credit();
  await world.mine(12);
  await world.work();
  const { assetId } = world.usdc;
  const account = await openUserAccount(world.db, assetId, alice.userId!);
  const ids = Array.from({ length: many }, () => randomUUID());
  await world.db.query('SELECT testing.deposit($1, $2, $3, $4, $5)', [
    assetId,
    ids,
    ids.map(() => account),
    ids.map(() => 1n),
    ids.map(() => 'somebody'),
  ]);
  await world.db.query(
    `INSERT INTO deposits (asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash, log_index,
       transfer_id)
     SELECT $1, 'hash of ' || i.id, $2, 0, 'somebody', 1, c.block_number, c.block_hash, i.n, i.id
       FROM unnest($3::uuid[]) WITH ORDINALITY AS i(id, n), chain_cursors c`,
    [assetId, alice.walletId, ids],
  );
  await world.db.query('UPDATE holdings SET coins = coins + $2 WHERE wallet_id = $1', [alice.walletId, many]);

  await world.turn('/reorg', { depth: 7, orphans: 'drop' });
  await world.mine(7);
  while (await trackPayments(world, world.network));
  const [loss] = await world.db.query<{ available: bigint }>(`SELECT available FROM accounts WHERE kind = 'loss'`);
  expect(loss!.available).toBe(BigInt(-many));
  // A commit has its own 65,536 positions in the feed.
  const commits = await world.db.query<{ losses: number }>(
    `SELECT count(*)::int AS losses FROM transfers WHERE kind = 'internal' GROUP BY seq / 65536 ORDER BY 1`,
  );
  expect(commits.map(({ losses }) => losses)).toEqual([100, 500]);
  expect(await world.db.query('SELECT recheck_to FROM chain_cursors')).toEqual([{ recheck_to: null }]);
  expect(await world.faults()).toEqual([]);
});

/** Relayed, mined, cancelled at that moment or before it was mined, and final: then the chain drops all of it. */
async function loseAfterCancel(moment: 'mined' | 'broadcast'): Promise<Sent> {
  const { id, destination } = await sendAfterManyBlocks();
  if (moment === 'mined') await world.mine();
  await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
  for (let i = 0; i < 6; i++) {
    await world.work();
    await world.mine();
  }
  expect((await world.get(id)).state).toBe(moment === 'mined' ? 'COMPLETE' : 'CANCELLED');
  await world.turn('/reorg', { depth: 8, orphans: 'drop' });
  await world.mine(6);
  // From the commit that noticed the reorg on, the relay transaction holds the intended calls: no process may broadcast
  // the other bytes in between.
  while (await trackPayments(world, world.network));
  const [call] = await world.db.query<{ cancels: boolean }>(
    `SELECT l.cancelled_in IS NOT NULL AS cancels FROM carrier_calls l JOIN carriers c USING (carrier_id)
      WHERE l.move_id = $1 AND c.state = 'pending'`,
    [id],
  );
  expect(call).toEqual({ cancels: moment === 'broadcast' });
  for (let i = 0; i < 10; i++) {
    await world.work();
    await world.mine();
  }
  return { id, destination };
}

it('pays COMPLETE payments again, although a cancellation was requested', async () => {
  const { id, destination } = await loseAfterCancel('mined');
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await world.balance(destination)).toBe(5_000_000n);
  expect(await world.faults()).toEqual([]);
});

it('cancels CANCELLED payments again', async () => {
  const { id, destination } = await loseAfterCancel('broadcast');
  expect((await world.get(id)).state).toBe('CANCELLED');
  expect(await world.balance(destination)).toBe(0n);
  const [wallet] = await world.db.query<{ from_address: `0x${string}`; nonce: Buffer }>(
    'SELECT from_address, nonce FROM authorizations JOIN coin_moves USING (move_id) WHERE move_id = $1',
    [id],
  );
  const log = await world.chain.findAuthorizationLog({
    token: world.usdc.contract,
    from: 0n,
    to: await world.chain.getHead(),
    authorizer: wallet!.from_address,
    nonce: `0x${wallet!.nonce.toString('hex')}`,
  });
  expect(log?.kind).toBe('canceled');
  expect(await world.faults()).toEqual([]);
});

it('pays again what an older copy of this database signed, and this one has never signed', async () => {
  await world.treasury('100');
  await world.credit();
  await world.mine(12);
  await world.work();
  const destination = randomAddress();
  const id = await world.send({ amount: '5', destination });
  const goBack = await backUp(world);
  await world.work();
  await goBack();
  await world.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));
  expect(await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }))).toBe('asked');
  await world.work();
  const cancelling = `SELECT FROM carrier_calls JOIN carriers USING (carrier_id)
    WHERE state = 'pending' AND cancelled_in IS NOT NULL AND dropped_in IS NULL`;
  expect(await world.db.query(cancelling)).toHaveLength(1);
  await world.mine(5);
  while (await trackPayments(world, world.network));
  expect((await world.get(id)).state).toBe('COMPLETE');

  await world.turn('/reorg', { depth: 7, orphans: 'drop' });
  await world.mine(5);
  while (await trackPayments(world, world.network));
  expect(await world.db.query(cancelling)).toEqual([]);
  await turn(12);
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await world.balance(destination)).toBe(5_000_000n);
  expect(await world.faults()).toEqual([]);
});

interface Settled {
  readonly bob: Hex;
  readonly read: () => Promise<{ readonly state: string; readonly reserved: bigint }>;
}

/** A settlement of 40 from alice to bob is final; then the chain drops it, and its blocks take `blockSeconds` each. */
async function loseSettlement(blockSeconds: number): Promise<Settled> {
  const alice = await world.person('alice', '100');
  const bob = await world.person('bob');
  await world.credit();
  await world.mine(12);
  await world.work();
  await world.payUser(alice, 'bob', '40');
  expect((await settleWallets(world, world.network, world.usdc)).transfers).toBe(1);
  for (let i = 0; i < 6; i++) {
    await world.work();
    await world.mine();
  }
  const read = async () =>
    (await world.db.query<{ state: string; reserved: bigint }>('SELECT state, reserved FROM coin_moves'))[0]!;
  expect((await read()).state).toBe('done');
  await world.turn('/reorg', { depth: 7, orphans: 'drop' });
  await world.mine(7, blockSeconds);
  return { bob: bob.address, read };
}

const turn = async (times: number) => {
  for (let i = 0; i < times; i++) {
    await world.work();
    await world.mine();
  }
};

it('reserves the coins of a reverted settlement again, and repeats it', async () => {
  const { bob, read } = await loseSettlement(1);
  await world.work();
  await world.work();
  expect(await read()).toEqual({ state: 'open', reserved: 40_000_000n });
  await turn(8);
  expect((await read()).state).toBe('done');
  expect(await world.balance(bob)).toBe(40_000_000n);
  expect(await world.faults()).toEqual([]);
});

it('ends a reverted settlement when its signature has expired, and the next settlement moves its coins', async () => {
  const { bob, read } = await loseSettlement(1_000);
  await turn(10);
  expect((await read()).state).toBe('dead');
  expect((await settleWallets(world, world.network, world.usdc)).transfers).toBe(1);
  await turn(8);
  expect(await world.balance(bob)).toBe(40_000_000n);
  expect(await world.faults()).toEqual([]);
});
