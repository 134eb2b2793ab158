/**
 * M29: Circle sends, and the database is restored from before a send. The client repeats its key after an operator has
 * imported what the chain shows: the payment is that transfer, and its sender pays once. M30: a send is cancelled hours
 * after a restore: Circle is asked before the money is returned.
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  explainAsLoss,
  explainAsSettlement,
  listUnexplained,
} from '../../server/src/custody/watch/unexplainedMoves.ts';
import { noteRestore } from '../../server/src/operators/restores.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { importedId, importPayment } from '../../server/src/payments/tracking/importPayment.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { type CustodyWorld, type Holder, randomAddress } from '../support/chain/custody.ts';
import { type SendingWorld, startSendingWorld } from '../support/circle/sendingWorld.ts';
import { asAdmin } from '../support/database.ts';
import { ageRows } from '../support/restores/ageRows.ts';
import { findUnfinished } from '../support/restores/runStory.ts';
import { readAvailable } from '../support/restores/stage.ts';
import { inPlace } from '../support/restores/ways.ts';

let sending: SendingWorld;
let world: CustodyWorld;
beforeAll(async () => {
  sending = await startSendingWorld({}, { missingAfterMs: 0 });
  world = sending.world;
});
afterEach(() => sending.double.control.reset());
afterAll(() => world.stop());

const available = async (...people: readonly Holder[]) =>
  (await readAvailable(world.db, world.usdc.assetId, people)).map((amount) => Number(amount) / 1_000_000);

const send = (from: Holder, destination: string, amount: string, key: string) =>
  world.send({
    walletId: from.walletId,
    destination,
    amount,
    key: { caller: 'robot', route: '/wallet/send-usdc', text: key },
  });

/** Sends, and restores the earlier database; the watcher has seen the transfer, and Circle has forgotten the key. */
async function sendAndRestore(from: Holder, destination: string, amount: string, key: string): Promise<string> {
  const restore = await inPlace.backUp(world.databaseUrl);
  const id = await send(from, destination, amount, key);
  await world.settleDown();
  await restore();
  await world.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));
  while (await trackPayments(world, world.network));
  sending.double.control.turn({ keys_live_ms: 0 });
  return id;
}

async function importAll(): Promise<string[]> {
  const moves = await listUnexplained(world.db);
  for (const move of moves) await world.db.tx((tx) => importPayment(tx, importedId(move), move));
  return moves.map(importedId);
}

const transfersTo = async (address: string) =>
  (await world.listTransfers(address as `0x${string}`)).map(({ amount }) => Number(amount) / 1_000_000);

async function expectPaidOnce(id: string, destination: string): Promise<void> {
  await world.settleDown();
  const [paid, ...more] = await world.listTransfers(destination as `0x${string}`);
  expect(more).toEqual([]);
  expect(await world.get(id)).toMatchObject({ state: 'COMPLETE', txHash: paid!.txHash });
  expect(await findUnfinished(world)).toEqual([]);
  expect(await world.faults()).toEqual([]);
}

it('M29: imported, then repeated: it is COMPLETE with the transfer’s hash, and the import is reversed', async () => {
  const { ada } = await world.fund({ ada: '100' });
  const destination = randomAddress();
  const id = await sendAndRestore(ada, destination, '40', 'imported');
  const [imported] = await importAll();
  expect(await available(ada)).toEqual([60]);

  expect(await send(ada, destination, '40', 'imported')).toBe(id);
  await expectPaidOnce(id, destination);
  expect(await available(ada)).toEqual([60]);
  const [move] = await world.db.query(
    'SELECT imported_as, first_imported_as FROM unexplained_moves ORDER BY block_number DESC',
  );
  expect(move).toEqual({ imported_as: id, first_imported_as: imported });
  // Repeating it once more, or rescanning the wallet, changes nothing.
  expect(await send(ada, destination, '40', 'imported')).toBe(id);
  await world.settleDown();
  expect(await available(ada)).toEqual([60]);
});

it('M29: imported as a loss, then repeated: the sender pays, and the service gets its loss back', async () => {
  const { lou } = await world.fund({ lou: '100' });
  const destination = randomAddress();
  const id = await sendAndRestore(lou, destination, '40', 'lost');
  for (const move of await listUnexplained(world.db)) await world.db.tx((tx) => explainAsLoss(tx, move));
  expect(await available(lou)).toEqual([100]);

  await send(lou, destination, '40', 'lost');
  await expectPaidOnce(id, destination);
  expect(await available(lou)).toEqual([60]);
});

it('M29: repeated without an import: it is the transfer, which no longer needs an import', async () => {
  const { ben } = await world.fund({ ben: '100' });
  const destination = randomAddress();
  const id = await sendAndRestore(ben, destination, '40', 'not imported');
  await asAdmin(world.databaseUrl, `DELETE FROM pauses WHERE cause = 'unexplained'`);
  await send(ben, destination, '40', 'not imported');
  await expectPaidOnce(id, destination);
  expect(await available(ben)).toEqual([60]);
});

