/**
 * Planted bugs: what a tired developer or a merge might do to this repository, one patch each (`bugs/NAME.patch`). A
 * patch is a unified diff without line numbers, below two lines that name the module and what goes wrong. Its old lines
 * must occur exactly once in their file, at any position, so patches survive changes around them, and fail when the
 * code itself has changed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Edit {
  readonly file: string;
  /** Whole lines, without the last line break. */
  readonly before: string;
  /** Undefined: the lines are deleted. */
  readonly after: string | undefined;
}

export interface Bug {
  readonly name: string;
  readonly module: string;
  readonly what: string;
  readonly edits: readonly Edit[];
  /** The patch itself: a changed bug is tried again. */
  readonly text: string;
}

const FOLDER = join(import.meta.dirname, 'bugs');

export function readBugs(folder = FOLDER): Bug[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.patch'))
    .sort()
    .map((file) => parseBug(file.slice(0, -'.patch'.length), readFileSync(join(folder, file), 'utf8')));
}

export function parseBug(name: string, text: string): Bug {
  const [, module, what, diff] = /^module: (\w+)\nwhat: (.+)\n(--- a\/[\s\S]*)$/.exec(text) ?? [];
  if (!module || !what || !diff) throw new Error(`${name}: a patch begins with "module:", "what:" and a file`);
  const edits = diff
    .split(/^--- a\//m)
    .slice(1)
    .flatMap(parseFile);
  if (edits.length === 0) throw new Error(`${name} changes nothing`);
  return { name, module, what, edits, text };
}

function parseFile(part: string): Edit[] {
  const [file = '', ...hunks] = part.split(/\n\+\+\+ b\/.*\n@@\n|^@@\n/m);
  return hunks.map((hunk) => {
    const lines = hunk.replace(/\n$/, '').split('\n');
    const pick = (marks: string) => lines.filter((line) => marks.includes(line.charAt(0))).map((line) => line.slice(1));
    const after = pick(' +');
    return { file, before: pick(' -').join('\n'), after: after.length > 0 ? after.join('\n') : undefined };
  });
}

/** The files that the bug changes, with their new text. Throws when a patch does not apply exactly once. */
export function plant(bug: Bug, read: (file: string) => string): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const { file, before, after } of bug.edits) {
    const text = `\n${changed.get(file) ?? read(file)}`;
    const parts = text.split(`\n${before}\n`);
    if (parts.length !== 2) throw new Error(`${bug.name} applies ${parts.length - 1} times to ${file}`);
    changed.set(file, parts.join(after === undefined ? '\n' : `\n${after}\n`).slice(1));
  }
  return changed;
}
