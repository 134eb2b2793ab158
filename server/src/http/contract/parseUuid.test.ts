import { expect, test } from 'vitest';
import { describeBadUuid, findUuid } from './parseUuid.ts';

const UUID = '3f0c9a4e-7b1d-4c58-9e2a-6d5f0b8c1a27';
const DIGITS = UUID.replaceAll('-', '');

test.each([UUID, UUID.toUpperCase(), DIGITS, `{${UUID}}`, `urn:uuid:${UUID}`])('accepts %s', (spelling) => {
  expect(findUuid(spelling)).toBe(UUID);
});

// Right-hand sides printed by Pydantic 2.13.
test.each([
  ['', 'invalid length: expected length 32 for simple format, found 0'],
  [`${DIGITS}0`, 'invalid length: expected length 32 for simple format, found 33'],
  [`{${DIGITS}}`, 'invalid group count: expected 5, found 1'],
  ['{}', 'invalid group count: expected 5, found 1'],
  ['urn:uuid:', 'invalid group count: expected 5, found 1'],
  [`urn:uuid:${'a'.repeat(36)}`, 'invalid length: expected length 32 for simple format, found 36'],
  [`{${'a'.repeat(36)}}`, 'invalid length: expected length 32 for simple format, found 36'],
  [`URN:UUID:${UUID}`, 'invalid character: found `U` at 1'],
  [`{${UUID.slice(0, -1)}q}`, 'invalid character: found `q` at 36'],
  [`urn:uuid:${UUID.slice(0, -1)}q`, 'invalid character: found `q` at 36'],
  [`{{${UUID}}}`, 'invalid character: found `{` at 2'],
  [`{${UUID}`, 'invalid character: found `{` at 1'],
  [`${UUID}}`, 'invalid character: found `}` at 37'],
  ['urn:uuid:é', 'invalid character: found `é` at 10'],
  ['aé💸', 'invalid character: found `é` at 2'],
  ['----', 'invalid group length in group 0: expected 8, found 0'],
  ['3f0c9a4e--4c58-9e2a-6d5f0b8c1a27', 'invalid group length in group 1: expected 4, found 0'],
  [UUID.slice(0, -1), 'invalid group length in group 4: expected 12, found 11'],
  [`urn:uuid:${UUID}ab`, 'invalid group length in group 4: expected 12, found 23'],
  [`{${UUID}a}`, 'invalid group length in group 4: expected 12, found 15'],
  [`{${DIGITS.slice(0, 12)}-4c58-9e2a-6d5f0b8c1a27-}`, 'invalid group length in group 0: expected 8, found 12'],
])('reports what is wrong with %j', (text, expected) => {
  expect(findUuid(text)).toBeUndefined();
  expect(describeBadUuid(text)).toBe(expected);
});
