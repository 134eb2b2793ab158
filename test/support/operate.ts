/** `florin` without a process: parses the command line as the program does, and returns its output. */
import { NOUNS } from '../../server/src/bin/cli/nouns.ts';
import { contextOf } from '../../server/src/bin/program/context.ts';
import { parseCommandLine } from '../../server/src/bin/program/parseCommandLine.ts';
import { wrapLines } from '../../server/src/bin/program/render.ts';
import type { Db } from '../../server/src/db/database.ts';

export async function operate(db: Db, ...args: string[]): Promise<string> {
  const asked = await parseCommandLine(NOUNS, args);
  if (asked.kind !== 'run') throw new Error(`${args.join(' ')} asks for help`);
  const { verb, words, options, asJson } = asked;
  const said: string[] = [];
  const context = Object.defineProperty(
    contextOf(() => db),
    'say',
    { value: (line: string) => said.push(`${wrapLines(line)}\n`) },
  );
  const answer = await verb.run(context, { words, options: options as Record<string, never> });
  if (answer === undefined) throw new Error(`${args.join(' ')} keeps running`);
  if (typeof answer === 'string') return said.join('') + wrapLines(answer);
  return asJson ? JSON.stringify(answer.json) : said.join('') + answer.text;
}
