/** The documents have the form that CONTRIBUTING.md asks for, and name existing files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('a decision', () => {
  const STATUS = /^\*\*Status:\*\* (accepted|superseded by \[\d+\]\([\w.-]+\)), \d{4}-\d{2}-\d{2}\b/m;
  const names = readdirSync(join(root, 'docs/decisions')).filter((name) => name !== 'README.md');
  const decisions = names.sort().map((name) => ({ name, text: read(`docs/decisions/${name}`) }));

  it('has a number, a status with its date, and the three parts in order', () => {
    expect(decisions.length).toBeGreaterThan(40);
    const wrong = decisions.filter(({ name, text }, i) => {
      const parts = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
      const isShort = ['Context,Decision,Consequences', 'Context,Decision,Consequences,Alternatives'].includes(
        `${parts}`,
      );
      return !isShort || !STATUS.test(text) || !text.startsWith(`# ${i + 1}. `) || !name.startsWith(padNumber(i + 1));
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('is in the index with its title and its status', () => {
    const rows = decisions.map(({ name, text }) => {
      const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text)!;
      return `| [${number}](${name}) | ${title} | ${STATUS.exec(text)?.[1]} |`;
    });
    expect(read('docs/decisions/README.md').match(/^\| \[.*$/gm)).toEqual(rows);
  });
});

const padNumber = (number: number): string => `${String(number).padStart(4, '0')}-`;

describe('ARCHITECTURE.md', () => {
  const text = read('ARCHITECTURE.md');

  it('names only files and folders that exist', () => {
    const modules = readdirSync(join(root, 'server/src'));
    const spans = [...text.matchAll(/`([\w./-]+)`/g)].map(([, span]) => span!);
    const named = spans.flatMap((span) => {
      if (span.startsWith('sql/functions/')) return [span];
      return modules.includes(span.split('/')[0]!) && span.includes('/') ? [`server/src/${span}`] : [];
    });
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !['', '.ts'].some((ending) => existsSync(join(root, path + ending))))).toEqual([]);
  });

  it('explains at most 40 words', () => {
    const glossary = text.slice(text.indexOf('\n## Glossary\n'));
    const entries = [...glossary.matchAll(/^\| (?!word \||---)/gm)];
    expect(entries.length).toBeGreaterThan(20);
    expect(entries.length).toBeLessThanOrEqual(40);
  });
});
