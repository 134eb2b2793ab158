import { isIP } from 'node:net';
import type { z } from 'zod';
import type { Variable } from './shapes.ts';
import { type Values, variables } from './variables.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * Parses every variable, or only those in `names`. Returns the values that could be parsed, and one line about each
 * that could not.
 */
export function readValues(
  env: Env,
  names: readonly string[] = Object.keys(variables),
): { values: Partial<Values>; faults: string[] } {
  const faults: string[] = [];
  const read: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries<Variable>(variables).filter(([name]) => names.includes(name))) {
    // `NAME=` in an env file means unset.
    const result = variable.schema.safeParse(env[name] || undefined);
    if (result.success) read[name] = result.data;
    else faults.push(...result.error.issues.map((issue) => `${name} ${renderIssue(issue, env[name])}`));
  }
  return { values: read as Partial<Values>, faults };
}

export function renderIssue(issue: z.core.$ZodIssue, given: string | undefined): string {
  if (!given) return 'is missing';
  const where = issue.path.length > 0 ? `[${issue.path.join('.')}] ` : '';
  return `${where}${issue.message.replace(/^(Invalid|Too|Unrecognized)/, (word) => word.toLowerCase())}`;
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
