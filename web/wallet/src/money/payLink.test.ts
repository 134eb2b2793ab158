/** Links come from strangers: what they cannot say is dropped, and what they say survives the way through the login. */
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { isNote } from '../../../../server/src/core/note.ts';
import { readDestination } from './addresses.ts';
import { findPayLink, type PayLink, readPayLink, writePayLink } from './payLink.ts';

vi.hoisted(() => vi.stubGlobal('document', { documentElement: { dir: 'ltr' } }));
afterAll(() => void vi.unstubAllGlobals());

const ORIGIN = 'https://wallet.example.com';
const read = (name: string, query = '') => readPayLink(name, new URLSearchParams(query));

describe('a link to pay a person', () => {
  it.each(['@alice', 'alice', '@ALICE', '%40alice'])('names alice as %s', (name) => {
    expect(read(name)).toEqual({ username: 'alice' });
  });

  it.each([
    '',
    '@',
    '@al',
    'a'.repeat(31),
    '@bob smith',
    '@<b>bob</b>',
    '\u202ebob',
    '@@bob',
    'bob/..',
    '%00bob',
    'bòb',
  ])('names no one as %j', (name) => expect(read(name)).toBeUndefined());

  it.each<[query: string, amount: string | undefined]>([
    ['amount=7', '7'],
    ['amount=7.5', '7.5'],
    ['amount=0.000001', '0.000001'],
    ['amount=0', undefined],
    ['amount=-7', undefined],
    ['amount=1e9', undefined],
    ['amount=0x10', undefined],
    ['amount=7,5', undefined],
    ['amount=0.0000001', undefined],
    ['amount=1000000000', undefined],
    [`amount=${'9'.repeat(400)}`, undefined],
    ['amount=NaN', undefined],
    ['amount=', undefined],
    ['amount=7&amount=9', '7'],
  ])('with %s asks for %s', (query, amount) => expect(read('@bob', query)?.amount).toBe(amount));

  it.each<[note: string, kept: string | undefined]>([
    ['Dinner', 'Dinner'],
    ['x'.repeat(10_000), 'x'.repeat(140)],
    ['\u202eevil\u2069', 'evil'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['a\r\nb\0c', 'a b c'],
    ['\u200f', undefined],
    ['', undefined],
  ])('says %j as %j', (note, kept) => {
    expect(read('@bob', String(new URLSearchParams({ note })))?.note).toBe(kept);
  });

  it('can be written, scanned and opened again, whatever is in it', () => {
    const links = fc.record({
      username: fc.stringMatching(/^[a-z0-9_]{3,30}$/),
      amount: fc.option(fc.constantFrom('1', '0.5', '123456789.123456'), { nil: undefined }),
      note: fc.option(fc.string({ unit: 'binary', maxLength: 300 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(links, (given) => {
        const first = findPayLink(writePayLink(ORIGIN, given), ORIGIN)!;
        expect(first).toMatchObject({ username: given.username, ...(given.amount && { amount: given.amount }) });
        expect(first.note === undefined || isNote(first.note)).toBe(true);
        // Through the login and back, as often as it takes.
        const written = writePayLink('', first);
        expect(written).toMatch(/^\/(?![/\\])[\w\-/@%]*(?:\?[\w\-/@%.~!*'(),;:=&+?$]*)?$/);
        expect(written.length).toBeLessThan(2_000);
        const url = new URL(written, ORIGIN);
        const again: PayLink | undefined = readPayLink(url.pathname.slice('/pay/'.length), url.searchParams);
        expect(again).toEqual(first);
      }),
      { numRuns: 30 },
    );
  });

  it('is one of this wallet only', () => {
    for (const text of [
      'https://evil.example/pay/@bob',
      `${ORIGIN}.evil.example/pay/@bob`,
      'bob',
      `${ORIGIN}/requests/x`,
    ])
      expect(findPayLink(text, ORIGIN)).toBeUndefined();
    expect(findPayLink(`${ORIGIN}/pay/@bob?amount=3#x`, ORIGIN)).toMatchObject({ username: 'bob', amount: '3' });
  });
});

describe('a payment code', () => {
  const [TOKEN, TO] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`];
  it.each<[code: string, token: string | null | undefined]>([
    [`ethereum:${TOKEN}@1/transfer?address=${TO}&uint256=5`, TOKEN],
    [`ethereum:pay-${TOKEN}/transfer?address=${TO}`, TOKEN],
    [`ethereum:${TO}@1?value=1e18`, null],
    [`ethereum:${TO}@1`, undefined],
    [TO, undefined],
  ])('%s asks for the token %s', (code, token) => {
    expect(readDestination(code, ORIGIN)).toMatchObject({ address: TO, ...(token !== undefined && { token }) });
    expect('token' in readDestination(code, ORIGIN)!).toBe(token !== undefined);
  });
});
