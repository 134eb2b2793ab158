import fc from 'fast-check';
import { expect, it } from 'vitest';
import { netWallets } from './netWallets.ts';

it('ends every difference with at most n − 1 moves, and no wallet gives more than it has', () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt({ min: -1_000_000n, max: 1_000_000n }), { minLength: 1, maxLength: 40 }),
      (given) => {
        const total = given.reduce((sum, one) => sum + one, 0n);
        const wallets = [...given, -total].map((surplus, i) => ({ walletId: `w${i}`, surplus, free: surplus }));
        const { moves, left: uneven } = netWallets(wallets);
        expect(uneven).toEqual([]);
        const left = new Map(wallets.map(({ walletId, surplus }) => [walletId, surplus]));
        for (const { from, to, amount } of moves) {
          expect(amount).toBeGreaterThan(0n);
          left.set(from, left.get(from)! - amount);
          left.set(to, left.get(to)! + amount);
        }
        expect([...left.values()].every((one) => one === 0n)).toBe(true);
        const different = wallets.filter(({ surplus }) => surplus !== 0n).length;
        expect(moves.length).toBeLessThanOrEqual(Math.max(0, different - 1));
      },
    ),
  );
});

it('gives only free coins, and leaves the rest for the next time', () => {
  const { moves, left } = netWallets([
    { walletId: 'a', surplus: 10n, free: 4n },
    { walletId: 'b', surplus: -10n, free: 0n },
  ]);
  expect(moves).toEqual([{ from: 'a', to: 'b', amount: 4n }]);
  expect(left).toEqual(['a', 'b']);
});

it('makes no move that is too small, and reports whose difference remains', () => {
  const plan = netWallets(
    [
      { walletId: 'a', surplus: 150n, free: 150n },
      { walletId: 'b', surplus: 150n, free: 150n },
      { walletId: 'c', surplus: -200n, free: 0n },
      { walletId: 'd', surplus: -100n, free: 0n },
    ],
    100n,
  );
  expect(plan.moves).toEqual([
    { from: 'a', to: 'c', amount: 150n },
    { from: 'b', to: 'd', amount: 100n },
  ]);
  expect(plan.left).toEqual([]);
  const dust = netWallets(
    [
      { walletId: 'a', surplus: 120n, free: 120n },
      { walletId: 'b', surplus: -60n, free: 0n },
      { walletId: 'c', surplus: -60n, free: 0n },
    ],
    100n,
  );
  expect(dust).toEqual({ moves: [], left: ['a'] });
});
