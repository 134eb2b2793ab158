/**
 * Texts in the person's language. An app offers its texts (`offerTexts`): English is always loaded, other languages when
 * they are chosen.
 */
import { createStore } from '../store.ts';

type Words = Readonly<Record<string, string>>;

interface LanguageFile {
  readonly texts: Words;
  /** By English words that the service has prepared; `{name}` stands for anything. */
  readonly phrases?: Words;
}

interface Offered {
  readonly english: Words;
  /** The other languages, by code. */
  readonly others: Readonly<Record<string, () => Promise<LanguageFile>>>;
}

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT: readonly string[] = ['ar', 'fa', 'he', 'ur'];
const PLACE = 'florin-language';

let offered: Offered = { english: {}, others: {} };
let texts: Words = {};
let phrases: readonly (readonly [english: RegExp, said: string])[] = [];
export const language = createStore('en');

/** Before anything is shown. */
export function offerTexts(next: Offered): void {
  offered = next;
  texts = next.english;
}

const listLanguages = (): readonly string[] => ['en', ...Object.keys(offered.others)];

/** The name of a language in that language. */
export const nameLanguage = (code: string): string => {
  const name = new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
};

export async function setLanguage(next: string): Promise<void> {
  const file = await offered.others[next]?.();
  texts = file?.texts ?? offered.english;
  phrases = Object.entries(file?.phrases ?? {}).map(([english, said]) => [toPattern(english), said]);
  localStorage.setItem(PLACE, next);
  document.documentElement.lang = next;
  document.documentElement.dir = RIGHT_TO_LEFT.includes(next) ? 'rtl' : 'ltr';
  language.set(next);
}

/** The chosen language, or the first one of the browser that the app has. */
export async function openLanguage(): Promise<void> {
  const chosen = localStorage.getItem(PLACE);
  const wanted = [chosen ?? '', ...(navigator.languages ?? [])].map((one) => one.slice(0, 2));
  const next = wanted.find((one) => listLanguages().includes(one)) ?? 'en';
  if (next !== 'en') await setLanguage(next).catch(() => {});
}

/** `of {count}` as a pattern with a group named `count`. */
const toPattern = (english: string): RegExp =>
  new RegExp(
    `^${english
      .split(/\{(\w+)\}/)
      .map((part, nth) => (nth % 2 === 1 ? `(?<${part}>.+?)` : part.replace(/[.*+?^$()|[\]\\]/g, '\\$&')))
      .join('')}$`,
  );

const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

function sayPhrase(words: string): string | undefined {
  for (const [english, said] of phrases) {
    const found = english.exec(words);
    if (found) return said.replace(/\{(\w+)\}/g, (_, name: string) => found.groups?.[name] ?? '…');
  }
  return undefined;
}

/**
 * Words that the service has prepared in English: why payments are paused, the notes of a timeline, the end of a payment.
 * Someone's own words stay as they are.
 */
export const say = (words: string): string =>
  (
    sayPhrase(words) ??
    words
      .split('; ')
      .map((part) => sayPhrase(part) ?? part)
      .join('; ')
  ).replace(TIME, (time) => showTime(time));

/** Names, addresses and amounts keep their own direction in a text that runs the other way. */
export const isolate = (text: string): string =>
  document.documentElement.dir === 'rtl' && text !== '' ? `\u2068${text}\u2069` : text;

export function findText(key: string, values: Readonly<Record<string, string>> = {}): string | undefined {
  return texts[key]?.replace(/(@?)\{(\w+)\}/g, (_, at: string, name: string) => isolate(at + (values[name] ?? '…')));
}

export const t = (key: string, values?: Readonly<Record<string, string>>): string => findText(key, values) ?? key;

/** The language as it is written where the person lives: English dates have a day first in London. */
const localeOf = (code: string): string => globalThis.navigator?.languages?.find((one) => one.startsWith(code)) ?? code;

/** Created once per language: browsers take long to create these, and lists need hundreds. */
function perLanguage<T>(make: (locale: string) => T): () => T {
  let made: { readonly of: string; readonly value: T } | undefined;
  return () => {
    const now = language.get();
    if (made?.of !== now) made = { of: now, value: make(localeOf(now)) };
    return made.value;
  };
}

const times = perLanguage((of) => new Intl.DateTimeFormat(of, { dateStyle: 'medium', timeStyle: 'short' }));
const clocks = perLanguage((of) => new Intl.DateTimeFormat(of, { timeStyle: 'short' }));
const days = perLanguage((of) => new Intl.DateTimeFormat(of, { dateStyle: 'long' }));
const dates = perLanguage((of) => new Intl.DateTimeFormat(of, { dateStyle: 'medium' }));
const distances = perLanguage((of) => new Intl.RelativeTimeFormat(of, { numeric: 'auto' }));

/** `2026-11-16T08:00:00.000Z` in the format of this language. */
export const showTime = (time: string): string => times().format(new Date(time));
export const showClock = (time: string): string => clocks().format(new Date(time));

/** `19.11.2026` or `Nov 19, 2026`. */
export const showDate = (time: string): string => dates().format(new Date(time));

/** Today, yesterday, or the date. */
export function showDay(time: string): string {
  const day = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const distance = Math.round((day(new Date(time)) - day(new Date())) / 86_400_000);
  if (distance !== 0 && distance !== -1) return days().format(new Date(time));
  const said = distances().format(distance, 'day');
  return said.charAt(0).toUpperCase() + said.slice(1);
}

/** A duration in the largest unit that fits. */
export function showSpan(milliseconds: number): string {
  const minutes = Math.max(1, Math.round(milliseconds / 60_000));
  const show = (count: number, unit: string) =>
    new Intl.NumberFormat(localeOf(language.get()), { style: 'unit', unit, unitDisplay: 'long' }).format(count);
  if (minutes < 120) return show(minutes, 'minute');
  return minutes < 2_880 ? show(Math.round(minutes / 60), 'hour') : show(Math.round(minutes / 1_440), 'day');
}