it.each(['payment', 'settlement'] as const)('M29: to a wallet of ours, imported as a %s, then repeated', async (as) => {
  const [payer, payee] = [`cyd${as}`, `dot${as}`];
  const people = await world.fund({ [payer]: '100', [payee]: '10' });
  const [cyd, dot] = [people[payer]!, people[payee]!];
  const id = await sendAndRestore(cyd, dot.address, '40', as);
  if (as === 'payment') await importAll();
  else for (const move of await listUnexplained(world.db)) await world.db.tx((tx) => explainAsSettlement(tx, move));

  await send(cyd, dot.address, '40', as);
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await findUnfinished(world)).toEqual([]);
  expect(await world.faults()).toEqual([]);
  expect(await available(cyd, dot)).toEqual([60, 50]);
});

it('M29: what the sender owed for the import is settled with it', async () => {
  const { eve, fay } = await world.fund({ eve: '100', fay: '100' });
  const destination = randomAddress();
  await world.payUser(eve, 'fay', '80');
  await world.payUser(fay, 'eve', '20');
  const restore = await inPlace.backUp(world.databaseUrl);
  await world.payUser(fay, 'eve', '30');
  const id = await send(eve, destination, '60', 'owed');
  await world.settleDown();
  await restore();
  await world.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));
  while (await trackPayments(world, world.network));
  await importAll();
  expect(await world.db.query('SELECT amount, collected FROM debts')).toEqual([{ amount: 20_000_000n, collected: 0n }]);
  await world.payUser(fay, 'eve', '90');

  await send(eve, destination, '60', 'owed');
  await expectPaidOnce(id, destination);
  expect(await available(eve)).toEqual([70]);
  expect(await world.db.query('SELECT amount, collected FROM debts')).toEqual([
    { amount: 20_000_000n, collected: 20_000_000n },
  ]);
  expect(await world.db.query(`SELECT available FROM accounts WHERE kind = 'loss'`)).toEqual([{ available: 0n }]);
});

it('M29, M31: the same key with another amount or address is not that transfer', async () => {
  const { gus } = await world.fund({ gus: '100' });
  const destination = randomAddress();
  await sendAndRestore(gus, destination, '40', 'another');
  await importAll();
  const other = await send(gus, destination, '1', 'another');
  await world.settleDown();
  expect(await world.get(other)).toMatchObject({ state: 'FAILED', txHash: null });
  expect(await available(gus)).toEqual([60]);
  expect(await transfersTo(destination)).toEqual([40]);
  await expect(send(gus, destination, '40', 'another')).rejects.toMatchObject({ code: 'idempotency.mismatch' });

  // Circle has forgotten the key, so this is a separate payment.
  const otherAddress = randomAddress();
  await sendAndRestore(gus, destination, '10', 'to another address');
  await importAll();
  const own = await send(gus, otherAddress, '10', 'to another address');
  await world.settleDown();
  const [made] = await world.listTransfers(otherAddress);
  expect(await world.get(own)).toMatchObject({ state: 'COMPLETE', txHash: made!.txHash });
  expect([await available(gus), await transfersTo(otherAddress)]).toEqual([[40], [10]]);
  expect(await findUnfinished(world)).toEqual([]);
  expect(await world.faults()).toEqual([]);
});

it.each([
  ['has it in its queue', 'QUEUED', 'CANCELLED', 100],
  ['has sent it', undefined, 'COMPLETE', 60],
  ['does not know it', 'nothing', 'CANCELLED', 100],
] as const)('M30: cancelled three hours after a restore, when the provider %s', async (_, hold, state, left) => {
  const name = `hal${state}${hold}`.toLowerCase();
  const hal = (await world.fund({ [name]: '100' }))[name]!;
  const destination = randomAddress();
  const id = await send(hal, destination, '40', name);
  const restore = await inPlace.backUp(world.databaseUrl);
  if (hold !== 'nothing') {
    if (hold) sending.double.control.turn({ hold });
    await world.work();
    await world.mine();
  }
  await restore();
  await world.db.tx((tx) => noteRestore(tx, 'a test', 'operator:anna'));
  await world.mine(1, 10_800);
  await ageRows(world.databaseUrl, 3);
  while (await trackPayments(world, world.network));

  expect(await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }))).toBe('asked');
  await world.work();
  await world.work();
  sending.double.control.reset();
  await world.settleDown();
  expect((await world.get(id)).state).toBe(state);
  expect([await available(hal), await transfersTo(destination)]).toEqual([[left], left === 60 ? [40] : []]);
  expect(await findUnfinished(world)).toEqual([]);
  expect(await world.faults()).toEqual([]);
});
