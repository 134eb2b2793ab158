/**
 * A slice of `npm run prove -- privileges`: no login can do more than THE TABLE says
 * (test/support/prove/privileges/laws/theTable.ts), whatever it calls and with whatever arguments. The calls are always
 * the same.
 */
import { expect, it } from 'vitest';
import { findBlockingLocks } from '../support/prove/privileges/findBlockingLocks.ts';
import { openWorlds, type Worlds } from '../support/prove/privileges/openWorlds.ts';
import { renderFault } from '../support/prove/privileges/provePrivileges.ts';
import { type ProveOptions, runPrivileges } from '../support/prove/privileges/runPrivileges.ts';
import { howMany } from '../support/run/thorough.ts';

const SEED = 7;

async function prove(worlds: Worlds, calls: number, options: Partial<ProveOptions> = {}) {
  const proof = await runPrivileges(worlds, { seed: SEED, goesOn: (done) => done < calls, ...options });
  return { ...proof, faults: proof.faults.map(renderFault) };
}

const granted = ({ functions }: Worlds) =>
  new Set([...functions].flatMap(([actor, list]) => list.map(({ name }) => `${actor} ${name}`)));

it('no login can exceed its privileges, or make another one wait', async () => {
  const worlds = await openWorlds('finished');
  try {
    const { faults, functions, covered } = await prove(worlds, 2_600);
    const locks = (await findBlockingLocks(worlds, SEED)).map(renderFault);
    expect([...faults, ...locks]).toEqual([]);
    // Almost every function has done its work, so the result does not come from refusals alone.
    expect(covered / functions).toBeGreaterThan(0.95);
  } finally {
    await worlds.drop();
  }
});

it('the functions for the previous release let no login exceed its privileges', async () => {
  const [finished, unfinished] = [await openWorlds('finished'), await openWorlds('unfinished')];
  const known = granted(finished);
  await finished.drop();
  try {
    const isWanted = (actor: string, name: string) => !known.has(`${actor} ${name}`);
    expect((await prove(unfinished, howMany(150, 500), { isWanted })).faults).toEqual([]);
  } finally {
    await unfinished.drop();
  }
});
