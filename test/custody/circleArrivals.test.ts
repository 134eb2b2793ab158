/** M39: Circle's list is processed without further requests, for the wallet that Circle names. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { readAddressOf } from '../../server/src/core/families.ts';
import { startUnwatchedWorld, type UnwatchedWorld } from '../support/circle/unwatchedChain.ts';
import { operate } from '../support/operate.ts';
import { asOperator, nameOperators, type OperatorName } from '../support/operators.ts';

let place: UnwatchedWorld;
beforeAll(async () => {
  place = await startUnwatchedWorld('SOL-DEVNET');
});
afterEach(() => place.double.control.reset());
afterAll(() => place.stop());

const PATIENT = { mostPages: 100, passMs: 3_600_000 };
const arrived = () => place.double.control.transactions().filter((one) => one.transactionType === 'INBOUND');
const askedById = () =>
  place.double.control.requests().filter((one) => one.startsWith('GET /v1/w3s/transactions/')).length;

it('dust costs no extra requests, and never delays an honest deposit', async () => {
  const ada = await place.person('ada', 1);
  const like = arrived().at(-1)!;
  const dust = Array.from({ length: 20 }, (_, i) => ({
    ...like,
    id: randomUUID(),
    number: like.number + i + 1,
    amounts: ['0.000001'],
    txHash: `${like.txHash.slice(0, -4)}${String(i).padStart(4, '1').replaceAll('0', 'z')}`,
  }));
  place.double.control.plant(dust);
  const before = askedById();
  await place.drip(ada.walletId);
  await place.track(PATIENT);
  expect(askedById()).toBe(before);
  const credited = await place.db.query<{ amount: bigint }>(
    'SELECT d.amount FROM deposits d JOIN transfers t USING (transfer_id) WHERE d.wallet_id = $1 ORDER BY t.seq',
    [ada.walletId],
  );
  expect(credited.map(({ amount }) => amount).slice(0, 3)).toEqual([10_000_000n, 10_000_000n, 1n]);
  await place.track(PATIENT);
  expect(await place.available(ada.userId)).toBe('20.00002');
});

it('an arrival belongs to the wallet that Circle names; if the address is another wallet’s, no one is credited', async () => {
  const [bea, cyd] = [await place.person('bea', 1), await place.person('cyd')];
  const like = arrived().at(-1)!;
  const wrong = { ...like, id: randomUUID(), txHash: like.txHash.replace(/.$/, 'x'), destinationAddress: cyd.address };
  place.double.control.plant([wrong]);
  await place.track();
  await place.track();
  expect([await place.available(bea.userId), await place.available(cyd.userId)]).toEqual(['10', '0']);
  place.double.control.plant([{ ...wrong, destinationAddress: bea.address }]);
  await place.track();
  expect([await place.available(bea.userId), await place.available(cyd.userId)]).toEqual(['20', '0']);
});

it('an arrival whose wallet and address differ waits until an operator accepts or dismisses it (part 15, item 3)', async () => {
  const [gus, hue] = [await place.person('gus', 1), await place.person('hue')];
  const like = arrived().at(-1)!;
  const [right, wrong] = ['y', 'z'].map((end) => ({
    ...like,
    id: randomUUID(),
    txHash: like.txHash.replace(/.$/, end),
    destinationAddress: hue.address,
  }));
  place.double.control.plant([right!, wrong!]);
  for (let i = 0; i < 3; i++) await place.track();
  const waits = JSON.parse(await operate(place.db, 'deposit', 'waiting', '--json')) as { arrival_id: string }[];
  expect(waits.map((one) => one.arrival_id).toSorted()).toEqual([right!.id, wrong!.id].toSorted());
  await nameOperators(place.databaseUrl, { anna: 'admin', rita: 'risk' });
  const as = (who: OperatorName, ...words: string[]) =>
    asOperator(place.databaseUrl, who, (db) => operate(db, 'deposit', ...words, '--why', 'the chain has it there'));
  await expect(as('rita', 'accept', right!.id)).rejects.toThrow(/may not do this/);
  await as('anna', 'accept', right!.id);
  await as('anna', 'dismiss', wrong!.id);
  await expect(as('anna', 'dismiss', wrong!.id)).rejects.toThrow(/is waiting/);
  for (let i = 0; i < 2; i++) await place.track();
  expect([await place.available(gus.userId), await place.available(hue.userId)]).toEqual(['10', '10']);
  expect(await operate(place.db, 'deposit', 'waiting')).toBe('No arrivals are waiting.\n');
});

it('a move that was never requested from Circle does not hold back a deposit of the same amount', async () => {
  const [dan, eva] = [await place.person('dan', 2), await place.person('eva')];
  place.double.control.turn({ answers: { kind: 'error', only: 'POST /v1/w3s/developer/transactions' } });
  const first = await place.send(dan.walletId, '11111111111111111111111111111112', '1');
  const second = await place.send(dan.walletId, eva.address, '10');
  await place.work();
  await place.drip(eva.walletId);
  await place.work();
  expect(await place.available(eva.userId)).toBe('10');
  place.double.control.reset();
  await place.finish(first);
  await place.finish(second);
  await place.work();
  expect(await place.available(eva.userId)).toBe('20');
});

it('under one key, a base58 address in another case is another request', async () => {
  const fay = await place.person('fay', 1);
  const [one, other] = twins();
  const key = { caller: 'robot', route: '/wallet/send-usdc', text: randomUUID() };
  const id = await place.send(fay.walletId, one, '1', key);
  expect(await place.send(fay.walletId, one, '1', key)).toBe(id);
  await expect(place.send(fay.walletId, other, '1', key)).rejects.toMatchObject({ code: 'idempotency.mismatch' });
});

/** Two addresses that differ in the case of one letter. */
function twins(): [string, string] {
  const one = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDV';
  const other = one.replace(/srt/, 'sRt');
  if (!readAddressOf('solana', one) || !readAddressOf('solana', other)) throw new Error('these are no addresses');
  return [one, other];
}
