/** The configuration of `deploy/ha/`, for programs that run on this machine. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Account } from '../../../sandbox/src/postgres/chooseHome.ts';

export const readKit = (name: string): string =>
  readFileSync(new URL(`../../../deploy/ha/${name}`, import.meta.url), 'utf8');

/**
 * The variables of a file like `patroni.env`, with the values of this machine. Every value that differs between machines
 * must be given, and the file must name it.
 */
export function readVariables(name: string, values: Readonly<Record<string, string>>): Record<string, string> {
  const given = Object.fromEntries(
    [...readKit(name).matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key!, value!]),
  );
  const unknown = Object.keys(values).filter((key) => given[key] === undefined);
  if (unknown.length > 0) throw new Error(`not in ${name}: ${unknown.join(', ')}`);
  return { ...given, ...values };
}

/** Each must be found: otherwise the test would not test what is in `deploy/`. */
export function exchange(text: string, changes: readonly (readonly [RegExp, string])[]): string {
  return changes.reduce((now, [what, by]) => {
    if (!new RegExp(what.source, what.flags.replace('g', '')).test(now)) throw new Error(`not in the file: ${what}`);
    return now.replace(what, by);
  }, text);
}

/** Without a shell, under the PostgreSQL account. */
export async function runAs(account: Account | undefined, command: string, words: string[]): Promise<void> {
  const child = spawn(command, words, {
    ...account,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH },
  });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  const code = await new Promise((resolve) => child.on('error', resolve).on('close', resolve));
  if (code !== 0) throw new Error(`${command} has failed: ${said || code}`);
}
