/**
 * A restore loses a send that was signed and that the chain may still accept, and then the wallets move to Circle. The
 * client repeats its key: the new wallet must not sign until the old signature is recognized or has expired.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Keyring } from '../../server/src/core/ports.ts';
import { listUnexplained } from '../../server/src/custody/watch/unexplainedMoves.ts';
import { makeWallet } from '../../server/src/customers/wallets/makeWallet.ts';
import { chooseOwnKeys, prepareServiceWallets } from '../../server/src/customers/wallets/serviceWallets.ts';
import { importedId, importPayment } from '../../server/src/payments/tracking/importPayment.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { setUp } from '../support/circle/sendingWorld.ts';
import { asAdmin } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { noteRestored, readAvailable } from '../support/restores/stage.ts';
import { inPlace } from '../support/restores/ways.ts';

const home = setUp('Circle signs');
const SET = '7f3d5a10-0000-4000-8000-000000000001';
let world: CustodyWorld;
let people: Record<'ada' | 'ben', Holder>;
const [pending, expired] = [randomAddress(), randomAddress()];

beforeAll(async () => {
  let circle: Keyring;
  const openCircle = async (chain: Parameters<NonNullable<typeof home.options.openCircle>>[0]) => {
    circle = await home.options.openCircle!(chain);
    return circle;
  };
  world = await startCustody({}, { ...home.options, openCircle, walletProvider: 'local' });
  people = await world.fund({ ada: '60', ben: '60' });
  await prepareServiceWallets(world.db, world.wallets, chooseOwnKeys(world.wallets));
  const restore = await inPlace.backUp(world.databaseUrl);
  await send('ada', pending);
  await world.work();
  await restore();
  await noteRestored(world.db);
  await prepareServiceWallets(world.db, world.wallets, {
    ...{ provider: 'circle', networks: {}, from: 'local', accounts: { circle: SET } },
    makers: [{ ...circle!, provider: 'circle' }],
  });
  for (const { userId } of Object.values(people)) await makeWallet(world.db, circle!, userId!);
  await world.db.query(`DELETE FROM jobs WHERE kind = 'wallet'`);
});
afterAll(() => world.stop());

const send = (walletUsername: string, destination: string) =>
  world.send({
    walletUsername,
    destination,
    amount: '40',
    key: { caller: 'robot', route: '/wallet/send-usdc', text: walletUsername },
  });
const listSigned = () =>
  world.db.query(`SELECT move_id FROM signatures JOIN coin_moves m USING (move_id) WHERE m.purpose = 'send'`);

it('paid meanwhile by the earlier signature: it fails, and the transfer is imported', async () => {
  const id = await send('ada', pending);
  await world.work();
  expect(await listSigned()).toEqual([]);
  await world.settleDown();
  // Sends are paused since the chain has the transfer.
  for (const move of await listUnexplained(world.db))
    await world.db.tx((tx) => importPayment(tx, importedId(move), move));
  await eventually(async () => {
    await world.settleDown();
    expect((await world.get(id)).state).toBe('FAILED');
  });
  expect((await world.listTransfers(pending)).map(({ amount }) => amount)).toEqual([40_000_000n]);
  // The import could take only 20, because 40 were held.
  expect(await readAvailable(world.db, world.usdc.assetId, [people.ada])).toEqual([40_000_000n]);
  expect(await world.db.query('SELECT amount, collected FROM debts')).toEqual([{ amount: 20_000_000n, collected: 0n }]);
});

it('not paid: the new wallet signs it when earlier signatures have expired', async () => {
  const id = await send('ben', expired);
  await eventually(async () => {
    await world.work();
    expect(await world.db.query('SELECT waits_for FROM authorizations WHERE move_id = $1', [id])).toEqual([
      { waits_for: expect.stringMatching(/^an earlier wallet of its payer may have signed it before a restore/) },
    ]);
  });
  expect(await listSigned()).toEqual([]);
  await asAdmin(world.databaseUrl, `UPDATE restores SET noted_at = noted_at - interval '3 hours'`);
  await eventually(async () => {
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
  });
  expect((await world.listTransfers(expired)).map(({ amount }) => amount)).toEqual([40_000_000n]);
  expect(await world.faults()).toEqual([]);
});
