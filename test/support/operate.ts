/** `florin` without a process: parses the command line as the program does, and returns its output. */
import { NOUNS } from '../../server/src/bin/cli/nouns.ts';
import { contextOf } from '../../server/src/bin/program/context.ts';
import { parseCommandLine } from '../../server/src/bin/program/parseCommandLine.ts';
import { isPlan, renderPlan } from '../../server/src/bin/program/plan.ts';
import { wrapLines } from '../../server/src/bin/program/render.ts';
import type { Db } from '../../server/src/db/database.ts';

/** The operator has agreed to the plan. */
export async function operate(db: Db, ...args: string[]): Promise<string> {
  const said: string[] = [];
  const { answer, asJson } = await carryOut(db, args, said);
  if (typeof answer === 'string') return said.join('') + wrapLines(answer);
  return asJson ? JSON.stringify(answer.json) : said.join('') + answer.text;
}

/** Whether the program exits with code 1. */
export async function isBad(db: Db, ...args: string[]): Promise<boolean> {
  const { answer } = await carryOut(db, args, []);
  return typeof answer === 'object' && answer.isBad === true;
}

async function carryOut(db: Db, args: readonly string[], said: string[]) {
  const { begun, asJson } = await begin(db, args, said);
  return { answer: typeof begun === 'object' && isPlan(begun) ? await begun.carryOut() : begun, asJson };
}

/** What the command would ask; nothing is carried out. */
export async function planOf(db: Db, ...args: string[]): Promise<string> {
  const { begun } = await begin(db, args, []);
  if (typeof begun !== 'object' || !isPlan(begun)) throw new Error(`${args.join(' ')} asks nothing`);
  return renderPlan(begun);
}

async function begin(db: Db, args: readonly string[], said: string[]) {
  const asked = await parseCommandLine(NOUNS, args);
  if (asked.kind !== 'run') throw new Error(`${args.join(' ')} asks for help`);
  const { verb, words, options, asJson } = asked;
  const context = Object.defineProperty(
    contextOf(() => db),
    'say',
    { value: (line: string) => said.push(`${wrapLines(line)}\n`) },
  );
  const given = { words, options: options as Record<string, never> };
  const begun = verb.plan ? await verb.plan(context, given) : await verb.run(context, given);
  if (begun === undefined) throw new Error(`${args.join(' ')} keeps running`);
  return { begun, asJson };
}
