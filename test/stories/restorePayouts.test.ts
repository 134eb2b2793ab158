/**
 * The database is restored from before a payout has paid its rows to addresses, and the chain has paid them. A row never
 * ends unpaid while the chain may have paid it. When an operator has imported the coins, the row is paid and names that
 * payment.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainAsLoss, listUnexplained } from '../../server/src/custody/watch/unexplainedMoves.ts';
import { confirmRestore } from '../../server/src/operators/restores.ts';
import { cancelPayout } from '../../server/src/payments/payouts/decidePayout.ts';
import { readItems } from '../../server/src/payments/payouts/readItems.ts';
import { importedId } from '../../server/src/payments/tracking/importPayment.ts';
import { type Holder, randomAddress } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';
import { drivePayouts } from '../support/payouts/drivePayouts.ts';
import { makeKey, type PayoutKey } from '../support/payouts/makeKey.ts';
import { findUnfinished } from '../support/restores/runStory.ts';
import { type Scene, startScene } from '../support/restores/scene.ts';
import { noteRestored } from '../support/restores/stage.ts';
import { inPlace } from '../support/restores/ways.ts';
import { HOME } from '../support/values.ts';

let scene: Scene;
let key: PayoutKey;
let people = 0;
let { check, confirm, run, rows, get } = {} as ReturnType<typeof drivePayouts>;

beforeAll(async () => {
  scene = await startScene('own keys');
  const { db, databaseUrl: url } = scene.world;
  await asAdmin(url, 'SELECT ledger_set_home_asset(asset_id) FROM assets');
  ({ check, confirm, run, rows, get } = drivePayouts({ db, url }, () => key));
});
afterAll(() => scene.stop());

interface Lost {
  readonly payer: Holder;
  readonly destination: string;
  readonly payoutId: string;
}

/** A payout with one row to an address and one to a person; the chain pays the address after the backup. */
async function losePaid(begun = true): Promise<Lost> {
  const { world } = scene;
  const names = [`lou${++people}`, `mia${people}`] as const;
  const { [names[0]]: payer } = await world.fund({ [names[0]]: '100', [names[1]]: '10' });
  key = await makeKey(world.databaseUrl, `robot ${people}`);
  const destination = randomAddress();
  const payoutId = await check(`out,${destination},40,${HOME}\nin,${names[1]},1,${HOME}\n`, names[0]);
  if (begun) await confirm(payoutId);
  const restore = await inPlace.backUp(world.databaseUrl);
  if (!begun) await confirm(payoutId);
  await run(payoutId);
  expect(await rows(payoutId)).toEqual(['sent', 'paid']);
  await world.settleDown();
  await restore();
  await noteRestored(world.db);
  return { payer: payer!, destination, payoutId };
}

const cancel = (payoutId: string) =>
  cancelPayout(scene.world.db, { payoutId, keyId: key.keyId, certificate: undefined, client: '' });
const confirmKeys = () => scene.world.db.tx((tx) => confirmRestore(tx, 'keys', 'operator:anna'));
/** The days in which rows may wait are over, also those after the restore. */
const waitTooLong = async (payoutId: string) => {
  const { databaseUrl } = scene.world;
  await asAdmin(databaseUrl, `UPDATE payouts SET waits_until = now() - interval '1 s' WHERE payout_id = $1`, [
    payoutId,
  ]);
  await asAdmin(databaseUrl, `UPDATE restores SET noted_at = noted_at - interval '4 days'`);
};
const revokeKey = () =>
  asAdmin(scene.world.databaseUrl, 'UPDATE service_keys SET revoked_at = now() WHERE key_id = $1', [key.keyId]);
const importAll = async (): Promise<string> => {
  const [move] = await listUnexplained(scene.world.db);
  await scene.importMoves();
  return importedId(move!);
};

/** The row is paid by this payment, and everyone has what is theirs. */
async function expectPaid({ payer, destination, payoutId }: Lost, paymentId: string, left = 59_000_000n) {
  const [item] = await readItems(scene.world.db, { payoutId, after: 0, limit: 1 });
  expect(item).toMatchObject({
    state: 'paid',
    paymentId,
    paymentState: 'COMPLETE',
    txHash: expect.any(String),
    error: null,
  });
  expect(await scene.paidTo(destination)).toEqual([40_000_000n]);
  expect(await scene.available(payer)).toEqual([left]);
  await scene.goOn();
  // The test ran the payout itself.
  await asAdmin(scene.world.databaseUrl, `DELETE FROM jobs WHERE kind = 'payout'`);
  expect(await findUnfinished(scene.world)).toEqual([]);
  expect(await scene.faults()).toEqual([]);
}

