/** The wallet's texts in the person's language. English is always loaded, other languages when they are chosen. */
import { createStore } from '../store.ts';
import { en } from './en.ts';

export type Language = 'en' | 'de';
type Texts = Readonly<Record<string, string>>;

export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };
/** Languages that are written from right to left, for when one is added. */
const RIGHT_TO_LEFT: readonly string[] = ['ar', 'fa', 'he', 'ur'];
const PLACE = 'florin-language';

let texts: Texts = en;
export const language = createStore<Language>('en');

export async function setLanguage(next: Language): Promise<void> {
  texts = next === 'en' ? en : { ...en, ...(await import('./de.ts')).default };
  localStorage.setItem(PLACE, next);
  document.documentElement.lang = next;
  document.documentElement.dir = RIGHT_TO_LEFT.includes(next) ? 'rtl' : 'ltr';
  language.set(next);
}

export async function openLanguage(): Promise<void> {
  const wanted = localStorage.getItem(PLACE) ?? navigator.language.slice(0, 2);
  if (wanted === 'de') await setLanguage('de').catch(() => {});
}

/** Names, addresses and amounts keep their own direction in a text that runs the other way. */
export const isolate = (text: string): string =>
  document.documentElement.dir === 'rtl' && text !== '' ? `\u2068${text}\u2069` : text;

export function findText(key: string, values: Readonly<Record<string, string>> = {}): string | undefined {
  return texts[key]?.replace(/(@?)\{(\w+)\}/g, (_, at: string, name: string) => isolate(at + (values[name] ?? '…')));
}

export const t = (key: string, values?: Readonly<Record<string, string>>): string => findText(key, values) ?? key;

/** Created once per language: browsers take long to create these, and lists need hundreds. */
function perLanguage<T>(make: (language: Language) => T): () => T {
  let made: { readonly of: Language; readonly value: T } | undefined;
  return () => {
    const now = language.get();
    if (made?.of !== now) made = { of: now, value: make(now) };
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
    new Intl.NumberFormat(language.get(), { style: 'unit', unit, unitDisplay: 'long' }).format(count);
  if (minutes < 120) return show(minutes, 'minute');
  return minutes < 2_880 ? show(Math.round(minutes / 60), 'hour') : show(Math.round(minutes / 1_440), 'day');
}
