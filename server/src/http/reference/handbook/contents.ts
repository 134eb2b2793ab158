/**
 * `handbook` serves all documentation as one site: guides, both references, error codes, pages for operators. The texts
 * are the files of `docs/`.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface Chapter {
  /** Below `docs/`: `guides/amounts.md`. */
  readonly file: string;
  readonly href: string;
  readonly title: string;
  /** Its first paragraph. */
  readonly about: string;
  readonly text: string;
}

interface Part {
  readonly title: string;
  readonly chapters: readonly Chapter[];
}

const DOCS = new URL('../../../../../docs/', import.meta.url);

/** In reading order. Pages that are not listed here are appended automatically. */
const ORDER: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Get started', ['guides/first-payment', 'guides/which-api']],
  [
    'Log people in',
    [
      'guides/login-oidc',
      'guides/login-firebase',
      'guides/login-google',
      'guides/login-auth0',
      'guides/web-login',
      'guides/authentication',
    ],
  ],
  [
    'Pay',
    [
      'guides/pay-and-show',
      'guides/money-requests',
      'guides/states',
      'guides/amounts',
      'guides/repeating-calls',
      'guides/errors-and-retries',
      'guides/limits-and-kyc',
      'guides/payouts',
    ],
  ],
  ['Get notified', ['guides/events', 'guides/webhooks']],
  ['Use the client', ['guides/client-reference']],
  [
    'Go live',
    [
      'guides/testing',
      'local-chain',
      'guides/going-live',
      'guides/circle-or-own-keys',
      'guides/circle',
      'circle-double',
      'guides/moving-wallets',
      'guides/wallet',
    ],
  ],
];

const listFiles = (folder: string): string[] =>
  readdirSync(new URL(folder, DOCS))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => folder + name);

/** By file: all pages of the navigation. */
const known = new Map(['', 'guides/', 'operating/'].flatMap(listFiles).map((file) => [file, readChapter(file)]));

/** The pages of the navigation. */
export const parts: readonly Part[] = arrange();

/** Pages that are reachable only by their address. */
const aside = ['operating/alerts/', 'decisions/'].map((folder) => ({
  folder,
  chapters: listFiles(folder).map(readChapter),
}));

const byHref = new Map(
  [...parts, ...aside].flatMap(({ chapters }) => chapters.map((chapter) => [chapter.href, chapter] as const)),
);

export const chapters: readonly Chapter[] = parts.flatMap((part) => part.chapters);

export const findChapter = (href: string): Chapter | undefined => byHref.get(href);

/** Pages of a folder that has its own index: `operating/alerts/`, `decisions/`. */
export const listAside = (folder: string): readonly Chapter[] =>
  aside.find((one) => one.folder === folder)?.chapters ?? [];

/** The path of a file of `docs/`, if it has a page. */
export function hrefOf(file: string): string {
  const name = file.replace(/\.md$/, '');
  return name.includes('/') ? `/${name}` : `/guides/${name}`;
}

function readChapter(file: string): Chapter {
  const text = readFileSync(new URL(file, DOCS), 'utf8');
  const [, title = file, about = ''] =
    /^# (.+)\n\n([^\n#][^\n]*(?:\n[^\n]+)*)?/.exec(text.replace(/^```[\s\S]*?^```\n\n/m, '')) ?? [];
  return { file, href: hrefOf(file), title, about: toPlain(about), text };
}

/** Without Markdown markup, in one line. */
export function toPlain(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function arrange(): Part[] {
  const named = new Set(ORDER.flatMap(([, names]) => names.map((name) => `${name}.md`)));
  const rest = [...known.values()].filter(({ file }) => !named.has(file));
  const isGuide = ({ file }: Chapter) => file.startsWith('guides/');
  return [
    ...ORDER.map(([title, names]) => ({
      title,
      chapters: names.flatMap((name) => known.get(`${name}.md`) ?? []),
    })),
    { title: 'More guides', chapters: rest.filter(isGuide) },
    { title: 'Operate', chapters: rest.filter((one) => !isGuide(one)) },
  ].filter((part) => part.chapters.length > 0);
}

/** A picture or another file of the site. */
export const readAsset = (name: string): Buffer => readFileSync(new URL(name, DOCS));
