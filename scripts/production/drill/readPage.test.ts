/** The commands of the operating pages are run by a test or the drill, and their links lead to a file. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { NOUNS } from '../../../server/src/bin/cli/nouns.ts';
import { namesIn, readPage } from './readPage.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, 'docs/operating');
const pages = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -3));
const read = (page: string) => readFileSync(join(folder, `${page}.md`), 'utf8');
/** The pages that `npm run drill` follows. */
const DRILLED = ['install', 'secrets', 'backup', 'restore'];
const blocksOf = (page: string) => [...read(page).matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1]!);

it('reads every block of the drill’s pages, and classifies each one', () => {
  for (const page of DRILLED) {
    const blocks = readPage(page).flatMap((section) => section.blocks);
    expect([page, blocks.map(({ text }) => text)]).toEqual([page, blocksOf(page)]);
  }
  const kinds = readPage('install').flatMap(({ blocks }) => blocks.map(({ kind }) => kind));
  expect(kinds.filter((kind) => kind === 'process')).toHaveLength(3);
  expect(kinds[0]).toBe('values');
  expect(namesIn(readPage('install')[0]!.blocks[0]!)).toEqual(expect.arrayContaining(['SOURCE', 'ETC', 'CHAINS']));
  const [, archive] = readPage('backup');
  expect(archive!.blocks.map(({ kind }) => kind)).toEqual(['postgres']);
});

it('every command in a block of a page is run by the drill or by a test', () => {
  const nouns = Object.values(NOUNS).flatMap((group) => Object.keys(group));
  const commandsIn = (text: string) =>
    [...text.matchAll(/^(?:\w+=\S+ )*florin ([a-z-]+)(?: ([a-z][a-z-]*)(?=\s))?/gm)]
      .filter(([, noun]) => nouns.includes(noun!))
      .map(([, noun, verb]) => (verb ? `${noun} ${verb}` : noun!));
  const drilled = new Set(DRILLED.flatMap(blocksOf).flatMap(commandsIn));
  const tests = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'test', 'server', 'scripts'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => /\.test\.ts$|^test\/support\//.test(file) && existsSync(join(root, file)))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  const isTested = (command: string) =>
    new RegExp(`['"\`]${command.replace(' ', `(?: |['"\`],\\s*['"\`])`)}['"\` ]`).test(tests);
  const said = new Set(pages.flatMap(blocksOf).flatMap(commandsIn));
  expect(said.size).toBeGreaterThan(20);
  expect([...said].filter((command) => !drilled.has(command) && !isTested(command))).toEqual([]);
});

it('every page is in the list of pages, and every link leads to a file', () => {
  const listed = [...read('README').matchAll(/\]\((\w[\w-]*)\.md\)/g)].map((match) => match[1]!);
  expect(pages.filter((page) => page !== 'README' && !listed.includes(page))).toEqual([]);
  const dead = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)]
      .map((match) => join(dirname(join(folder, `${page}.md`)), match[1]!))
      .filter((target) => !existsSync(target))
      .map((target) => `${page}: ${target.slice(root.length)}`),
  );
  expect(dead).toEqual([]);
});

it('incidents lists every alert', () => {
  const alerts = readdirSync(join(folder, 'alerts')).map((file) => file.slice(0, -3));
  expect(alerts.filter((name) => !read('incidents').includes(`(alerts/${name}.md)`))).toEqual([]);
});
