import { describe, expect, it } from 'vitest';
import { type Nouns, verb } from './command.ts';
import { EXIT } from './faults.ts';
import { parseCommandLine } from './parseCommandLine.ts';

const show = verb({ summary: 'Shows it', words: ['THING'], reads: true, run: async () => 'shown\n' });
const add = verb({
  summary: 'Adds it',
  words: ['THING', '[PLACE]'],
  options: {
    why: { type: 'string', summary: 'why' },
    twice: { type: 'boolean', summary: 'two' },
    to: { type: 'string', multiple: true, summary: 'where' },
  },
  run: async () => 'added\n',
});
const look = verb({ summary: 'Looks', run: async () => 'looked\n' });
const NOUNS: Nouns = {
  Things: { thing: { summary: 'things', load: async () => ({ default: { about: 'Things.', verbs: { show, add } } }) } },
  Others: { look: { summary: 'looks', load: async () => ({ default: look }) } },
};

const parse = (line: string) => parseCommandLine(NOUNS, line.split(' ').filter(Boolean));

describe('a command line', () => {
  it.each([
    ['thing show one', { verb: show, words: ['one'], options: {}, asJson: false, envFile: undefined }],
    ['thing show one --json', { words: ['one'], asJson: true }],
    ['--json thing show one', { words: ['one'], asJson: true }],
    ['--env-file a.env thing show one', { words: ['one'], envFile: 'a.env' }],
    ['--env-file=a.env thing --json show one', { words: ['one'], envFile: 'a.env', asJson: true }],
    ['thing show one --env-file a.env', { envFile: 'a.env' }],
    ['thing add one here --why so --to a --to b --twice', { options: { why: 'so', to: ['a', 'b'], twice: true } }],
    ['thing add -- --odd', { words: ['--odd'] }],
    ['look', { verb: look, words: [] }],
  ])('%s is run', async (line, expected) => {
    expect(await parse(line)).toMatchObject({ kind: 'run', ...expected });
  });

  it.each([
    ['', 'program help'],
    ['help', 'program help'],
    ['--help', 'program help'],
    ['thing', 'noun help'],
    ['thing --help', 'noun help'],
    ['help thing', 'noun help'],
    ['thing show --help', 'verb help'],
    ['thing add --nonsense -h', 'verb help'],
    ['help thing add', 'verb help'],
    ['look --help', 'verb help'],
    ['--version', 'version'],
  ])('"%s" asks for %s', async (line, kind) => {
    expect(await parse(line)).toMatchObject({ kind });
  });

  it.each([
    ['thng show', 'there is no command thng (thing?). See florin --help'],
    ['constructor', 'there is no command constructor. See florin --help'],
    ['thing shwo', 'florin thing has no shwo (show?); it has show, add'],
    ['thing toString', 'florin thing has no toString; it has show, add'],
    ['thing show', 'THING is missing: florin thing show THING. See florin thing show --help'],
    ['thing show a b', '"b" is one argument too many: florin thing show THING. See florin thing show --help'],
    ['thing show a --jsno', 'florin thing show has no option --jsno (--json?). See florin thing show --help'],
    ['thing add a --json', 'florin thing add has no option --json. See florin thing add --help'],
    ['thing add a --why', '--why needs a value. See florin thing add --help'],
    ['thing add a --why --twice', '--why needs a value. See florin thing add --help'],
    ['thing add a --twice=yes', '--twice takes no value. See florin thing add --help'],
  ])('"%s" is refused with the correct usage', async (line, message) => {
    await expect(parse(line)).rejects.toMatchObject({ message, exitCode: EXIT.usage });
  });
});
