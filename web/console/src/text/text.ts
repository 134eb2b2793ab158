/** The console's texts. Another language is one file beside this one, named by its code, with the same keys. */
import { offerTexts } from '../../../wallet/src/text/languages.ts';
import { en } from './en.ts';

export {
  findText,
  language,
  nameLanguage,
  openLanguage,
  say,
  setLanguage,
  showSpan,
  t,
} from '../../../wallet/src/text/languages.ts';

/** A language has every text. */
export type Texts = Readonly<Record<keyof typeof en, string>>;

export interface LanguageModule {
  readonly default: { readonly texts: Texts; readonly phrases: Readonly<Record<string, string>> };
}

const files = import.meta.glob<LanguageModule>(['./??.ts', '!./en.ts']);
const others = Object.fromEntries(
  Object.entries(files).map(([path, load]) => [path.slice(2, 4), async () => (await load()).default]),
);
offerTexts({ english: en, others });

export const LANGUAGES: readonly string[] = ['en', ...Object.keys(others)];
