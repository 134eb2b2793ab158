import { execFileSync } from 'node:child_process';

/**
 * `npm test` proves every property with few cases; `npm run test:all` sets FLORIN_TESTS and proves it with many, and adds
 * the tests of `longTests.ts`.
 */
export const isThorough = process.env.FLORIN_TESTS === 'all';

/** `some` in `npm test`, `all` in `npm run test:all`. */
export const howMany = <Value>(some: Value, all: Value): Value => (isThorough ? all : some);

/** Selects cases of a table: one of so many parts in `npm test`, and the whole table in `npm run test:all`. */
export const onePart = <Case>(table: readonly Case[], parts: number): Case[] => {
  const part = freshSeed() % parts;
  return table.filter((_, nth) => isThorough || nth % parts === part);
};

/**
 * A different seed for every commit: many commits together try many cases, and each case can be repeated on its commit.
 * FLORIN_TEST_SEED overrides it.
 */
export const freshSeed = (): number => Number(process.env.FLORIN_TEST_SEED ?? seedOfCommit);

const seedOfCommit = readSeed();

function readSeed(): number {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number.parseInt(commit.slice(0, 7), 16);
  } catch {
    // Not a checkout, for example an archive of the sources.
    return Date.now() % 1_000_000_007;
  }
}
