import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { keccak256 } from 'viem/utils';
import { expect, it } from 'vitest';
import { normalizeSignature } from './normalizeSignature.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const account = privateKeyToAccount(`0x${'17'.repeat(32)}`);
const hash = keccak256('0x01');
const signature = await account.sign({ hash });
const parity = Number.parseInt(signature.slice(-2), 16) - 27;
const high = (ORDER - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
const normalize = (given: unknown) => normalizeSignature(given, hash, account.address);

it.each<[string, string]>([
  ['as the token expects it', signature],
  ['with v 0 or 1', `${signature.slice(0, 130)}0${parity}`],
  ['with a high s', `${signature.slice(0, 66)}${high}${(28 - parity).toString(16)}`],
  ['with a high s and v 0 or 1', `${signature.slice(0, 66)}${high}0${1 - parity}`],
  ['without 0x', signature.slice(2)],
  ['in capitals', `0x${signature.slice(2).toUpperCase()}`],
])('a signature %s becomes the form that the token accepts', async (_, given) => {
  expect(await normalize(given)).toBe(signature);
});

it.each<[string, unknown]>([
  ['by another signer', `${signature.slice(0, 130)}${(28 - parity).toString(16)}`],
  ['of other data', await account.sign({ hash: keccak256('0x02') })],
  ['with another v', `${signature.slice(0, 130)}25`],
  ['that is truncated', signature.slice(0, -2)],
  ['in base64', Buffer.from(signature.slice(2), 'hex').toString('base64')],
  ['of zeros', `0x${'0'.repeat(128)}1b` as Hex],
  ['that is undefined', undefined],
])('refuses a signature %s', async (_, given) => {
  expect(await normalize(given)).toBeUndefined();
});
