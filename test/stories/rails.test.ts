/**
 * A slice of `npm run rails`: with wallets at Circle there is also one transfer per payment, whichever process dies
 * where.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { at, type When, workUntilDeath } from '../support/chain/crash.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { runDyingWorker } from '../support/chain/dyingWorker.ts';
import { expectOneEnd } from '../support/chain/expectOneEnd.ts';
import { type SendingWorld, startSendingWorld } from '../support/circle/sendingWorld.ts';
import { judgeEnd } from '../support/properties/judgeEnd.ts';
import { railStories } from '../support/restores/allStories.ts';
import { runStory } from '../support/restores/runStory.ts';
import { copied } from '../support/restores/ways.ts';

describe('the worker and the signer of wallets that Circle sends from die', () => {
  let sending: SendingWorld;
  beforeAll(async () => {
    sending = await startSendingWorld();
    await sending.world.fund({ alice: '500' });
  });
  afterEach(() => sending.double.control.reset());
  afterAll(() => sending.world.stop());

  /** In the order of a payment's life. */
  const POINTS: [string, When][] = [
    ['before the key is committed', at('before', 'db.query', 'INSERT INTO provider_transfers')],
    ['the key committed, unanswered', at('after', 'db.query', 'INSERT INTO provider_transfers')],
    ['before it is searched for', at('before', 'circle.search')],
    ['before the attempt is counted', at('before', 'db.query', 'ask_transfer')],
    ['the attempt counted, Circle not asked', at('after', 'db.query', 'ask_transfer')],
    ['Circle asked, its answer lost', at('after', 'circle.submit')],
    ['its answer not recorded', at('before', 'db.query', 'SET provider_id = coalesce')],
    ['before Circle is polled', at('before', 'circle.find')],
    ['before the hold is posted', at('before', 'tx.query', 'post_holds')],
  ];
  it.each(POINTS)('%s', async (_, when) => {
    const destination = randomAddress();
    const id = await sending.world.send({ amount: '1.25', destination, walletUsername: 'alice' });
    await workUntilDeath(sending.world, when, 14);
    await sending.finish(id);
    await expectOneEnd(sending.world, id, destination, 'COMPLETE');
    expect(sending.double.control.transactions().filter(({ refId }) => refId === id)).toHaveLength(1);
  });

  it('in the end everything has ended, and every balance is explained', async () => {
    expect(await judgeEnd(sending.world)).toEqual([]);
  });
});

it.each([
  ['Circle signs', { seed: 5, crashes: 5, reorgs: 1 }],
  ['Circle sends', { seed: 3, crashes: 8, reorgs: 1 }],
] as const)('a dying worker leaves one transfer per payment and no difference when %s', async (kind, options) => {
  const { faults, transfers, cancelled, payments } = await runDyingWorker({ ...options, kind });
  expect(faults).toEqual([]);
  expect(transfers + cancelled).toBe(payments);
});

it.each([
  ['send', 1, 'Circle sends'],
  ['settlement', 2, 'Circle sends'],
  ['the client repeats its key after an import', 0, 'Circle sends'],
  ['the queue of the provider still holds the transfer', 0, 'Aptos'],
] as const)('everyone has their own money after a restore: %s, step %i, %s', async (wanted, backUpAfter, kind) => {
  const story = railStories.find(({ name }) => name === wanted)!;
  expect(await runStory({ story, backUpAfter, way: copied, servers: 'stopped', kind })).toEqual([]);
});
