/**
 * Finds the tests that run against a planted bug, by a rule that ignores the bug itself: tests that reach the changed
 * file over imports, names of SQL functions and tables, or programs that they start. The nearest come first, and of
 * those the ones that share rare words with the changed file.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LONG_TESTS } from '../../run/longTests.ts';

/**
 * These tests compare texts, or would fail because a patch was applied. A bug that only they notice counts as missed.
 */
const EXCLUDED = ['test/tidy.test.ts', 'test/db/schema.test.ts', 'test/support/prove/planted/bugs.test.ts'];
/** This many of the nearest tests come before the slices of proofs and properties. */
const FIRST = 12;
/** Support that this many other tests use belongs to none of them. */
const FEW = 2;
/** What rare words that a test shares with the changed file count: at most as much as five steps. */
const RARE = 20;
const MOST_LIKE = 10;

/** Only tests of `npm test`: a bug that only nightly runs notice counts as missed. */
const isTest = (file: string): boolean => /\.test\.ts$/.test(file) && !EXCLUDED.includes(file) && !(file in LONG_TESTS);

interface Source {
  readonly file: string;
  readonly text: string;
}

interface Related {
  /** Test files in the order in which they run. */
  findTests(changed: readonly string[]): readonly string[];
}

export function openRelated(root: string, files: readonly string[]): Related {
  const sources = files
    .filter((file) => /\.(tsx?|sql)$/.test(file) && !/^sql\/(migrations\/|comments\/|schema\.sql$)/.test(file))
    .map((file): Source => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const users = findUsers(sources);
  const texts = joinOwnSupport(sources, users);
  const wordsIn = new Map(sources.map(({ file, text }) => [file, findWords(text)]));
  const rarities = countFiles(wordsIn.values());
  return {
    findTests(changed) {
      const distances = measure(changed, users);
      const words = new Set(changed.flatMap((file) => [...(wordsIn.get(file) ?? [])]));
      const likeness = (file: string): number => {
        const shared = [...findWords(texts.get(file)!)].filter((word) => words.has(word));
        return Math.min(
          MOST_LIKE,
          shared.reduce((sum, word) => sum + RARE / (rarities.get(word) ?? 1) ** 2, 0),
        );
      };
      for (const file of changed)
        if (file.startsWith('web/wallet/'))
          for (const { file: other } of sources) if (other.startsWith('test/browser/')) distances.set(other, 2);
      const near = [...distances.keys()]
        .filter(isTest)
        .map((file) => ({ file, rank: rankOf(file, changed, distances.get(file)!, texts.get(file)!) - likeness(file) }))
        .sort((a, b) => a.rank - b.rank || (a.file < b.file ? -1 : 1))
        .map(({ file }) => file);
      const slices = sources
        .filter(({ file, text }) => isTest(file) && /support\/(prove|properties)\//.test(text))
        .map(({ file }) => file);
      return [...new Set([...near.slice(0, FIRST), ...slices, ...near.slice(FIRST)])];
    },
  };
}

/** Names, and texts that the code has in quotes. */
const findWords = (text: string): ReadonlySet<string> =>
  new Set(text.replace(/^\s*(--|\*|\/\/|\/\*).*$/gm, '').match(/\b[A-Za-z_]\w{3,}\b/g) ?? []);

/** In how many files each word is. */
function countFiles(all: Iterable<ReadonlySet<string>>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const words of all) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Each test together with the files of support that hardly any other test uses, such as its tables of cases. */
function joinOwnSupport(
  sources: readonly Source[],
  users: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, string> {
  const known = new Map(sources.map(({ file, text }) => [file, text]));
  const own = (file: string, of: string): string[] =>
    findImports(file, known.get(file)!)
      .filter((target) => target.startsWith('test/support/') && known.has(target))
      .filter((target) => (users.get(target) ?? []).filter((user) => isTest(user) && user !== of).length < FEW)
      .map((target) => known.get(target)!);
  return new Map(sources.map(({ file, text }) => [file, isTest(file) ? [text, ...own(file, file)].join('\n') : text]));
}

/** The nearest first; of two at the same distance the one that names the changed code, or is in its module. */
function rankOf(test: string, changed: readonly string[], distance: number, text: string): number {
  const names = changed.map((file) => basename(file).replace(/\..*$/, ''));
  const isNamed = names.some((name) => new RegExp(`\\b${name}\\b`).test(text));
  const isBeside = changed.some((file) => dirname(file) === dirname(test));
  const modules = changed.map((file) => /^(?:server\/src|sql\/functions)\/(\w+)\//.exec(file)?.[1] ?? 'none');
  const isOfModule = modules.some(
    (module) => test.startsWith(`test/${module}/`) || test.startsWith(`server/src/${module}/`),
  );
  const isSlow = /^test\/(stories|browser|attacks)\//.test(test);
  return distance * 2 - (isBeside ? 8 : 0) - (isNamed ? 6 : 0) - (isOfModule ? 3 : 0) + (isSlow ? 6 : 0);
}

/** For every file, the files that use it. */
function findUsers(sources: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const known = new Set(sources.map(({ file }) => file));
  const users = new Map<string, string[]>();
  const add = (used: string, user: string) => {
    if (used !== user) users.set(used, [...(users.get(used) ?? []), user]);
  };
  const byName = new Map<string, string[]>();
  const byTable = new Map<string, string[]>();
  for (const { file, text } of sources.filter((one) => one.file.startsWith('sql/functions/'))) {
    const name = basename(file).replace(/(\.pg\d+)?\.sql$/, '');
    byName.set(name, [...(byName.get(name) ?? []), file]);
    for (const table of findTables(text)) byTable.set(table, [...(byTable.get(table) ?? []), file]);
  }
  for (const { file, text } of sources) {
    for (const target of findImports(file, text)) if (known.has(target)) add(target, file);
    const code = text.replace(/^\s*(--|\*|\/\/|\/\*).*$/gm, '');
    for (const word of new Set(code.match(/\b[a-z]+(?:_[a-z\d]+)+\b/g) ?? []))
      for (const one of byName.get(word) ?? []) add(one, file);
    for (const [, table] of code.matchAll(/\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)/g))
      for (const one of byTable.get(table!) ?? []) add(one, file);
  }
  return users;
}

/** Code that writes a table uses the functions of its triggers. */
const findTables = (text: string): string[] =>
  [...text.matchAll(/^CREATE OR REPLACE TRIGGER \w+[^;]*? ON (\w+)/gm)].map((match) => match[1]!);

function findImports(file: string, text: string): string[] {
  const named = [...text.matchAll(/(?:from|import\(|import)\s*'([^']+)'/g)].map((match) => match[1]!);
  const imports = named.map((target) => (target.startsWith('.') ? join(dirname(file), target) : target));
  const aliased = imports.map((target) => (target === '@florin/client' ? 'sdk/src/index.ts' : target));
  // A program that is started, such as 'sandbox/src/start'.
  const programs = [...text.matchAll(/'((?:server|sandbox|bench|test)\/[\w/]+)'/g)].map((match) => `${match[1]}.ts`);
  return [...aliased, ...programs];
}

/** Steps from each file to the nearest of the changed ones. */
function measure(changed: readonly string[], users: ReadonlyMap<string, readonly string[]>): Map<string, number> {
  const distances = new Map(changed.map((file) => [file, 0]));
  for (const [file, distance] of distances)
    for (const user of users.get(file) ?? []) if (!distances.has(user)) distances.set(user, distance + 1);
  return distances;
}
