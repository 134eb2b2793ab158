/**
 * An upgrade from the previous release while people pay, and back, and forward again: no call fails if it is repeated
 * under its key; nothing is lost or paid twice. `npm run upgrade` does the same with that release's own packages and
 * larger numbers.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleRelease, getPrevious, isInHistory, type Release } from '../support/upgrade/previousRelease.ts';
import { rollUpgrade } from '../support/upgrade/rollUpgrade.ts';

/** A dozen processes start and end one after another, on a machine that may be many times slower. */
const PATIENCE_MS = 900_000;

const entry = getPrevious();
const isHere = isInHistory(entry);
if (!isHere) console.log(`The commit of ${entry.version} is not in this checkout: upgrading from it is not tested.`);

describe.skipIf(!isHere)(`an upgrade from ${entry.version}`, () => {
  let previous: Release;
  beforeAll(async () => {
    previous = await bundleRelease(entry);
  });
  afterAll(() => previous?.remove());

  it(
    'fails no call, loses nothing and pays nothing twice, also when processes are rolled back meanwhile',
    async () => {
      const result = await rollUpgrade(previous, { people: 3, payments: 15, sends: 1, pauseMs: 100 });
      expect(result).toMatchObject({ lost: 0, doubled: 0, wronglyPaid: 0, movedWallets: 0, books: [] });
      expect(result.sendsComplete).toBe(result.sends);
      expect(result.acknowledged).toBeGreaterThanOrEqual(result.phases.length * 15);
    },
    PATIENCE_MS,
  );
});
