/** What a command shows before it changes something, and the question that an operator answers. */
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Plan } from './command.ts';
import { CommandFault, EXIT } from './faults.ts';
import { printable } from './printable.ts';
import { renderFields, wrapLines } from './render.ts';

export const isPlan = (one: Plan | Answer | string): one is Plan => typeof one === 'object' && 'carryOut' in one;

export function renderPlan({ title, facts = [], changes = [], warning }: Plan): string {
  const rows = [
    ...facts,
    ...changes.map(
      ({ what, before, after }) => [what, before === after ? `${before} (no change)` : `${before} → ${after}`] as const,
    ),
  ];
  return `${wrapLines(title)}\n${renderFields(rows)}${warning === undefined ? '' : `${wrapLines(`WARNING: ${warning}`)}\n`}`;
}

/**
 * Throws if what the plan has shown is no longer so. `carryOut` calls it in its transaction, under the locks of the
 * change, so that nothing is changed that the operator has not seen.
 */
export function refuseOutdated(shown: unknown, now: unknown): void {
  if (isDeepStrictEqual(shown, now)) return;
  throw new CommandFault(
    'Nothing was changed: something has changed since this plan was made. Repeat the command to see the plan as it is now',
  );
}

interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Shows the plan and asks, unless the operator has agreed with `--yes`. Throws if they do not type `yes`. Without a
 * terminal there is no one to ask, so it throws immediately. The plan goes to stderr: scripts read stdout.
 */
export async function confirmPlan(
  plan: Plan,
  isAgreed: boolean,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  output.write(printable(`${renderPlan(plan)}\n`));
  if (isAgreed) return;
  // Consent to a plan that went to a file is none.
  if (!input.isTTY || !output.isTTY)
    throw new CommandFault(
      'Nothing was changed: this command asks before it changes something, and there is no terminal to ask on. To carry out this plan from a script, repeat the command with --yes',
      EXIT.usage,
    );
  if ((await ask('Type yes to continue: ', { input, output })) !== 'yes')
    throw new CommandFault('Nothing was changed.');
}

/** The end of the input, and Ctrl+C, are no answer. */
function ask(question: string, { input, output }: Terminal): Promise<string> {
  const lines = createInterface({ input, output });
  return new Promise((resolve) => {
    lines.once('close', () => resolve(''));
    lines.question(question, (answer) => {
      resolve(answer.trim().toLowerCase());
      lines.close();
    });
  });
}
