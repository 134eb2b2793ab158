import { readBuildVersion } from '../../db/readSql.ts';
import { loadEnvFile, loadEnvironment } from '../config/config.ts';
import type { Answer, Nouns } from './command.ts';
import { openContext } from './context.ts';
import { describeFault } from './describeFault.ts';
import { EXIT, type ExitCode } from './faults.ts';
import { describeNoun, describeProgram, describeVerb } from './help.ts';
import { type Asked, parseCommandLine } from './parseCommandLine.ts';
import { confirmPlan, isPlan } from './plan.ts';
import { print, printAside } from './printable.ts';
import { wrapLines } from './render.ts';

/** Runs one command line, prints its answer, and sets the exit code. */
export async function runProgram(nouns: Nouns, args: readonly string[]): Promise<void> {
  surviveClosedPipes();
  let sandboxEnv: string | undefined;
  try {
    const asked = await parseCommandLine(nouns, args);
    if (asked.kind === 'run') {
      const file = loadEnvFile(asked.envFile, { orSandbox: !asked.verb.ignoresSandbox });
      if (asked.envFile === undefined) sandboxEnv = file;
      process.exitCode = await run(asked);
    } else print(await explain(nouns, asked));
  } catch (error) {
    const { message, exitCode } = describeFault(error as Error, {
      sandboxEnv,
      databaseUrl: loadEnvironment().DATABASE_URL,
    });
    printAside(`${wrapLines(message)}\n`);
    process.exitCode = exitCode;
  }
}

async function explain(nouns: Nouns, asked: Exclude<Asked, { kind: 'run' }>): Promise<string> {
  if (asked.kind === 'version') return `florin ${await readBuildVersion()}\n`;
  if (asked.kind === 'noun help') return describeNoun(asked.path, asked.noun);
  if (asked.kind === 'verb help') return describeVerb(asked.path, asked.verb);
  return describeProgram(nouns);
}

async function run({ verb, words, options, asJson, isAgreed }: Extract<Asked, { kind: 'run' }>): Promise<ExitCode> {
  const { context, close } = openContext();
  try {
    const given = { words, options: options as Record<string, never> };
    let answer = verb.plan ? await verb.plan(context, given) : await verb.run(context, given);
    if (typeof answer === 'object' && isPlan(answer)) {
      if (!answer.isRoutine) await confirmPlan(answer, isAgreed);
      await context.prepare();
      answer = await answer.carryOut();
    }
    if (answer === undefined) return EXIT.done;
    const { text, json, isBad = false }: Answer = typeof answer === 'string' ? { text: wrapLines(answer) } : answer;
    print(asJson ? `${JSON.stringify(json, null, 2)}\n` : text);
    return isBad ? EXIT.failed : EXIT.done;
  } finally {
    await close();
  }
}

/**
 * `florin audit | head -1`: the reader of our output has closed it. That is not a fault, and no one is left to read a
 * message.
 */
function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      if (stream === process.stdout) printAside(`the output cannot be written: ${error.message}\n`);
      process.exit(EXIT.failed);
    });
  }
}
