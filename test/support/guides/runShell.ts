/**
 * Runs the commands of a block as a shell would, on a sandbox: `curl` in this process, `florin` as the built program.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { argumentsOf } from '../../../sandbox/src/processes.ts';
import { readOptions } from '../../../sandbox/src/readOptions.ts';
import { NOUNS } from '../../../server/src/bin/cli/nouns.ts';
import { parseCommandLine } from '../../../server/src/bin/program/parseCommandLine.ts';
import { askAsCurl, splitWords } from '../payouts/runCurl.ts';
import { type Clients, isClient, runClient } from './runClient.ts';

export interface Shell {
  /** The sandbox's. */
  readonly dataDir: string;
  readonly chainUrl: string;
  readonly clients: Clients;
  /** The reader's variables, by name; commands add to them. */
  readonly variables: Record<string, string>;
}

export interface Answer {
  readonly command: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/**
 * They run until they are stopped, or need files that only production has; `test/stories/production.test.ts` runs them.
 */
const PROCESSES = /^florin (migrate|signer|server|worker) /;

/** The answers of its `curl` commands. Later commands can use an answer: `$USER_ID` is its `user_id`. */
export async function runShell(block: string, shell: Shell): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const line of splitCommands(block)) {
    const assigned = /^(\w+)=\$\((.*)\)$/s.exec(line);
    const command = assigned?.[2] ?? line;
    if (command.startsWith('curl ')) {
      const answer = await runCurl(command, shell);
      answers.push(answer);
      if (assigned) shell.variables[assigned[1]!] = answer.text;
      else remember(answer.text, shell.variables);
    } else if (command.startsWith('florin '))
      await runFlorin(command.replaceAll(' .florin/', ` ${shell.dataDir}/`), shell);
    else if (isClient(command)) await runClient(command, shell.clients, shell.variables);
    else if (/^(\w+=\S+ )*npm start( |$)/.test(command)) checkStart(command);
    else throw new Error(`no test can run this: ${command}`);
  }
  return answers;
}

/** Splits a block at line ends, unless a backslash continues the line. */
const splitCommands = (block: string): string[] =>
  block
    .split(/(?<!\\)\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

async function runCurl(command: string, shell: Shell): Promise<Answer> {
  const mining = new AbortController();
  // A reader waits some seconds for blocks. The test mines them immediately.
  const mined = /wait=60/.test(command) ? keepMining(shell.chainUrl, mining.signal) : undefined;
  try {
    const answer = await askAsCurl(command, shell.variables, shell.dataDir);
    return { command, status: answer.status, text: await answer.text(), headers: answer.headers };
  } finally {
    mining.abort();
    await mined;
  }
}

export async function keepMining(chainUrl: string, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    await fetch(`${chainUrl}/mine`, { method: 'POST', body: '{"blocks":1}' });
    await new Promise((done) => setTimeout(done, 200));
  }
}

async function runFlorin(command: string, { dataDir, variables }: Shell): Promise<void> {
  if (PROCESSES.test(`${command} `)) return;
  const words = splitWords(command, variables).slice(1);
  // A reader answers the question at a terminal.
  const asked = await parseCommandLine(NOUNS, words);
  if (asked.kind === 'run' && asked.verb.plan) words.push('--yes');
  const env = { ...process.env, FLORIN_DATA_DIR: dataDir, DATABASE_URL: '' };
  const program = [...argumentsOf('server/src/bin/florin'), ...words];
  const { stdout } = await promisify(execFile)(process.execPath, program, { env }).catch(
    (error: { code: number; stdout: string }) => {
      // It has checked this machine, and found something to report.
      if (words[0] === 'doctor' && error.code === 1) return error;
      throw error;
    },
  );
  if (stdout === '') throw new Error(`${command} prints nothing`);
  const key = /^fsk_\S+/m.exec(stdout)?.[0];
  if (key) variables.FLORIN_KEY = key;
}

/** The sandbox of this test is already running: only checks whether it would start like this. */
function checkStart(command: string): void {
  const [, , ...args] = splitWords(command.replace(/^(\w+=\S+ )*/, ''));
  readOptions(args[0] === '--' ? args.slice(1) : args, {});
}

/** Every string member of the answer by its name in capitals. */
function remember(text: string, variables: Record<string, string>): void {
  if (!text.startsWith('{')) return;
  JSON.parse(text, (name, value) => {
    if (typeof value === 'string' && /^[a-z_]+$/.test(name)) variables[name.toUpperCase()] = value;
    return value;
  });
}
