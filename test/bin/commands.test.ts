/** The help of `florin`, and what all other texts say about `florin`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { NOUNS } from '../../server/src/bin/cli/nouns.ts';
import { hasVerbs, optionsOf, type Verb } from '../../server/src/bin/program/command.ts';
import { EXIT } from '../../server/src/bin/program/faults.ts';
import { describeNoun, describeProgram, describeVerb } from '../../server/src/bin/program/help.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Keyed by what the user types: `payment show`, `doctor`. */
const verbs = new Map<string, Verb>();
const helps = new Map<string, string>([['', describeProgram(NOUNS)]]);
for (const [name, entry] of Object.values(NOUNS).flatMap((group) => Object.entries(group))) {
  const { default: found } = await entry.load();
  if (!hasVerbs(found)) verbs.set(name, found);
  else {
    helps.set(name, describeNoun(`florin ${name}`, found));
    for (const [verb, one] of Object.entries(found.verbs)) verbs.set(`${name} ${verb}`, one);
    if (found.otherwise) verbs.set(name, found.otherwise);
  }
}
for (const [name, verb] of verbs) helps.set(name, describeVerb(`florin ${name}`, verb));
const nouns = new Set([...verbs.keys()].map((name) => name.split(' ')[0]!));

describe('the help', () => {
  it('fits a terminal of a hundred columns', () => {
    const wide = [...helps].flatMap(([, text]) => text.split('\n')).filter((line) => [...line].length > 100);
    expect(wide).toEqual([]);
  });

  it('describes every command in one line without a full stop', () => {
    const odd = [...verbs].filter(([, { summary }]) => !/^[A-Z][^\n]{10,90}[^.]$/.test(summary)).map(([name]) => name);
    expect(odd).toEqual([]);
    expect(verbs.size).toBeGreaterThan(40);
  });

  it('has valid examples', () => {
    const wrong = [...verbs].flatMap(([, { examples = [] }]) => examples).filter((example) => findFault(example));
    expect(wrong).toEqual([]);
  });

  it('says of every command that it reads, asks, or why it does neither', () => {
    const silent = [...verbs].filter(([, { reads, plan }]) => !reads && !plan).map(([name]) => name);
    expect(silent.sort()).toEqual([
      'completion',
      // Runs until it is stopped.
      'console',
      // Asks with its own --yes, after the server has checked the file.
      'payout',
      // Never overwrite anything.
      ...['seed add-secret', 'seed check', 'seed create'],
      // Run until they are stopped.
      ...['server', 'signer'],
      // Sends one event that means nothing.
      'webhook test',
      'worker',
    ]);
    for (const [name, verb] of verbs) {
      if (verb.plan) expect([name, verb.options?.yes]).toEqual([name, undefined]);
    }
  });

  it('lists the exit codes of the program', () => {
    const page = read('docs/operating/florin.md');
    for (const code of Object.values(EXIT)) {
      expect(helps.get('')).toMatch(new RegExp(`\\b${code} \\w`));
      expect(page).toContain(`| ${code} |`);
    }
  });
});

/** Why a command that a page mentions is invalid; undefined when it and its options exist. */
function findFault(text: string): string | undefined {
  const [noun = '', second = ''] = text.split(/\s+/);
  const verb = verbs.get(`${noun} ${second}`) ?? verbs.get(noun);
  if (!nouns.has(noun)) return `no noun ${noun}`;
  if (!verb && /^[a-z-]+$/.test(second)) return `${noun} has no ${second}`;
  if (!verb) return undefined;
  const known = new Set([...Object.keys(optionsOf(verb)), 'json']);
  const option = [...text.matchAll(/(?<=\s)--([a-z-]+)/g)].map((match) => match[1]!).find((name) => !known.has(name));
  return option && `${noun} ${second} has no --${option}`;
}

describe('a mention of a command', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(md|ts|sql|yml|sh|json)$|^\.env\.example$|^\.ci\//.test(file))
    .filter(
      (file) => !/^(CHANGELOG\.md|package-lock\.json|test\/corpus\/)|^openapi\/|parseCommandLine\.test\.ts$/.test(file),
    );

  it('names an existing command with its own options', () => {
    const said = files.flatMap((file) =>
      // In backticks or quotes, at the start of a shell line, or after a colon.
      [...read(file).matchAll(/(?:[`'"]|^|: |→ |\.\/|npx )florin ((?:[a-z][a-z-]+)(?: [^`'"\n,;)]*)?)/gm)]
        .map((match) => ({ file, text: match[1]!.trim() }))
        .filter(({ text }) => !isProse(text) && !NAMES.has(text)),
    );
    expect(said.length).toBeGreaterThan(80);
    expect(said.flatMap(({ file, text }) => (findFault(text) ? [`${file}: ${text}: ${findFault(text)}`] : []))).toEqual(
      [],
    );
  });

  it('names only existing npm scripts', () => {
    const gone = files.flatMap((file) =>
      [...read(file).matchAll(/npm run (?:-s )?([a-z][\w-]*)/g)]
        .filter(([, script]) => !Object.hasOwn(manifest.scripts, script!))
        .map(([text]) => `${file}: ${text}`),
    );
    expect(gone).toEqual([]);
  });
});

/** Texts that start with the service's name and are not commands. */
const NAMES = new Set(['sandbox operator', 'seed fingerprint', 'wallet seed v1']);

/** "florin runs the service", "florin looks for this name": sentences about the program. */
const isProse = (text: string): boolean => /^(runs|says|replaces|looks|names|needs|is|without|has) /.test(text);
