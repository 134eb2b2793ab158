import { expect, it } from 'vitest';
import { isAllowed, listLicensed, renderLicences } from './licences.ts';

it('everything that is shipped has a licence that allows it', () => {
  const licensed = listLicensed();
  expect(licensed.length).toBeGreaterThan(40);
  expect(licensed.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['pino', 'viem', 'preact', '@scalar/fastify-api-reference']),
  );
  expect(licensed.filter(({ licence }) => !isAllowed(licence))).toEqual([]);
});

it.each([
  ['MIT', true],
  ['(MIT OR CC0-1.0)', true],
  ['GPL-3.0 OR MIT', true],
  ['MIT AND Zlib', false],
  ['GPL-3.0-only', false],
  ['SEE LICENSE IN x', false],
  ['(MIT AND (GPL-2.0 OR ISC))', false],
  [undefined, false],
])('the licence %s is allowed: %s', (licence, is) => {
  expect(isAllowed(licence)).toBe(is);
});

it('its text goes with it', () => {
  const [one] = listLicensed().filter(({ name }) => name === 'pino');
  expect(renderLicences([one!])).toMatch(/^pino [\d.]+: MIT\n\n.*Permission is hereby granted/ms);
});