describe('a row that the chain paid before the restore', () => {
  it('waits, however long, and names the imported payment', async () => {
    const lost = await losePaid();
    const { payoutId } = lost;
    await run(payoutId);
    // Not even the row to a person may be paid yet; no row fails because the key is not confirmed.
    expect(await rows(payoutId)).toEqual(['ready', 'ready']);
    expect(await get(payoutId)).toMatchObject({ state: 'waiting', waitsFor: { code: 'service.paused' } });
    await confirmKeys();
    await scene.poll();
    await run(payoutId);
    expect(await rows(payoutId)).toEqual(['ready', 'paid']);
    await waitTooLong(payoutId);
    await run(payoutId);
    expect(await rows(payoutId)).toEqual(['ready', 'paid']);
    expect(await get(payoutId)).toMatchObject({ state: 'waiting', waitsFor: { code: 'service.unavailable' } });
    const imported = await importAll();
    await run(payoutId);
    expect((await get(payoutId)).state).toBe('complete');
    await expectPaid(lost, imported);
  });

  it('does not fail before the chain is read, even if its days have passed', async () => {
    const lost = await losePaid();
    const { payoutId } = lost;
    await asAdmin(scene.world.databaseUrl, `UPDATE payouts SET waits_until = now() WHERE payout_id = $1`, [payoutId]);
    await confirmKeys();
    await asAdmin(
      scene.world.databaseUrl,
      `INSERT INTO pauses (scope, cause, reason) VALUES ('chain', 'operator', 'a test')`,
    );
    await run(payoutId);
    expect(await rows(payoutId)).toEqual(['ready', 'paid']);
    await scene.poll();
    await asAdmin(scene.world.databaseUrl, `DELETE FROM pauses WHERE scope = 'chain'`);
    const imported = await importAll();
    await run(payoutId);
    await expectPaid(lost, imported);
  });

  it('is paid although the payout was cancelled', async () => {
    const lost = await losePaid();
    const { payoutId } = lost;
    await confirmKeys();
    await scene.poll();
    expect((await cancel(payoutId)).state).toBe('stopping');
    await run(payoutId);
    expect(await rows(payoutId)).toEqual(['ready', 'cancelled']);
    const imported = await importAll();
    await run(payoutId);
    expect((await get(payoutId)).state).toBe('cancelled');
    await expectPaid(lost, imported, 60_000_000n);
  });

  it('is paid although its key was revoked', async () => {
    const lost = await losePaid();
    const { payoutId } = lost;
    await confirmKeys();
    await scene.poll();
    await revokeKey();
    await run(payoutId);
    expect(await rows(payoutId)).toEqual(['ready', 'failed auth.invalid']);
    const imported = await importAll();
    await run(payoutId);
    await expectPaid(lost, imported, 60_000_000n);
  });

  it('was imported before the payout is confirmed again', async () => {
    const lost = await losePaid(false);
    const { payoutId } = lost;
    await confirmKeys();
    await scene.poll();
    const imported = await importAll();
    await confirm(payoutId);
    await run(payoutId);
    await expectPaid(lost, imported);
  });

  it('accounts for the coins if they were imported as a loss', async () => {
    const { payer, destination, payoutId } = await losePaid();
    await confirmKeys();
    await scene.poll();
    for (const move of await listUnexplained(scene.world.db)) await scene.world.db.tx((tx) => explainAsLoss(tx, move));
    await run(payoutId);
    expect(await rows(payoutId)).toEqual(['sent', 'paid']);
    await scene.goOn();
    await run(payoutId);
    expect(await rows(payoutId)).toEqual(['paid', 'paid']);
    expect(await scene.paidTo(destination)).toEqual([40_000_000n]);
    expect(await scene.available(payer)).toEqual([59_000_000n]);
    expect(await scene.world.db.query(`SELECT available FROM accounts WHERE kind = 'loss' AND available <> 0`)).toEqual(
      [],
    );
    expect(await scene.faults()).toEqual([]);
  });
});

describe('a row that only looks like one that the chain paid', () => {
  it('ends: another reference, the same amount and address', async () => {
    const { destination, payoutId } = await losePaid();
    await confirmKeys();
    await scene.poll();
    await cancel(payoutId);
    const twin = await check(`other,${destination},40,${HOME}\n`, `lou${people}`);
    await confirm(twin);
    await scene.world.db.tx(async (tx) =>
      tx.query(`SELECT pause_payments('chain', 'operator', 'a test', 'accepting', 'operator:anna')`),
    );
    await run(twin);
    expect(await rows(twin)).toEqual(['ready']);
    await cancel(twin);
    expect((await get(twin)).state).toBe('stopping');
    await run(twin);
    expect((await get(twin)).state).toBe('cancelled');
    expect(await rows(twin)).toEqual(['cancelled']);
    await asAdmin(scene.world.databaseUrl, `DELETE FROM pauses WHERE scope = 'chain' AND cause = 'operator'`);
    await importAll();
    await run(payoutId);
    expect(await rows(payoutId)).toEqual(['paid', 'cancelled']);
  });

  it('fails: the reference paid another amount', async () => {
    const { destination, payoutId } = await losePaid(false);
    await confirmKeys();
    await scene.poll();
    await cancel(payoutId);
    const other = await check(`out,${destination},41,${HOME}\n`, `lou${people}`);
    await confirm(other);
    await run(other);
    expect(await rows(other)).toEqual(['failed reference.used']);
    await importAll();
    expect(await scene.paidTo(destination)).toEqual([40_000_000n]);
  });
});
