/** The wallet's texts. A file beside this one whose name is a language code is a language. */
import { en } from './en.ts';
import { offerTexts } from './languages.ts';

export {
  findText,
  isolate,
  language,
  nameLanguage,
  openLanguage,
  say,
  setLanguage,
  showClock,
  showDate,
  showDay,
  showSpan,
  showTime,
  t,
} from './languages.ts';

/** A language has every text. */
export type Texts = Readonly<Record<keyof typeof en, string>>;

interface LanguageModule {
  readonly default: { readonly texts: Texts; readonly phrases: Readonly<Record<string, string>> };
}

declare global {
  interface ImportMeta {
    /** By Vite: the files that match, each in a chunk of its own; or, at once, their contents. */
    glob<T>(patterns: string | readonly string[]): Readonly<Record<string, () => Promise<T>>>;
    glob<T>(
      patterns: string | readonly string[],
      options: { readonly eager: true; readonly query: string; readonly import: string },
    ): Readonly<Record<string, T>>;
  }
}

const files = import.meta.glob<LanguageModule>(['./??.ts', '!./en.ts']);
const others = Object.fromEntries(
  Object.entries(files).map(([path, load]) => [path.slice(2, 4), async () => (await load()).default]),
);
offerTexts({ english: en, others });

export const LANGUAGES: readonly string[] = ['en', ...Object.keys(others)];
export const readLanguage = (code: string) => others[code]!();
