/** Every language is complete: texts, error codes, and the words that the service prepares in English. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { errorTable } from '../../../../server/src/core/errors.ts';
import { en } from './en.ts';
import { LANGUAGES, readLanguage, say, setLanguage, showDay, showTime } from './text.ts';

const english: Readonly<Record<string, string>> = en;
const placesOf = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))].sort();

const wallet = import.meta.glob<string>(['../**/*.ts', '../**/*.tsx', '!../**/*.test.ts', '!./*.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
});
const sources = Object.values(wallet).join('\n');

/** Codes of calls that the wallet does not make. */
const NOT_IN_THE_WALLET =
  /^(key|payout|webhook|cursor|event|request|wallet\.un|user\.unknown|auth\.(required|invalid|scope)|idempotency\.(invalid|required)|recipient|account\.not_empty|money_request\.expiry)/;

it('has a text for every key that the wallet uses, and uses every text', () => {
  const used = [...sources.matchAll(/\bt\(\s*'([^']+)'/g)].map(([, key]) => key!);
  for (const key of used) expect(english, key).toHaveProperty([key]);
  const stems = [...sources.matchAll(/`([\w.]+)\.\$\{/g)].map(([, stem]) => `${stem}.`);
  const isUsed = (key: string) =>
    sources.includes(`'${key}'`) ||
    stems.some((stem) => key.startsWith(stem)) ||
    /^number\.|^code\.|\.short$/.test(key);
  expect(Object.keys(en).filter((key) => !isUsed(key))).toEqual([]);
});

it('has words of its own for every error that a person can get', () => {
  const codes = Object.keys(errorTable).filter((code) => !NOT_IN_THE_WALLET.test(code));
  expect(codes.filter((code) => !english[`code.${code}`] || !english[`code.${code}.text`])).toEqual([]);
});

/** Only operators read these. */
const FOR_OPERATORS =
  /^(replaces the one before|carries the cancellation|; the node answered|\$\{cancellation\}|; \$\{describeExcess|waits until sends on|waits for a worker|waits until a relayer|waits until enough coins|waits for \$\{blockchain\})/;

/** The text of a template, as a customer could read it. */
const fill = (template: string): string =>
  template
    .replace(/\$\{count\}/g, '1 of 2')
    .replace(/\$\{by\}/g, '')
    .replace(/\$\{[^}]*\}/g, 'X')
    .trim();

/** What a customer can read in a timeline, in a refusal or about a pause: the string literals of these files. */
const prepared = import.meta.glob<string>(
  [
    '../../../../server/src/custody/readSteps.ts',
    '../../../../server/src/custody/{eip3009,provider}/readSteps.ts',
    '../../../../server/src/payments/read/{findWait,describeWaits,describeBooking,readRefunds}.ts',
    '../../../../server/src/payments/{describeEnd,state}.ts',
  ],
  { query: '?raw', import: 'default', eager: true },
);
const pauseWords = import.meta.glob<string>('../../../../sql/functions/operators/pause_words.sql', {
  query: '?raw',
  import: 'default',
  eager: true,
});

function listPrepared(): string[] {
  const words = Object.values(pauseWords).join('');
  const pauses = [...words.matchAll(/(?:THEN|ELSE) '([^']+)'/g)].map(([, text]) => text!);
  const said = Object.values(prepared).flatMap((text) => {
    const shown = text
      .replace(/\/\*\*?[\s\S]*?\*\/|\/\/.*$/gm, '')
      // For operators, queries, and texts that an operator's command adds.
      .replace(/detail:\s*(?:'[^']*'|`[^`]*`)|const detail = .*|const LOST =\s*'[^']*'/g, '')
      .replace(/`(?:\s*SELECT|[^`]*\bFROM\b)[^`]*`|\/\^.*\/,/g, '')
      .replace(/(?:const (?:SQL|describeFee|rest)|function describeFully)[\s\S]*?;\n}?/g, '');
    return [...shown.matchAll(/'([a-z][^'\n]* [^'\n]*)'|`([^`]*)`/g)].map(([, plain, template]) => plain ?? template!);
  });
  return [...pauses, ...said].filter((text) => /[a-z]{3,} [a-z]{2,}/.test(text) && !FOR_OPERATORS.test(text));
}

describe.each(LANGUAGES.filter((code) => code !== 'en'))('%s', (code) => {
  beforeAll(async () => {
    vi.stubGlobal('localStorage', { setItem() {}, getItem: () => null });
    vi.stubGlobal('document', { documentElement: {} });
    await setLanguage(code);
  });
  // Other files of tests share these modules.
  afterAll(async () => {
    await setLanguage('en');
    vi.unstubAllGlobals();
  });
  const load = async (): Promise<Readonly<Record<string, string>>> => (await readLanguage(code)).texts;

  it('translates every text, with the same placeholders', async () => {
    const texts = await load();
    expect(Object.keys(texts).sort()).toEqual(Object.keys(en).sort());
    for (const [key, text] of Object.entries(texts))
      expect([key, placesOf(text)]).toEqual([key, placesOf(english[key]!)]);
    const same = Object.entries(texts).filter(([key, text]) => text === english[key] && / /.test(text.trim()));
    expect(same.map(([key]) => key)).toEqual([]);
  });

  it('translates all words that the service has prepared', () => {
    const all = listPrepared();
    expect(all.length).toBeGreaterThan(50);
    expect(Object.keys(prepared)).toHaveLength(9);
    const untranslated = all.flatMap((text) => {
      const whole = fill(text);
      return (say(whole) !== whole ? [] : whole.split('; ')).filter((part) => say(part) === part && part !== 'X');
    });
    expect(untranslated).toEqual([]);
  });

  it('leaves the words of people as they are, and writes times as the person reads them', () => {
    expect(say('dinner; thanks')).toBe('dinner; thanks');
    const at = '2026-11-20T08:00:00.000Z';
    expect(
      say(`waits until ${at}, because this wallet has never paid this address, and can be cancelled until then`),
    ).toContain(showTime(at));
    expect(say('waits until ETH-SEPOLIA can be reached')).toContain('ETH-SEPOLIA');
    const id = '3f0c9a4e-0000-4000-8000-000000000000';
    expect(say(`1 USDC given back in payment ${id}, 1 of 2 so far`)).toContain(id);
  });

  it('writes dates in its own words', () => {
    expect(showDay(new Date().toISOString())).toBe({ de: 'Heute' }[code] ?? expect.not.stringMatching(/today/i));
    expect(showTime('2026-11-20T08:00:00.000Z')).not.toMatch(/AM|PM|Nov [0-9]/);
  });
});
