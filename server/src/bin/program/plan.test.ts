import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Plan } from './command.ts';
import { EXIT } from './faults.ts';
import { confirmPlan, renderPlan } from './plan.ts';

const PLAN: Plan = {
  title: 'Change the tier verified.',
  facts: [
    ['who', 'everyone\u001b[2J'],
    ['note', undefined],
  ],
  changes: [
    { what: 'per payment', before: '100', after: '1000' },
    { what: 'per 24 hours', before: '500', after: '500' },
  ],
  warning: 'it takes effect with the next payment',
  carryOut: async () => 'done\n',
};

const SHOWN = `Change the tier verified.
who           everyone\\u001b[2J
per payment   100 → 1000
per 24 hours  500 (no change)
WARNING: it takes effect with the next payment
`;

/** What the operator sees, and how it ends. */
async function ask(typed: string, { isAgreed = false, isTTY = true, seesPlan = true } = {}) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY: seesPlan });
  input.end(typed);
  const end = await confirmPlan(PLAN, isAgreed, { input, output }).then(
    () => 'carried out',
    (error: Error & { exitCode: number }) => ({ message: error.message, exitCode: error.exitCode }),
  );
  return { end, seen: String(output.read()) };
}

describe('a plan', () => {
  it('shows facts, and what is and will be', () => {
    expect(renderPlan(PLAN)).toBe(SHOWN.replace('\\u001b', '\u001b'));
  });

  it('is shown without control characters, then carried out after yes', async () => {
    for (const typed of ['yes\n', ' YES \n']) {
      const { end, seen } = await ask(typed);
      expect(end).toBe('carried out');
      expect(seen.startsWith(`${SHOWN}\n`)).toBe(true);
      expect(seen).toContain('Type yes to continue: ');
    }
  });

  it.each([
    ['no', 'no\n'],
    ['y', 'y\n'],
    ['an empty line, then yes', '\nyes\n'],
    ['something that contains yes', 'yes?\n'],
    ['the end of the input', ''],
  ])('is not carried out after %s', async (_, typed) => {
    expect((await ask(typed)).end).toEqual({ message: 'Nothing was changed.', exitCode: EXIT.failed });
  });

  it('is refused when the plan goes to a file: nobody has seen it', async () => {
    expect((await ask('yes\n', { seesPlan: false })).end).toMatchObject({ exitCode: EXIT.usage });
  });

  it('is shown and refused without a terminal, whatever the input says', async () => {
    const { end, seen } = await ask('yes\n', { isTTY: false });
    expect(end).toEqual({
      message: expect.stringMatching(/^Nothing was changed: .* with --yes$/),
      exitCode: EXIT.usage,
    });
    expect(seen).toBe(`${SHOWN}\n`);
  });

  it('needs no answer with --yes, and is still shown', async () => {
    for (const isTTY of [true, false]) {
      expect(await ask('', { isAgreed: true, isTTY })).toEqual({ end: 'carried out', seen: `${SHOWN}\n` });
    }
  });
});
