import { describe, expect, it } from 'vitest';
import { applyCorrection, createsDifference, type Differences } from './correctionEffect.ts';

const EVEN: Differences = { counted: 0n, surplus: 0n, missing: 0n, ofWallet: 0n };
const given = (some: Partial<Differences>): Differences => ({ ...EVEN, ...some });

/** `test/custody/surplus.test.ts` and `test/operators/corrections.test.ts` compare this with what PostgreSQL books. */
describe('a correction of the ledger', () => {
  it.each<[string, Differences, bigint, Differences, boolean]>([
    ['of balanced books upwards creates a shortage', EVEN, 5n, given({ counted: -5n }), true],
    ['of balanced books downwards creates coins that no one is owed', EVEN, -5n, given({ counted: 5n }), true],
    ['that fits ends a shortage', given({ counted: -5n }), -5n, EVEN, false],
    ['that fits ends an excess', given({ counted: 5n }), 5n, EVEN, false],
    ['of a part leaves the rest', given({ counted: -5n }), -2n, given({ counted: -3n }), false],
    ['of too much creates the opposite', given({ counted: -5n }), -6n, given({ counted: 1n }), true],
    ['in the wrong direction doubles it', given({ counted: -5n }), 5n, given({ counted: -10n }), true],
    ['counts a surplus', given({ surplus: 5n }), 5n, EVEN, false],
    ['counts a part of a surplus', given({ surplus: 5n }), 2n, given({ surplus: 3n }), false],
    ['beyond the surplus counts none of it', given({ surplus: 5n }), 6n, given({ surplus: 5n, counted: -6n }), true],
    ['counts missing coins as gone', given({ missing: -5n }), -5n, EVEN, false],
    ['takes known coins first', given({ counted: 2n, surplus: 5n }), 3n, given({ surplus: 4n }), false],
    [
      'leaves a surplus alone when coins are missing',
      given({ surplus: 5n, missing: -1n }),
      -1n,
      given({ surplus: 5n }),
      false,
    ],
  ])('%s', (_, before, amount, after, isCreated) => {
    expect(applyCorrection(before, amount, false)).toEqual(after);
    expect(createsDifference(before, after)).toBe(isCreated);
  });
});

describe('a correction of a person', () => {
  it.each<[string, Differences, bigint, Differences]>([
    ['on balanced books only moves money between them and loss', EVEN, 5n, EVEN],
    ['takes money on balanced books', EVEN, -5n, EVEN],
    ['gives them the surplus of the wallet', given({ surplus: 9n, ofWallet: 5n }), 5n, given({ surplus: 4n })],
    ['never takes the surplus of other wallets', given({ surplus: 9n }), 5n, given({ surplus: 9n })],
    [
      'makes them bear missing coins',
      given({ missing: -5n, ofWallet: -5n }),
      -2n,
      given({ missing: -3n, ofWallet: -3n }),
    ],
    ['leaves a shortage of the books alone', given({ counted: -5n }), -5n, given({ counted: -5n })],
  ])('%s', (_, before, amount, after) => {
    expect(applyCorrection(before, amount, true)).toEqual(after);
    expect(createsDifference(before, after)).toBe(false);
  });
});
