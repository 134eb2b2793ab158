/**
 * A restore loses a send that was signed and that the chain may still accept, and then the wallets move to Circle. The
 * client repeats its key: the new wallet must not sign until the old signature is recognized or has expired.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listUnexplained } from '../../server/src/custody/watch/unexplainedMoves.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { importedId, importPayment } from '../../server/src/payments/tracking/importPayment.ts';
import { type CustodyWorld, type Holder, randomAddress } from '../support/chain/custody.ts';
import { endBackoffs } from '../support/chain/endBackoffs.ts';
import { startMovingWorld } from '../support/circle/movingWorld.ts';
import { asAdmin } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { sendForty } from '../support/restores/sendForty.ts';
import { noteRestored, readAvailable } from '../support/restores/stage.ts';
import { inPlace } from '../support/restores/ways.ts';

let world: CustodyWorld;
let people: Record<'ada' | 'ben', Holder>;
const [pending, expired] = [randomAddress(), randomAddress()];

beforeAll(async () => {
  const moving = await startMovingWorld();
  world = moving.world;
  // Ada's first wallet is the richest, so it funds her send, and Ben's wallet funds his.
  people = await world.fund({ ada: '70', ben: '60' });
  const restore = await inPlace.backUp(world.databaseUrl);
  await sendForty(world, 'ada', pending);
  await world.work();
  await restore();
  await noteRestored(world.db);
  await moving.moveToCircle(Object.values(people));
});
afterAll(() => world.stop());

const listSigned = () =>
  world.db.query(`SELECT move_id FROM signatures JOIN coin_moves m USING (move_id) WHERE m.purpose = 'send'`);
const listWaiting = (id: string) =>
  world.db.query('SELECT coalesce(failure_reason, waits_for) AS why FROM authorizations WHERE move_id = $1', [id]);

it('while earlier signatures are valid, the new wallet signs nothing', async () => {
  const ada = await sendForty(world, 'ada', pending);
  await world.work();
  const ben = await sendForty(world, 'ben', expired);
  await world.work();
  expect(await listSigned()).toEqual([]);
  await world.settleDown();
  // Sends are paused since the chain has the transfer.
  for (const move of await listUnexplained(world.db))
    await world.db.tx((tx) => importPayment(tx, importedId(move), move));
  await eventually(async () => {
    await endBackoffs(world);
    await world.settleDown({ turns: 2 });
    expect([await listWaiting(ada), await listWaiting(ben)]).toEqual([
      [{ why: expect.stringMatching(/an earlier wallet of its payer has made it/) }],
      [{ why: expect.stringMatching(/^an earlier wallet of its payer may have signed it before a restore/) }],
    ]);
  });
  expect(await listSigned()).toEqual([]);
  // What the new wallet's nonce does would say nothing about the old wallet.
  for (const paymentId of [ada, ben])
    await expect(world.db.tx((tx) => cancelPayment(tx, { paymentId }))).rejects.toMatchObject({
      code: 'service.paused',
    });
  expect([(await world.get(ada)).state, (await world.get(ben)).state]).toEqual(['QUEUED', 'QUEUED']);
});

it('when they have expired, what was paid meanwhile fails, and the rest is paid from the new wallet', async () => {
  const [ada, ben] = [await sendForty(world, 'ada', pending), await sendForty(world, 'ben', expired)];
  await asAdmin(world.databaseUrl, `UPDATE restores SET noted_at = noted_at - interval '3 hours'`);
  await eventually(async () => {
    await endBackoffs(world);
    await world.settleDown({ turns: 2 });
    expect([(await world.get(ada)).state, (await world.get(ben)).state]).toEqual(['FAILED', 'COMPLETE']);
  });
  for (const address of [pending, expired])
    expect((await world.listTransfers(address)).map(({ amount }) => amount)).toEqual([40_000_000n]);
  // The import could take only 30, because 40 were held.
  expect(await readAvailable(world.db, world.usdc.assetId, [people.ada])).toEqual([40_000_000n]);
  expect(await world.db.query('SELECT amount, collected FROM debts')).toEqual([{ amount: 10_000_000n, collected: 0n }]);
  expect(await world.faults()).toEqual([]);
});
