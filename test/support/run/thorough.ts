/**
 * `npm test` proves every property with few cases; `npm run test:all` sets FLORIN_TESTS and proves it with many, and adds
 * the tests of `longTests.ts`.
 */
export const isThorough = process.env.FLORIN_TESTS === 'all';

/** `some` in `npm test`, `all` in `npm run test:all`. */
export const howMany = <Value>(some: Value, all: Value): Value => (isThorough ? all : some);

/** Of a table of cases: in `npm test` one of so many parts, another one in every run; in `npm run test:all` the whole table. */
export const onePart = <Case>(table: readonly Case[], parts: number): Case[] => {
  const part = freshSeed() % parts;
  return table.filter((_, nth) => isThorough || nth % parts === part);
};

/** Another one in every run of `npm test`, so that many runs together try many cases. FLORIN_TEST_SEED repeats a run. */
export const freshSeed = (): number => Number(process.env.FLORIN_TEST_SEED ?? Date.now() % 1_000_000_007);
