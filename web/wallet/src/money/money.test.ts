import { type Transaction, toMicros } from '@florin/client';
import { afterAll, expect, it, vi } from 'vitest';
import {
  ADDRESSES,
  AMOUNTS,
  IMPOSSIBLE_AMOUNTS,
  NAMES,
  NO_ADDRESSES,
  NO_AMOUNTS,
  NO_NAMES,
} from '../../../../test/support/guards/values.ts';
import { isAddress, readDestination, writeEip681 } from './addresses.ts';
import { findAmount, showAmount, showTyped, typeKey } from './amounts.ts';
import { findPrice, showWorth } from './currency.ts';
import { describePayment, describeState } from './describePayment.ts';

// Before the imports: the facts about the service are in the page.
vi.hoisted(() => {
  vi.stubGlobal('document', { documentElement: { dir: 'ltr' } });
  vi.stubGlobal('localStorage', { getItem: () => null });
});
afterAll(() => void vi.unstubAllGlobals());

const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const TOKEN = '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238';
const type = (keys: string) => [...keys].reduce(typeKey, '');

it.each([
  ['0', '0.00'],
  ['1234.5', '1,234.50'],
  ['0.000001', '0.000001'],
  ['0.1', '0.10'],
  ['-3.25', '−3.25'],
  // Doubles cannot hold these.
  ['999999999.999999', '999,999,999.999999'],
  ['9007199254740993.1', '9,007,199,254,740,993.10'],
])('shows %s as %s', (amount, shown) => {
  expect(showAmount(amount)).toBe(shown);
});

it.each([
  ['1000', '0.99987', '$999.87'],
  ['0.1', '1', '$0.10'],
  ['999999999.999999', '1.00000001', '$1,000,000,009.99'],
])('%s USDC at %s are worth %s', (amount, price, worth) => {
  const rates = [{ pair: 'USDC/USD', price, stale: false, as_of: '' }];
  expect(showWorth(amount, findPrice(rates as never)!)).toBe(worth);
});

it.each([
  ['12.5', '12.5'],
  ['.5', '0.5'],
  ['007', '7'],
  ['1.2.3', '1.23'],
  ['0.1234567', '0.123456'],
  ['1234567890', '123456789'],
])('typing %s makes %s', (keys, typed) => {
  expect(type(keys)).toBe(typed);
});

it('erases, and accepts the comma as the decimal point', () => {
  expect(typeKey('12.', 'Backspace')).toBe('12');
  expect(typeKey('12', ',')).toBe('12.');
  expect(typeKey('12', 'x')).toBe('12');
  expect(showTyped('1234.')).toBe('1,234.');
});

it('accepts only amounts above zero', () => {
  expect(['12.50', '3.', '0.000001'].map(findAmount)).toEqual(['12.5', '3', '0.000001']);
  expect(['', '0', '0.00', '1e3', '-1', '0.0000001', '1,5'].map(findAmount)).toEqual(Array(7).fill(undefined));
});

it('accepts the same amounts as server and client', () => {
  const read = Object.keys(AMOUNTS).map((text) => [text, toMicros(findAmount(text) ?? '0')]);
  expect(read).toEqual(Object.entries(AMOUNTS));
  expect([...NO_AMOUNTS, ...IMPOSSIBLE_AMOUNTS].filter((text) => findAmount(text) !== undefined)).toEqual([]);
});

const ORIGIN = 'https://wallet.example';

it('reads names, addresses and payment links, and nothing else', () => {
  expect(readDestination(' @Bob_1 ', ORIGIN)).toEqual({ username: 'bob_1' });
  expect(readDestination(ADDRESS, ORIGIN)).toEqual({ address: ADDRESS });
  expect(readDestination(`ethereum:${ADDRESS}@1`, ORIGIN)).toEqual({ address: ADDRESS, chainId: 1 });
  const link = writeEip681({ token: TOKEN, chainId: 11155111, address: ADDRESS, micros: 2_500_000n });
  expect(link).toBe(`ethereum:${TOKEN}@11155111/transfer?address=${ADDRESS}&uint256=2500000`);
  expect(readDestination(link, ORIGIN)).toEqual({ address: ADDRESS, chainId: 11155111, token: TOKEN, amount: '2.5' });
  const id = '3f0c9a4e-7b1d-4c58-9e2a-6d5f0b8c1a27';
  expect(readDestination(`${ORIGIN}/requests/${id}`, ORIGIN)).toEqual({ requestId: id });
  for (const text of ['', 'ab', `${ADDRESS}0`, 'https://evil.example/requests/1', 'ethereum:x', 'a b'])
    expect([text, readDestination(text, ORIGIN)]).toEqual([text, undefined]);
});

it('accepts the same addresses and names as the server', () => {
  for (const address of ADDRESSES) expect(readDestination(address, ORIGIN)).toEqual({ address });
  for (const name of NAMES) expect(readDestination(`@${name}`, ORIGIN), name).toEqual({ username: name.toLowerCase() });
  expect(NO_ADDRESSES.filter((text) => readDestination(text, ORIGIN)?.address !== undefined)).toEqual([]);
  // Pasted text may have whitespace around it.
  const names = NO_NAMES.filter((name) => name === name.trim());
  expect(names.filter((text) => readDestination(text, ORIGIN)?.username !== undefined)).toEqual([]);
});

it.each([
  ['alice', false],
  ['0xabc', false],
  ['a_name_of_thirty_characters_12', false],
  [ADDRESS, true],
  // Solana, whose shortest addresses have 32 characters, and Aptos.
  ['11111111111111111111111111111111', true],
  ['7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU', true],
  [`0x${'a'.repeat(64)}`, true],
])('%s is an address: %s', (name, is) => {
  expect(isAddress(name)).toBe(is);
});

it.each([
  ['correction', true, 'Correction', 'Added to your balance'],
  ['debt', false, 'Amount owed', 'Taken from your balance'],
] as const)('M27: shows a %s as booked by the service, also to people without a name', (kind, isIncoming, ...words) => {
  const [service, person] = [{ address: null }, { username: null }];
  const [from, to] = isIncoming ? [service, person] : [person, service];
  const booked = { kind, state: 'COMPLETE', amount: '2', from, to } as Transaction;
  const described = describePayment(booked, null);
  expect(described).toMatchObject({ isIncoming, isBooking: true, other: '', isOpen: false });
  expect([described.title, describeState(booked, isIncoming)]).toEqual(words);
});
