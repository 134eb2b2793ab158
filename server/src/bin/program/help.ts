import { type Noun, type Nouns, type Option, optionsOf, type Verb } from './command.ts';
import { COLUMNS, renderFields, wrap } from './render.ts';

const INDENT = '  ';
/** An empty line separates paragraphs; other line ends come from our source files. */
const paragraph = (text: string): string =>
  text
    .split('\n\n')
    .map((part) => wrap(part.replaceAll('\n', ' ')).join('\n'))
    .join('\n\n');

export const describeProgram = (nouns: Nouns): string => `florin runs and operates the service.

${Object.entries(nouns)
  .map(([title, group]) => {
    const rows = Object.entries(group).map(([name, { summary }]) => [name, summary] as const);
    return `${title}\n${list(rows)}`;
  })
  .join('\n')}
${list([
  ['florin NOUN --help', 'its verbs; florin NOUN VERB --help describes one in full'],
  ['--env-file FILE', 'variables that the environment does not set'],
  ['--json', 'print JSON for scripts, on every command that reads'],
  ['--version', 'the version of this build'],
])}
Without DATABASE_URL it works on the sandbox that runs here (npm start).
Exit codes: 0 done, 1 refused or a check failed, 2 wrong command line, 3 not found, 4 not allowed,
5 wrong configuration, 6 no answer from the database or a blockchain (try again later).
`;

export function describeNoun(path: string, { about, verbs, otherwise }: Noun): string {
  const named = Object.entries(verbs).map(
    ([name, one]) => [[name, ...(one.words ?? [])].join(' '), one.summary] as const,
  );
  const rows = otherwise ? [[(otherwise.words ?? []).join(' '), otherwise.summary] as const, ...named] : named;
  return `${paragraph(about)}\n\n${list(rows.map(([use, summary]) => [`${path} ${use}`, summary]))}
${path} VERB --help has the options and examples.\n`;
}

export function describeVerb(path: string, verb: Verb): string {
  const own = Object.entries(verb.options ?? {});
  const common = Object.entries(optionsOf(verb)).filter(
    ([name]) => !verb.options || !Object.hasOwn(verb.options, name),
  );
  const parts = [
    [path, ...(verb.words ?? []), ...(own.length > 0 ? ['[options]'] : [])].join(' '),
    paragraph(`${verb.summary}.`),
    verb.about && paragraph(verb.about),
    list([...own, ...common].map(renderOption)).trimEnd(),
    verb.examples?.map((one) => `  florin ${one}`).join('\n'),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

const renderOption = ([name, { value, summary, type }]: [string, Option]): readonly [string, string] => [
  `--${name}${type === 'boolean' ? '' : ` ${value ?? 'TEXT'}`}`,
  summary,
];

const list = (rows: readonly (readonly [string, string])[]): string =>
  renderFields(rows, COLUMNS - INDENT.length).replace(/^(?=.)/gm, INDENT);
