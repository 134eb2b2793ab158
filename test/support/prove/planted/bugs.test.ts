/** Every planted bug still applies to the current sources (`npm run prove -- planted`). */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseBug, plant, readBugs } from './readBugs.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const bugs = readBugs();

describe('planted bugs', () => {
  it('are at least sixty, over all modules', () => {
    expect(bugs.length).toBeGreaterThanOrEqual(60);
    const modules = new Set(bugs.map(({ module }) => module));
    for (const one of ['ledger', 'payments', 'custody', 'customers', 'http', 'events', 'overview', 'operators'])
      expect(modules).toContain(one);
    for (const one of ['adapters', 'bin', 'cli', 'sdk', 'wallet', 'sandbox']) expect(modules).toContain(one);
  });

  it.each(bugs.map((bug) => [bug.name, bug] as const))('%s applies exactly once', (_, bug) => {
    const changed = plant(bug, read);
    for (const [file, text] of changed) expect(text).not.toBe(read(file));
    // `workCopy.ts` applies bugs in SQL by migrating, which changes functions.
    for (const file of changed.keys()) if (file.startsWith('sql/')) expect(file).toMatch(/^sql\/functions\//);
    expect(changed.size).toBe(new Set(bug.edits.map(({ file }) => file)).size);
  });
});

describe('a patch', () => {
  const patch = (old: string, now: string) =>
    parseBug('one', `module: core\nwhat: It is wrong.\n--- a/file.ts\n+++ b/file.ts\n@@\n${old}${now}`);
  const apply = (bug: ReturnType<typeof patch>, text: string) => plant(bug, () => text).get('file.ts');

  it('replaces whole lines anywhere in a file, and deletes them', () => {
    expect(apply(patch('-b\n', '+c\n'), 'a\nb\nab\n')).toBe('a\nc\nab\n');
    expect(apply(patch(' a\n-b\n', ''), 'b\na\nb\nb\n')).toBe('b\na\nb\n');
    expect(apply(patch('-a\n', ''), 'a\nb\n')).toBe('b\n');
  });

  it('fails when its lines are gone, or occur twice', () => {
    expect(() => apply(patch('-b\n', '+c\n'), 'a\n')).toThrow('applies 0 times');
    expect(() => apply(patch('-b\n', '+c\n'), 'b\na\nb\n')).toThrow('applies 2 times');
  });

  it('fails without its module and description', () => {
    expect(() => parseBug('one', '--- a/file.ts\n')).toThrow('a patch begins with');
  });
});
