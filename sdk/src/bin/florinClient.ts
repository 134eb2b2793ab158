#!/usr/bin/env node
/** `npx @florin/client`: what an integrator needs while building, on the own machine. Apps do not import this. */
import { FlorinError } from '../FlorinError.ts';
import { listen } from './listen.ts';
import { openAccount } from './openAccount.ts';
import { HELP, readCommand } from './readCommand.ts';
import { trigger } from './trigger.ts';

/** 1: it failed; 2: the command line is wrong. */
async function run(): Promise<number> {
  const print = (line: string) => console.log(line);
  const command = readCommand(process.argv.slice(2), process.env);
  if ('fault' in command) {
    console.error(`${command.fault}\n\n${HELP}`);
    return 2;
  }
  if (command.name === 'help') {
    print(HELP);
    return 0;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const account = openAccount(command.backendUrl, command.key);
  try {
    if (command.name === 'listen') await listen(account, { ...command, print, signal: stop.signal });
    else print(await trigger(account, command));
    return 0;
  } catch (error) {
    if (!(error instanceof FlorinError)) throw error;
    const request = error.requestId === undefined ? '' : ` (request ${error.requestId})`;
    console.error(`${error.message}${request}`);
    return 1;
  }
}

process.exitCode = await run();
