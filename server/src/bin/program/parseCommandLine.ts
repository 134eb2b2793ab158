import { parseArgs } from 'node:util';
import { type Entry, hasVerbs, type Noun, type Nouns, optionsOf, type Verb } from './command.ts';
import { misused } from './faults.ts';
import { suggest } from './suggest.ts';

type Values = Readonly<Record<string, string | boolean | readonly string[]>>;

/** The result of parsing a command line. */
export type Asked =
  | { readonly kind: 'version' }
  | { readonly kind: 'program help' }
  | { readonly kind: 'noun help'; readonly path: string; readonly noun: Noun }
  | { readonly kind: 'verb help'; readonly path: string; readonly verb: Verb }
  | {
      readonly kind: 'run';
      readonly verb: Verb;
      readonly words: readonly string[];
      readonly options: Values;
      readonly envFile: string | undefined;
      readonly asJson: boolean;
      /** `--yes`: the operator has agreed to the plan. */
      readonly isAgreed: boolean;
    };

/** Throws a fault with exit code 2 that names the correct usage. */
export async function parseCommandLine(nouns: Nouns, given: readonly string[]): Promise<Asked> {
  const args = bringForward(given);
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || isHelp(name)) {
    return name === 'help' && rest.length > 0 ? parseCommandLine(nouns, [...rest, '--help']) : { kind: 'program help' };
  }
  if (name === '--version') return { kind: 'version' };
  const entry = findEntry(nouns, name);
  if (!entry) throw misused(`there is no command ${name}${suggest(name, namesOf(nouns))}. See florin --help`);
  const { default: found } = await entry.load();
  if (!hasVerbs(found)) return parseVerb(`florin ${name}`, found, rest);
  const [verbName, ...own] = bringForward(rest);
  if (verbName === undefined || isHelp(verbName)) return { kind: 'noun help', path: `florin ${name}`, noun: found };
  const verb = Object.hasOwn(found.verbs, verbName) ? found.verbs[verbName] : undefined;
  if (!verb && found.otherwise) return parseVerb(`florin ${name}`, found.otherwise, rest);
  if (!verb) {
    const verbs = Object.keys(found.verbs);
    throw misused(`florin ${name} has no ${verbName}${suggest(verbName, verbs)}; it has ${verbs.join(', ')}`);
  }
  return parseVerb(`florin ${name} ${verbName}`, verb, own);
}

/** Options before the noun or the verb belong to the verb. */
function bringForward(args: readonly string[]): readonly string[] {
  const [first = '', second, ...rest] = args;
  if (first === '--env-file' && second !== undefined) return bringForward([...rest, first, second]);
  if ((first.startsWith('--env-file=') || first === '--json') && second !== undefined)
    return bringForward([second, ...rest, first]);
  return args;
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h';

const findEntry = (nouns: Nouns, name: string): Entry | undefined =>
  Object.values(nouns)
    .map((group) => (Object.hasOwn(group, name) ? group[name] : undefined))
    .find((entry) => entry !== undefined);

export const namesOf = (nouns: Nouns): string[] => Object.values(nouns).flatMap((group) => Object.keys(group));

function parseVerb(path: string, verb: Verb, args: readonly string[]): Asked {
  // Checked first: the rest may be incomplete while the user asks for help.
  const end = args.indexOf('--');
  if ((end < 0 ? args : args.slice(0, end)).some(isHelp)) return { kind: 'verb help', path, verb };
  const { values, positionals } = parseOptions(path, verb, args);
  checkWords(path, verb, positionals);
  const { 'env-file': envFile, json, ...options } = values;
  return {
    kind: 'run',
    verb,
    words: positionals,
    options,
    envFile: envFile as string | undefined,
    asJson: json === true,
    isAgreed: options.yes === true,
  };
}

function parseOptions(path: string, verb: Verb, args: readonly string[]) {
  const known = optionsOf(verb);
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  );
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true });
    return parsed as { values: Values; positionals: string[] };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const named = /'(?:-\w, )?(-[^'\s]*)/.exec(message)?.[1] ?? '';
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const names = Object.keys(known).map((name) => `--${name}`);
      throw misused(`${path} has no option ${named}${suggest(named, names)}. See ${path} --help`);
    }
    if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
      const takes = known[named.replace(/^-+/, '')]?.type === 'boolean' ? 'takes no value' : 'needs a value';
      throw misused(`${named} ${takes}. See ${path} --help`);
    }
    throw error;
  }
}

function checkWords(path: string, verb: Verb, given: readonly string[]): void {
  const wanted = verb.words ?? [];
  const least = wanted.filter((word) => !word.startsWith('[')).length;
  const most = wanted.at(-1)?.includes('…') ? Number.POSITIVE_INFINITY : wanted.length;
  const missing = given.length < least ? wanted[given.length] : undefined;
  const fault =
    missing !== undefined
      ? `${missing} is missing`
      : given.length > most
        ? `"${given[most]}" is one argument too many`
        : '';
  if (fault !== '') throw misused(`${fault}: ${[path, ...wanted].join(' ')}. See ${path} --help`);
}
