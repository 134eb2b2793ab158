/**
 * A restored database does not know the last nonces of its relayers: what people see, and how it recovers by itself.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchGas } from '../../server/src/custody/eip3009/relayers.ts';
import { listRunways } from '../../server/src/custody/eip3009/relaying/listRunways.ts';
import { listUnexplained } from '../../server/src/custody/watch/unexplainedMoves.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { importedId, importPayment } from '../../server/src/payments/tracking/importPayment.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { backUp } from '../support/chain/backUp.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';

let world: CustodyWorld;
beforeEach(async () => {
  world = await startCustody();
  await world.fund({ treasury: '1000' });
});
afterEach(() => world.stop());

/** A day in which sends used several nonces, and then the backup of the morning. */
async function restore(): Promise<void> {
  const goBack = await backUp(world);
  for (let i = 0; i < 2; i++) {
    await world.send({ amount: '1' });
    await world.settleDown();
  }
  await goBack();
  while (await trackPayments(world, world.network));
  for (const move of await listUnexplained(world.db)) {
    await world.db.tx((tx) => importPayment(tx, importedId(move), move));
  }
}

/** How long nonces must appear used before they are skipped. */
function waitFor(missingAfterMs: number): void {
  world.network = { ...world.network, settings: { ...world.network.settings, missingAfterMs } };
}
const faultOf = async () => (await listRunways(world.db))[0]!.fault;
const notesOf = async (id: string) =>
  (await readPayment(world.db, id))!.timeline.map(({ note, detail = note }) => detail).join('\n');

it('skips them before anything is sent, so that the next send meets no used nonce', async () => {
  await restore();
  waitFor(0);
  // What a worker does every few seconds while it has no work.
  for (let i = 0; i < 3; i++) await watchGas(world, world.network);
  // From here on a send that meets a used nonce would be stuck.
  waitFor(3_600_000);
  const destination = randomAddress();
  const id = await world.send({ amount: '5', destination });
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await notesOf(id)).not.toMatch(/nonce too low/);
  expect(await world.balance(destination)).toBe(5_000_000n);
  expect(await faultOf()).toBeNull();
  const audit = await world.db.query(`SELECT FROM audit_log WHERE action = 'relayer.nonces_passed'`);
  expect(audit).toHaveLength(1);
  expect(await world.faults()).toEqual([]);
});

it('reports it while the next send waits for it, and needs no command', async () => {
  await restore();
  waitFor(3_600_000);
  const destination = randomAddress();
  const id = await world.send({ amount: '5', destination });
  for (let i = 0; i < 3; i++) {
    await world.work();
    await world.mine();
  }
  expect(await faultOf()).toMatch(/nonces were used by something else .* continues after them automatically/);
  expect((await world.get(id)).state).toBe('SENT');
  expect(await notesOf(id)).toMatch(/slot was used by something else.*carried again in the next one/);

  waitFor(0);
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await world.balance(destination)).toBe(5_000_000n);
  expect(await world.listTransfers(destination)).toHaveLength(1);
  expect(await faultOf()).toBeNull();
  expect(await world.faults()).toEqual([]);
});
