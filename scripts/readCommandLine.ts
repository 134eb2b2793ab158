/**
 * The command lines of scripts and benchmarks. A script refuses unknown arguments instead of running something else.
 */
import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

interface Wanted<Known extends Options> {
  readonly options?: Known;
  /** At most this many whole numbers. */
  readonly numbers?: number;
  /** Known words, or any. */
  readonly words?: readonly string[] | 'any';
}

/** Throws what is wrong with the command line. */
export function parseCommandLine<const Known extends Options>(
  args: readonly string[],
  { options = {} as Known, numbers: most = 0, words: known = [] }: Wanted<Known>,
) {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  const isKnown = (word: string) => known === 'any' || known.includes(word);
  const others = positionals.filter((word) => !isKnown(word));
  const unknown = others.find((word, nth) => nth >= most || !/^\d{1,15}$/.test(word));
  if (unknown !== undefined) throw new TypeError(`Unexpected argument '${unknown}'`);
  return { values, numbers: others.map(Number), words: positionals.filter(isKnown) };
}

/** The command line of this process. Prints the usage and exits with code 2 when it is wrong. */
export function readCommandLine<const Known extends Options>(usage: string, wanted: Wanted<Known> = {}) {
  try {
    return parseCommandLine(process.argv.slice(2), wanted);
  } catch (error) {
    return refuse(usage, (error as Error).message);
  }
}

/** For what only the script itself can see in its command line. */
export function refuse(usage: string, fault: string): never {
  console.error(`${fault}\nusage: ${usage}`);
  process.exit(2);
}
