import { z } from 'zod';
import type { Db } from '../../db/database.ts';
import type { ListOf, Reading } from '../../http/console/reading.ts';
import type { Given } from '../../http/console/row.ts';
import type { Answer, Verb } from '../program/command.ts';
import { contextOf } from '../program/context.ts';

/** What a command of `florin` prints with `--json`, as its reader expects it. */
export async function readCommand<One = unknown>(
  verb: Verb,
  db: Db,
  words: readonly string[] = [],
  options: Given = {},
): Promise<One> {
  if (!verb.run) throw new TypeError('this command changes something');
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const answer = await verb.run(
    contextOf(() => db),
    { words, options: given as Record<string, never> },
  );
  return (answer as Answer).json as One;
}

interface CommandReading {
  readonly path: string;
  /** The command: `payment list`. */
  readonly command: string;
  readonly verb: Verb;
  /** Path parameters, in the order of the command's words. */
  readonly words?: readonly string[];
  /** The command's options that are query parameters; paging is added. */
  readonly query?: readonly string[];
  readonly list?: ListOf;
  readonly answer: z.ZodType;
}

/** A reading that is one command of `florin`: the query is its options. */
export const fromCommand = ({
  path,
  command,
  verb,
  words = [],
  query = [],
  list,
  answer,
}: CommandReading): Reading => ({
  path,
  about: `florin ${command}`,
  query,
  ...(list && { list }),
  answer,
  run: ({ db }, params, given) =>
    readCommand(
      verb,
      db,
      words.map((word) => params[word]!),
      list && list.kind !== 'pages' ? omitOrder(given) : given,
    ),
});

/** The server sorts and cuts; the command does not know these. */
const omitOrder = ({ sort: _, limit: __, offset: ___, ...options }: Given): Given => options;

/** The answer of a list with pages. */
export const pageOf = (rows: string, row: z.ZodType, more: z.ZodRawShape = {}) =>
  z.strictObject({ [rows]: z.array(row), next: z.string().nullable(), ...more });
