/**
 * Circle sends, the database is restored from before a send, and then the wallets move to own keys. The client repeats its
 * key, which names the transfer at Circle and nothing on the chain: the new wallet must not pay a second time.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { listUnexplained } from '../../server/src/custody/watch/unexplainedMoves.ts';
import { makeWallet } from '../../server/src/customers/wallets/makeWallet.ts';
import { chooseOwnKeys, prepareServiceWallets } from '../../server/src/customers/wallets/serviceWallets.ts';
import { importedId, importPayment } from '../../server/src/payments/tracking/importPayment.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { type CustodyWorld, type Holder, randomAddress } from '../support/chain/custody.ts';
import { endBackoffs } from '../support/chain/endBackoffs.ts';
import { type SendingWorld, startSendingWorld } from '../support/circle/sendingWorld.ts';
import { asAdmin } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { findUnfinished } from '../support/restores/runStory.ts';
import { sendForty } from '../support/restores/sendForty.ts';
import { noteRestored, readAvailable } from '../support/restores/stage.ts';
import { inPlace } from '../support/restores/ways.ts';

let sending: SendingWorld;
let world: CustodyWorld;
let people: Record<'ada' | 'ben' | 'cyd', Holder>;
const [imported, queued, fresh] = [randomAddress(), randomAddress(), randomAddress()];
beforeAll(async () => {
  sending = await startSendingWorld({}, { missingAfterMs: 0 });
  world = sending.world;
  people = await world.fund({ ada: '100', ben: '100', cyd: '100' });
  await prepareServiceWallets(world.db, world.wallets, {
    ...{ provider: 'circle_send', networks: {}, from: undefined, makers: [] },
    accounts: { circle_send: sending.double.walletSetId },
  });
  const restore = await inPlace.backUp(world.databaseUrl);
  await sendForty(world, 'ada', imported);
  await world.settleDown();
  await sendForty(world, 'ben', queued);
  await world.work();
  await restore();
  await noteRestored(world.db);
  while (await trackPayments(world, world.network));
  await importAll();
  await moveToOwnKeys();
});
afterAll(() => world.stop());

async function importAll(): Promise<void> {
  for (const move of await listUnexplained(world.db))
    await world.db.tx((tx) => importPayment(tx, importedId(move), move));
}

/** No block is mined, so what Circle has not broadcast yet stays in its queue. */
async function moveToOwnKeys(): Promise<void> {
  await prepareServiceWallets(world.db, world.wallets, { ...chooseOwnKeys(world.wallets), from: 'circle_send' });
  for (const { userId } of Object.values(people)) await makeWallet(world.db, world.wallets, userId!);
  await world.db.query(`DELETE FROM jobs WHERE kind = 'wallet'`);
}

async function expectRefused(id: string): Promise<void> {
  await eventually(async () => {
    await endBackoffs(world);
    await world.settleDown({ turns: 2 });
    const rows = await world.db.query('SELECT failure_reason AS why FROM authorizations WHERE move_id = $1', [id]);
    expect(rows).toEqual([{ why: expect.stringMatching(/an earlier wallet of its payer has made it/) }]);
    // The money stays held while the chain may pay it.
    expect((await world.get(id)).state).toBe('QUEUED');
  });
}

it('in Circle’s queue when it is repeated: it is not paid again, and the transfer is imported', async () => {
  const id = await sendForty(world, 'ben', queued);
  await world.settleDown({ turns: 4 });
  // Sends are paused since the chain has the transfer.
  await importAll();
  await expectRefused(id);
});

it('imported, then repeated: it is not paid again', async () => {
  const id = await sendForty(world, 'ada', imported);
  await expectRefused(id);
});

it('a new send is paid from the new wallet', async () => {
  await settleWallets(world, world.network, world.usdc);
  await world.settleDown({ turns: 4 });
  const id = await sendForty(world, 'cyd', fresh);
  await world.settleDown({ turns: 4 });
  expect((await world.get(id)).state).toBe('COMPLETE');
});

it('after two hours the repeated sends have failed, and each transfer is paid for once', async () => {
  const ids = [await sendForty(world, 'ada', imported), await sendForty(world, 'ben', queued)];
  await asAdmin(world.databaseUrl, `UPDATE restores SET noted_at = noted_at - interval '3 hours'`);
  await world.settleDown();
  expect([(await world.get(ids[0]!)).state, (await world.get(ids[1]!)).state]).toEqual(['FAILED', 'FAILED']);
  for (const address of [imported, queued, fresh])
    expect((await world.listTransfers(address)).map(({ amount }) => amount)).toEqual([40_000_000n]);
  const { ada, ben, cyd } = people;
  const available = await readAvailable(world.db, world.usdc.assetId, [ada, ben, cyd]);
  expect(available).toEqual([60_000_000n, 60_000_000n, 60_000_000n]);
  expect(await findUnfinished(world)).toEqual([]);
  expect(await world.faults()).toEqual([]);
});
