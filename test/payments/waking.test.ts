/** Sends that cannot continue wait until they are woken, without polling. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { runJobs } from '../../server/src/jobs/runJobs.ts';
import { submitJob } from '../../server/src/payments/sends/sendCommand.ts';
import { submitPayments } from '../../server/src/payments/sends/submitPayments.ts';
import { type CustodyWorld, type Holder, startCustody } from '../support/chain/custody.ts';
import { eventually } from '../support/eventually.ts';
import { operate } from '../support/operate.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
let alice: Holder;
let bob: Holder;
beforeAll(async () => {
  world = await startCustody();
  ({ alice, bob } = await world.fund({ alice: '100', bob: '0' }));
});
afterAll(() => world.stop());

let checks = 0;
let stop: AbortController;
let running: Promise<void>;
/** A worker that only reserves coins. */
function start(): void {
  checks = 0;
  stop = new AbortController();
  const run = (ids: readonly string[]) => {
    checks++;
    return submitPayments(world, world.network, ids);
  };
  running = runJobs(world.db, [{ kind: submitJob(HOME), batch: 100, run }], stop.signal);
}
afterEach(async () => {
  stop.abort();
  await running;
});

/** It is recorded as waiting, and not just for a moment. */
const waits = (id: string) =>
  eventually(async () => {
    const [job] = await world.db.query<{ waits: boolean }>(
      `SELECT waits_for IS NOT NULL AND run_at > now() + interval '1 minute' AS waits FROM jobs WHERE key = $1`,
      [id],
    );
    expect(job).toEqual({ waits: true });
  });

it('for incoming coins, until they have arrived', async () => {
  await world.payUser(alice, 'bob', '60');
  expect((await settleWallets(world, world.network, world.usdc)).transfers).toBe(1);
  const id = await world.send({ walletId: bob.walletId, amount: '60' });
  // The ledger has been quiet for a while: following it once more finds nothing.
  await world.db.query(`UPDATE kept_positions SET kept_at = kept_at - interval '1 hour'`);
  start();
  await waits(id);
  expect(checks).toBe(2);
  for (let i = 0; i < 6; i++) {
    await world.work();
    await world.mine();
  }
  await eventually(async () => expect((await world.get(id)).state).not.toBe('INITIATED'));
  expect(checks).toBeLessThanOrEqual(3);
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
});

it('for reserved coins, until they are free again', async () => {
  await world.payUser(alice, 'bob', '40');
  expect((await settleWallets(world, world.network, world.usdc)).transfers).toBe(1);
  const id = await world.send({ walletId: bob.walletId, amount: '40' });
  start();
  await waits(id);
  await world.db.query(
    `UPDATE coin_moves SET state = 'dead', reserved = 0 WHERE state = 'open' AND started_at IS NULL`,
  );
  await eventually(async () => expect((await world.get(id)).state).toBe('QUEUED'));
  expect(checks).toBe(3);
  await world.settleDown();
});

it('for the end of a pause', async () => {
  await world.turn('/faucet', { address: alice.address, usdc: '5' });
  await world.credit();
  const id = await world.send({ walletId: alice.walletId, amount: '5' });
  await operate(world.db, 'pause', 'add', 'chain', '--signing', '--why', 'a key may be stolen');
  start();
  await waits(id);
  await operate(world.db, 'pause', 'remove', 'chain');
  await eventually(async () => expect((await world.get(id)).state).toBe('QUEUED'));
  expect(checks).toBe(3);
});
