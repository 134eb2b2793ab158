import { expect, it } from 'vitest';
import { databaseVariables } from './databaseVariables.ts';

it.each([
  ['postgres://a@b,c/x', true],
  ['postgres://a@b,c/x?target_session_attrs=read-write', true],
  ['postgres://a@b,c/x?target_session_attrs=prefer-standby', false],
  ['postgres://a@b,:::/x', false],
  ['mysql://a@b/x', false],
  ['nothing', false],
])('DATABASE_URL may be %s: %s', (url, isFine) => {
  expect(databaseVariables.DATABASE_URL.schema.safeParse(url).success).toBe(isFine);
});

it.each([
  ['postgres://a@b,c/x', true],
  ['postgres://a@b,c/x?target_session_attrs=standby', false],
  ['postgres://a@b,:::/x', false],
  [undefined, true],
])('FLORIN_DATABASE_READ_URL may be %s: %s', (url, isFine) => {
  expect(databaseVariables.FLORIN_DATABASE_READ_URL.schema.safeParse(url).success).toBe(isFine);
});
