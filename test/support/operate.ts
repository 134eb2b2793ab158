/** `florin` without a process: parses the command line as the program does, and returns its output. */
import { NOUNS } from '../../server/src/bin/cli/nouns.ts';
import { contextOf } from '../../server/src/bin/program/context.ts';
import { parseCommandLine } from '../../server/src/bin/program/parseCommandLine.ts';
import { isPlan, renderPlan } from '../../server/src/bin/program/plan.ts';
import { wrapLines } from '../../server/src/bin/program/render.ts';
import type { Db, Tx } from '../../server/src/db/database.ts';

/** The operator has agreed to the plan. */
export async function operate(db: Db, ...args: string[]): Promise<string> {
  const said: string[] = [];
  const { answer, asJson } = await carryOut(db, args, said);
  if (typeof answer === 'string') return said.join('') + wrapLines(answer);
  return asJson ? JSON.stringify(answer.json) : said.join('') + answer.text;
}

/** The operator agrees to a plan, and something has happened since it was made. */
export async function operateLate(db: Db, meanwhile: () => Promise<unknown>, ...args: string[]): Promise<string> {
  const { begun, agree } = await begin(db, args, []);
  if (typeof begun !== 'object' || !isPlan(begun)) throw new Error(`${args.join(' ')} asks nothing`);
  await meanwhile();
  await agree();
  const answer = await begun.carryOut();
  return typeof answer === 'string' ? answer : answer.text;
}

/** Whether the program exits with code 1. */
export async function isBad(db: Db, ...args: string[]): Promise<boolean> {
  const { answer } = await carryOut(db, args, []);
  return typeof answer === 'object' && answer.isBad === true;
}

async function carryOut(db: Db, args: readonly string[], said: string[]) {
  const { begun, asJson, agree } = await begin(db, args, said);
  if (typeof begun !== 'object' || !isPlan(begun)) return { answer: begun, asJson };
  await agree();
  return { answer: await begun.carryOut(), asJson };
}

/** What the command would ask; nothing is carried out. */
export async function planOf(db: Db, ...args: string[]): Promise<string> {
  const { begun } = await begin(db, args, []);
  if (typeof begun !== 'object' || !isPlan(begun)) throw new Error(`${args.join(' ')} asks nothing`);
  return renderPlan(begun);
}

async function begin(given: Db, args: readonly string[], said: string[]) {
  const asked = await parseCommandLine(NOUNS, args);
  if (asked.kind !== 'run') throw new Error(`${args.join(' ')} asks for help`);
  const { verb, words, options, asJson } = asked;
  const { db, agree } = readOnlyUntilAgreed(given);
  const context = Object.defineProperty(
    contextOf(() => db),
    'say',
    { value: (line: string) => said.push(`${wrapLines(line)}\n`) },
  );
  const line = { words, options: options as Record<string, never> };
  if (!verb.plan) agree();
  const begun = verb.plan ? await verb.plan(context, line) : await verb.run(context, line);
  if (begun === undefined) throw new Error(`${args.join(' ')} keeps running`);
  return {
    begun,
    asJson,
    agree: () => {
      agree();
      return context.prepare();
    },
  };
}

/** A plan changes nothing: PostgreSQL refuses every write until the operator has agreed. */
function readOnlyUntilAgreed(db: Db): { readonly db: Db; agree(): void } {
  let isPlanning = true;
  const readOnly = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    db.tx(async (tx) => {
      await tx.query('SET TRANSACTION READ ONLY');
      return work(tx);
    });
  return {
    db: {
      ...db,
      query: (sql, values) => (isPlanning ? readOnly((tx) => tx.query(sql, values)) : db.query(sql, values)),
      tx: (work) => (isPlanning ? readOnly(work) : db.tx(work)),
    },
    agree: () => {
      isPlanning = false;
    },
  };
}
