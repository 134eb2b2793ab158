import { expect, it } from 'vitest';
import de from './de.ts';
import { en } from './en.ts';

const placesOf = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort();
const english: Readonly<Record<string, string>> = en;

it('every German text translates an English one, with the same placeholders', () => {
  for (const [key, text] of Object.entries(de as Readonly<Record<string, string>>)) {
    expect(english, key).toHaveProperty([key]);
    expect([key, [...new Set(placesOf(text))]]).toEqual([key, [...new Set(placesOf(english[key] ?? ''))]]);
  }
});
