import { expect, it } from 'vitest';
import { familyOf, isZeroAddress, readAddressOf } from './families.ts';

it('finds the family of a blockchain by its name', () => {
  expect(['SOL', 'SOL-DEVNET', 'APTOS', 'APTOS-TESTNET', 'ETH', 'BASE-SEPOLIA'].map(familyOf)).toEqual([
    'solana',
    'solana',
    'aptos',
    'aptos',
    'evm',
    'evm',
  ]);
});

it.each([
  ['the USDC of Solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', true],
  ['leading zeros, which are ones', '11111111111111111111111111111112', true],
  ['one digit too few', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwy', false],
  ['more than 32 bytes', 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz', false],
  ['a letter that is not in base58', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1l', false],
  ['an address of an EVM chain', '0x8ba1f109551bD432803012645Ac136ddd64DBA72', false],
  ['a very long text', '2'.repeat(100_000), false],
  ['nothing', '', false],
])('of Solana accepts 32 bytes in base58: %s', (_, text, isOne) => {
  expect(readAddressOf('solana', text)).toBe(isOne ? text : undefined);
});

it.each([
  ['0xA', `0x${'a'.padStart(64, '0')}`],
  [`0x${'Ab'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
  [`0x${'ab'.repeat(33)}`, undefined],
  ['0x', undefined],
  ['ab', undefined],
  ['0xg', undefined],
])('of Aptos accepts 0x and up to 64 digits, and writes all of them: %s', (text, written) => {
  expect(readAddressOf('aptos', text)).toBe(written);
});

it('recognizes addresses without a key', () => {
  expect(isZeroAddress('11111111111111111111111111111111')).toBe(true);
  expect(isZeroAddress(readAddressOf('aptos', '0x0')!)).toBe(true);
  expect(isZeroAddress(readAddressOf('aptos', '0x1')!)).toBe(false);
  expect(isZeroAddress('11111111111111111111111111111112')).toBe(false);
});
