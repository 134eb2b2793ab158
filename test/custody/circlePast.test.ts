/**
 * M34: a payment costs a few requests, however long the history of a wallet at Circle is. M39: addresses match in any
 * case.
 */
import { randomUUID } from 'node:crypto';
import { getAddress } from 'viem';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Transaction } from '../../sandbox/src/circle/records.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { expectOneEnd } from '../support/chain/expectOneEnd.ts';
import { plantPast } from '../support/circle/plantPast.ts';
import { type SendingWorld, startSendingWorld } from '../support/circle/sendingWorld.ts';
import { asAdmin } from '../support/database.ts';

let sending: SendingWorld;
beforeAll(async () => {
  sending = await startSendingWorld();
  await sending.world.fund({ alice: '1000' });
});
afterEach(() => sending.double.control.reset());
afterAll(() => sending.world.stop());

const DAY_MS = 86_400_000;
const TRANSFER = 'POST /v1/w3s/developer/transactions/transfer';
const outbound = (id: string): readonly Transaction[] =>
  sending.double.control.transactions().filter(({ refId }) => refId === id);
const send = (destination: `0x${string}`) => sending.world.send({ amount: '1', destination, walletUsername: 'alice' });
const countSearches = () => sending.double.control.requests().filter((one) => one.includes('txType=OUTBOUND')).length;

it('M34: 5,000 old transfers to one address cost the next payment no request', async () => {
  const destination = randomAddress();
  const first = await send(destination);
  const before = countSearches();
  await sending.finish(first);
  const usual = countSearches() - before;
  plantPast(sending.double, outbound(first)[0]!, 5_000, { agoMs: 3 * DAY_MS });
  const started = countSearches();
  const second = await send(destination);
  await sending.finish(second);
  expect((await sending.world.get(second)).state).toBe('COMPLETE');
  // One more page: the first payment is from today.
  expect(countSearches() - started).toBeLessThanOrEqual(usual + 1);
});

it('M34: when one day has more transfers than one call can read, the next calls read the rest', async () => {
  const destination = randomAddress();
  const first = await send(destination);
  await sending.finish(first);
  plantPast(sending.double, outbound(first)[0]!, 2_500, { agoMs: 60_000 });
  const second = await send(destination);
  await sending.finish(second);
  expect((await sending.world.get(second)).state).toBe('COMPLETE');
  expect(outbound(second)).toHaveLength(1);
});

it('M34: a payment lost in a restore is found however long ago it was made', async () => {
  const destination = randomAddress();
  const key = { caller: 'robot', route: '/wallet/send-usdc', text: randomUUID() };
  const request = { amount: '1', destination, walletUsername: 'alice', key } as const;
  const id = await sending.world.send(request);
  await sending.world.work();
  const [made] = outbound(id);
  // Made three weeks ago; this database was restored two weeks ago.
  const agoMs = 21 * DAY_MS;
  sending.double.control.plant([{ ...made!, createDate: new Date(Date.now() - agoMs).toISOString() }]);
  await asAdmin(
    sending.world.databaseUrl,
    `INSERT INTO restores (reason, noted_at) VALUES ('the test says so', now() - interval '14 days')`,
  );
  await asAdmin(sending.world.databaseUrl, 'ALTER TABLE provider_transfers DISABLE TRIGGER USER');
  await asAdmin(
    sending.world.databaseUrl,
    `UPDATE provider_transfers SET provider_id = NULL, provider_state = 'new', attempts = 0, first_asked_at = NULL
      WHERE move_id = $1`,
    [id],
  );
  await asAdmin(sending.world.databaseUrl, 'ALTER TABLE provider_transfers ENABLE TRIGGER USER');
  sending.double.control.turn({ keys_live_ms: 0 });
  await sending.finish(id);
  await expectOneEnd(sending.world, id, destination, 'COMPLETE');
  expect(outbound(id)).toHaveLength(1);
});

it('M39: an unanswered transfer is found in whatever case its address was written', async () => {
  sending.double.control.turn({ answers: { kind: 'cut_after', only: TRANSFER, count: 1 }, keys_live_ms: 0 });
  const destination = getAddress(randomAddress());
  const id = await send(destination);
  await sending.finish(id);
  await expectOneEnd(sending.world, id, destination, 'COMPLETE');
  expect(outbound(id)).toHaveLength(1);
});
