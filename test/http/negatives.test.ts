import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cast, type GoodCall, listGoodCalls } from '../support/prove/negatives/goodCalls.ts';
import { listCases, makeCall } from '../support/prove/negatives/listCases.ts';
import { type NegativesWorld, openWorld } from '../support/prove/negatives/openWorld.ts';
import { ask, runCases } from '../support/prove/negatives/runCases.ts';

let world: NegativesWorld;
let cast: Cast;
let calls: GoodCall[];
beforeAll(async () => {
  world = await openWorld();
  const [alice, bob, carol, leaver] = await Promise.all([
    world.join('alice'),
    world.join('bob'),
    world.join('carol'),
    world.join('leaver', '0'),
  ]);
  cast = { alice, bob, carol, leaver };
  calls = await listGoodCalls(world, cast);
});
afterAll(() => world?.close());

it('every field, parameter and header that is wrong is refused as documented, and changes nothing', async () => {
  const cases = calls.flatMap((good) => listCases(good, world));
  const t = Date.now();
  const f = await runCases(world, cases);
  console.log(cases.length, Date.now() - t, JSON.stringify((globalThis as any).T));
 expect(f).toEqual([]);
  expect(cases.length).toBeGreaterThan(1_000);
});

it('the calls that were spoilt are valid themselves', async () => {
  const order = (good: GoodCall) =>
    ['revoke_session', 'cancel_payout', 'remove_webhook', 'close_account'].indexOf(good.described.id);
  const refused: string[] = [];
  for (const good of calls.toSorted((a, b) => order(a) - order(b))) {
    if (good.described.operation.requestBody?.['x-signed']) continue;
    const { status, text, fault } = await ask(world, makeCall(good, world));
    if (status !== 200 || fault) refused.push(`${good.described.id}: ${status} ${text.slice(0, 200)} ${fault ?? ''}`);
  }
  expect(refused).toEqual([]);
});
