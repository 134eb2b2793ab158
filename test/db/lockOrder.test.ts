/** Reads the source: statements that lock the same rows in different orders can deadlock. `custody/rail.ts` has the order. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const filesIn = (folder: string, end: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(end) && !file.endsWith('.test.ts'))
    .map((file) => join(folder, file));
const read = (file: string): string => readFileSync(join(root, file), 'utf8').replace(/--[^\n]*/g, '');

const FUNCTIONS = filesIn('sql/functions', '.sql');
const PROGRAMS = filesIn('server/src', '.ts');

/** From the first to the last. */
const ORDER = ['users', 'money_requests', 'payments', 'accounts', 'sessions', 'holdings', 'coin_moves', 'ledger_state'];

const LOCK = /\bFROM (\w+)\b[^;`]*?\bFOR (?:NO KEY UPDATE|UPDATE|SHARE)\b|\bUPDATE (\w+)\b(?=[^;`]*?\bSET\b)/g;

/** The tables of `ORDER` whose rows a text locks, each where it is locked first. */
const locksOf = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(LOCK)]
      .flatMap(([, locked, updated]) => locked ?? updated ?? [])
      .filter((one) => ORDER.includes(one)),
  ),
];

describe('locks', () => {
  it('are taken in one order by every function', () => {
    const orders = FUNCTIONS.map((file) => ({ file, locks: locksOf(read(file)) }));
    expect(orders.filter(({ locks }) => locks.length > 1).length).toBeGreaterThan(3);
    const wrong = orders.filter(({ locks }) =>
      locks.some((one, i) => i > 0 && ORDER.indexOf(one) < ORDER.indexOf(locks[i - 1]!)),
    );
    expect(wrong).toEqual([]);
  });

  it('are taken in the order that the statement names, whatever its plan, if it locks several rows', () => {
    const locking = /\bFROM \w+\b[^;]*?\bFOR (?:NO KEY UPDATE|UPDATE|SHARE)\b/g;
    const all = FUNCTIONS.flatMap((file) => [...read(file).matchAll(locking)].map(([text]) => `${file}: ${text}`));
    expect(all.filter((text) => text.includes('ORDER BY')).length).toBeGreaterThan(10);
    // One row: a table that has no more, or a condition on its key.
    const isOne = /: FROM \w+\s+FOR |\bWHERE (?:\w+\.)?\w+ = (?!ANY)|\bWHERE \([\w., ]+\) = /;
    expect(all.filter((text) => !text.includes('ORDER BY') && !isOne.test(text))).toEqual([]);
  });

  it('leave the keys of people alone: rows that name a person are written in any order', () => {
    const strong = [...FUNCTIONS, ...PROGRAMS].filter((file) =>
      /\bFROM users\b[^;`']*?\bFOR UPDATE\b/.test(read(file)),
    );
    expect(strong).toEqual([]);
  });
});
