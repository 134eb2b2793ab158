/** Every language of the console is complete. */
import { describe, expect, it } from 'vitest';
import { en } from './en.ts';
// Only the type: the module would offer its texts to the tests of the wallet, which may share this process.
import type { LanguageModule } from './text.ts';

const english: Readonly<Record<string, string>> = en;
const placesOf = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))].sort();

const own = import.meta.glob<string>(['../**/*.ts', '../**/*.tsx', '!../**/*.test.ts', '!./??.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
});
/** The wallet's files with texts that the console uses, too. */
const shared = import.meta.glob<string>(['../../../wallet/src/{device.ts,money/amounts.ts}'], {
  query: '?raw',
  import: 'default',
  eager: true,
});
const sources = [...Object.values(own), ...Object.values(shared)].join('\n');

it('has a text for every key that the console uses, and uses every text', () => {
  const used = [...sources.matchAll(/\bt\(\s*'([^']+)'/g)].map(([, key]) => key!);
  expect(used.length).toBeGreaterThan(200);
  for (const key of used) expect(english, key).toHaveProperty([key]);
  const stems = [...sources.matchAll(/`([\w.]+\.)\$\{/g)].map(([, stem]) => stem!);
  const isUsed = (key: string) => sources.includes(`'${key}'`) || stems.some((stem) => key.startsWith(stem));
  expect(Object.keys(en).filter((key) => !isUsed(key))).toEqual([]);
});

it('imports nothing of the wallet that has texts of its own', () => {
  const imported = [...sources.matchAll(/from '[^']*\/wallet\/src\/([^']+)'/g)].map(([, file]) => file!);
  expect(imported.length).toBeGreaterThan(10);
  const wrong = imported.filter((file) => /^(text\/(text|en)\.ts|ui\/parts\.tsx|session\.ts|faults\.ts)$/.test(file));
  expect(wrong).toEqual([]);
});

/** The sentences that only operators read: why payments wait, and what ends that. */
const prepared = Object.values(
  import.meta.glob<string>(['../../../../server/src/payments/search/{listStuck,networkWaits}.ts'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
).flatMap((text) => [...text.matchAll(/(?:detail|ends):\s*(?:'([^']+)'|`([^`]+)`)/g)].map(([, a, b]) => a ?? b!));

const languages = Object.entries(import.meta.glob<LanguageModule>(['./??.ts', '!./en.ts']));

describe.each(languages)('%s', (_, load) => {
  it('translates every text, with the same placeholders', async () => {
    const { texts } = (await load()).default;
    expect(Object.keys(texts).sort()).toEqual(Object.keys(en).sort());
    for (const [key, text] of Object.entries(texts))
      expect([key, placesOf(text)]).toEqual([key, placesOf(english[key]!)]);
    const same = Object.entries(texts).filter(([key, text]) => text === english[key] && / /.test(text.trim()));
    expect(same.map(([key]) => key)).toEqual(['took']);
  });

  it('translates why payments wait', async () => {
    const { phrases } = (await load()).default;
    expect(prepared.length).toBeGreaterThan(18);
    expect(prepared.map((text) => text.replaceAll('${', '{')).filter((text) => !phrases[text])).toEqual([]);
  });
});
