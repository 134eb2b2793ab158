import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isNote } from '../../../../server/src/core/note.ts';
import { cleanNote, findNote } from './notes.ts';

it.each([
  ['Dinner\r\non Friday', 'Dinner on Friday'],
  ['👩‍👩‍👧'.repeat(30), [...'👩‍👩‍👧'.repeat(30)].slice(0, 140).join('')],
  ['\u200fשלום\u200f \u202eabc\u2069', 'שלום abc'],
  ['<b onclick="x">&amp;</b>', '<b onclick="x">&amp;</b>'],
  [' spaces ', ' spaces '],
])('%j is kept as %j', (typed, clean) => expect(cleanNote(typed)).toBe(clean));

it.each(['', '   ', '\u200f', '\n'])('%j is no note', (typed) => expect(findNote(typed)).toBeUndefined());

it('sends only notes that the service accepts', () => {
  const pieces = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u202e', '\u200d', '\ud83d', '\n', 'x'.repeat(99)),
  );
  fc.assert(
    fc.property(fc.array(pieces), (typed) => {
      const note = findNote(typed.join(''));
      expect(note === undefined || isNote(note)).toBe(true);
    }),
    { numRuns: 30 },
  );
});
