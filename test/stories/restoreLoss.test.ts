/**
 * We hold the keys, and the database is restored from before a send. An operator imports what the chain shows as a loss,
 * and then the client repeats its key: the sender pays, and the service gets its loss back.
 */
import { expect, it } from 'vitest';
import { explainAsLoss, listUnexplained } from '../../server/src/custody/watch/unexplainedMoves.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { findUnfinished } from '../support/restores/runStory.ts';
import { startScene } from '../support/restores/scene.ts';
import { noteRestored } from '../support/restores/stage.ts';
import { inPlace } from '../support/restores/ways.ts';

it('imported as a loss, then repeated: the payment accounts for the coins', async () => {
  const scene = await startScene('own keys');
  try {
    const { world } = scene;
    const { lou } = await world.fund({ lou: '100' });
    const destination = randomAddress();
    const restore = await inPlace.backUp(world.databaseUrl);
    const send = () => scene.send({ amount: '40', destination, walletUsername: 'lou' }, 'lost');
    const id = await send();
    await world.settleDown();
    await restore();
    await noteRestored(world.db);
    await scene.poll();
    for (const move of await listUnexplained(world.db)) await world.db.tx((tx) => explainAsLoss(tx, move));
    expect(await scene.available(lou)).toEqual([100_000_000n]);

    expect(await send()).toBe(id);
    await scene.goOn();
    expect(await scene.stateOf(id)).toBe('COMPLETE');
    expect(await scene.available(lou)).toEqual([60_000_000n]);
    expect(await scene.paidTo(destination)).toEqual([40_000_000n]);
    expect(await world.db.query(`SELECT available FROM accounts WHERE kind = 'loss'`)).toEqual([{ available: 0n }]);
    expect(await findUnfinished(world)).toEqual([]);
    expect(await scene.faults()).toEqual([]);
  } finally {
    await scene.stop();
  }
});
